// SPDX-License-Identifier: Apache-2.0
// Channel: the worker's side of a pool's shared memory. It says which environment is to do what,
// and tells the parent what has been done.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "segment.h"

namespace envpool::remote {

class Channel {
 public:
  Channel(int fd, const Segment::Shape& shape, std::shared_ptr<Layout> layout, int worker)
      : fd_(fd),
        worker_(worker),
        layout_(std::move(layout)),
        segment_(fd, shape, false),
        line_(segment_.line(worker)),
        next_(line_.begun.load()),
        done_(line_.done.load()) {
    line_.asleep.store(0);
    line_.current.store(-1);
  }

  /// The next entry, an environment or kCall; sleeps until there is one. False after about 0.1 s,
  /// so that the caller can look after signals.
  bool Next(std::int32_t& entry) {
    if (line_.asked.load(std::memory_order_acquire) == next_ && !Sleep()) return false;
    entry = segment_.asked(worker_, next_++);
    line_.begun.store(next_, std::memory_order_relaxed);
    if (entry != kCall) Begin(entry);
    return true;
  }
  bool IsWaiting() const { return line_.asked.load(std::memory_order_acquire) != next_; }
  /// From now on the worker is in this environment.
  void Begin(int env_id) {
    line_.since.store(std::chrono::steady_clock::now().time_since_epoch().count(),
                      std::memory_order_relaxed);
    line_.current.store(env_id, std::memory_order_release);
  }
  /// The same while an environment is made, which may take any time.
  void BeginMaking(int env_id) {
    line_.since.store(std::numeric_limits<std::int64_t>::max(), std::memory_order_relaxed);
    line_.current.store(env_id, std::memory_order_release);
  }
  void End() { line_.current.store(-1, std::memory_order_release); }
  /// The turn of an environment is over: its slot is the parent's again.
  void Done(int env_id) {
    End();
    segment_.done(worker_, done_++) = env_id;
    line_.done.store(done_, std::memory_order_seq_cst);
    Head& head = segment_.head();
    std::int64_t wake_at = head.wake_at.load(std::memory_order_seq_cst);
    if (wake_at == kNever || segment_.DoneByAll() < wake_at) return;
    // One of those who see it rings.
    if (!head.wake_at.compare_exchange_strong(wake_at, kNever)) return;
    head.bell.fetch_add(1, std::memory_order_seq_cst);
    SharedFutexWake(head.bell);
  }
  void Fail(int env_id, std::string_view text) {
    SlotHead& slot = head(env_id);
    slot.failed = 1;
    slot.text_size = static_cast<std::uint32_t>(std::min(text.size(), kTextBytes));
    // The end of a traceback says more than its beginning.
    std::memcpy(segment_.slot(env_id) + layout_->text_at,
                text.data() + text.size() - slot.text_size, slot.text_size);
    Done(env_id);
  }
  void SetInfo(int env_id, int which, std::string_view bytes) {
    if (bytes.size() <= kInfoBytes) {
      std::memcpy(segment_.slot(env_id) + layout_->infos_at + kInfoBytes * Index(which),
                  bytes.data(), bytes.size());
    } else {
      std::int64_t at = segment_.LongAt(env_id, which);
      for (std::size_t written = 0; written < bytes.size();) {
        const ssize_t n = pwrite(fd_, bytes.data() + written, bytes.size() - written, at);
        if (n <= 0) throw std::system_error(errno, std::generic_category(), "info");
        written += static_cast<std::size_t>(n);
        at += n;
      }
    }
    head(env_id).info_size[which] = static_cast<std::uint32_t>(bytes.size());
  }

  /// The options of a reset, once; empty if it has none.
  std::string TakeOptions(int env_id) {
    std::string options(std::exchange(head(env_id).options_size, 0), '\0');
    const std::int64_t at = segment_.LongAt(env_id, kOptions);
    for (std::size_t read = 0; read < options.size();) {
      const ssize_t n = pread(fd_, options.data() + read, options.size() - read,
                              at + static_cast<std::int64_t>(read));
      if (n <= 0) throw std::system_error(errno, std::generic_category(), "options");
      read += static_cast<std::size_t>(n);
    }
    return options;
  }

  /// Has the process end soon after its parent: when the other end of `socket` is closed, or the
  /// process of `pidfd` has ended. Sets `ended` first; two seconds later it leaves no choice to an
  /// environment that does not return. The segment has to stay until then.
  void EndWith(int socket, int pidfd, std::atomic<bool>& ended) {
    std::thread([this, socket, pidfd, &ended] {
      pollfd ends[2] = {{.fd = socket, .events = POLLRDHUP, .revents = 0},
                        {.fd = pidfd, .events = POLLIN, .revents = 0}};
      while (poll(ends, 2, -1) <= 0) {
      }
      ended.store(true);
      line_.bell.fetch_add(1);
      SharedFutexWake(line_.bell);
      std::this_thread::sleep_for(std::chrono::seconds(2));
      _exit(1);
    }).detach();
  }

  SlotHead& head(int env_id) const { return segment_.slot_head(env_id); }
  double* rewards(int env_id) const {
    return reinterpret_cast<double*>(segment_.slot(env_id) + layout_->rewards_at);
  }
  std::byte* action(int env_id, std::size_t array) const {
    return segment_.slot(env_id) + layout_->actions_at + layout_->action.offsets[array];
  }
  std::byte* state(int env_id, int set, std::size_t array) const {
    return segment_.slot(env_id) + layout_->states_at + Index(set) * layout_->state.size +
           layout_->state.offsets[array];
  }
  const Layout& layout() const { return *layout_; }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  static std::size_t Index(int i) { return static_cast<std::size_t>(i); }

  bool Sleep() {
    const int seen = line_.bell.load(std::memory_order_seq_cst);
    line_.asleep.store(1, std::memory_order_seq_cst);
    if (line_.asked.load(std::memory_order_seq_cst) == next_) {
      SharedFutexWait(line_.bell, seen, std::chrono::milliseconds(100));
    }
    line_.asleep.store(0, std::memory_order_seq_cst);
    return line_.asked.load(std::memory_order_acquire) != next_;
  }

  const int fd_, worker_;
  const std::shared_ptr<Layout> layout_;
  Segment segment_;
  Line& line_;
  std::int64_t next_, done_;
};

}  // namespace envpool::remote
