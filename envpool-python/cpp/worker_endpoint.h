// SPDX-License-Identifier: Apache-2.0
// WorkerEndpoint: the worker's side of a pool's shared memory. It takes requests, and tells the
// parent which have a result.
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

#include "shared_segment.h"

namespace envpool::python_family {

/// Whether the parent of this process is still there.
struct ParentWatch {
  std::atomic<bool> ended{false};
  std::atomic<std::atomic<int>*> wakeups{nullptr};  ///< the futex on which this process sleeps

  /// Has the process end soon after its parent: when the other end of `socket` is closed, or the
  /// process of `pidfd` has ended. Sets `ended` first; two seconds later it leaves no choice to an
  /// environment that does not return.
  void EndWith(int socket, int pidfd) {
    std::thread([this, socket, pidfd] {
      pollfd ends[2] = {{.fd = socket, .events = POLLRDHUP, .revents = 0},
                        {.fd = pidfd, .events = POLLIN, .revents = 0}};
      while (poll(ends, 2, -1) <= 0) {
      }
      ended.store(true);
      if (std::atomic<int>* const sleeps = wakeups.load()) {
        sleeps->fetch_add(1);
        SharedFutexWake(*sleeps);
      }
      std::this_thread::sleep_for(std::chrono::seconds(2));
      _exit(1);
    }).detach();
  }
};

class WorkerEndpoint {
 public:
  /// The endpoint has to stay for as long as the process.
  WorkerEndpoint(int fd, const SharedSegment::Shape& shape, std::shared_ptr<SlotLayout> layout,
                 int worker, ParentWatch& parent_watch)
      : fd_(fd),
        worker_(worker),
        layout_(std::move(layout)),
        segment_(fd, shape, false),
        rings_(segment_.rings(worker)),
        parent_watch_(parent_watch),
        next_(rings_.num_taken.load()),
        num_results_(rings_.num_results.load()) {
    rings_.asleep.store(0);
    rings_.current_env.store(-1);
    parent_watch_.wakeups.store(&rings_.wakeups);
  }

  /// The next entry, an environment or kControlMessage; sleeps until there is one. False after
  /// about 0.1 s, so that the caller can look after signals.
  bool Next(std::int32_t& entry) {
    if (rings_.num_requests.load(std::memory_order_acquire) == next_ && !Sleep()) return false;
    entry = segment_.request(worker_, next_++);
    rings_.num_taken.store(next_, std::memory_order_relaxed);
    if (entry != kControlMessage) Begin(entry);
    return true;
  }
  bool HasRequest() const { return rings_.num_requests.load(std::memory_order_acquire) != next_; }
  /// From now on the worker is in this environment.
  void Begin(int env_id) {
    rings_.since.store(std::chrono::steady_clock::now().time_since_epoch().count(),
                       std::memory_order_relaxed);
    rings_.current_env.store(env_id, std::memory_order_release);
  }
  /// The same while an environment is made, which may take any time.
  void BeginMaking(int env_id) {
    rings_.since.store(std::numeric_limits<std::int64_t>::max(), std::memory_order_relaxed);
    rings_.current_env.store(env_id, std::memory_order_release);
  }
  void End() { rings_.current_env.store(-1, std::memory_order_release); }
  /// The request has a result: the slot of the environment is the parent's again.
  void Finish(int env_id) {
    End();
    segment_.result(worker_, num_results_++) = env_id;
    rings_.num_results.store(num_results_, std::memory_order_seq_cst);
    SegmentHeader& header = segment_.header();
    std::int64_t wake_at = header.wake_at.load(std::memory_order_seq_cst);
    if (wake_at == kNever || segment_.NumResults() < wake_at) return;
    // Exactly one of the workers that see it wakes the parent.
    if (!header.wake_at.compare_exchange_strong(wake_at, kNever)) return;
    header.wakeups.fetch_add(1, std::memory_order_seq_cst);
    SharedFutexWake(header.wakeups);
  }
  void Fail(int env_id, std::string_view text) {
    SlotHeader& slot = slot_header(env_id);
    slot.failed = 1;
    slot.text_size = static_cast<std::uint32_t>(std::min(text.size(), kTextBytes));
    // The end of a traceback says more than its beginning.
    std::memcpy(segment_.slot(env_id) + layout_->text_at,
                text.data() + text.size() - slot.text_size, slot.text_size);
    Finish(env_id);
  }
  void SetInfo(int env_id, int which, std::string_view bytes) {
    if (bytes.size() <= kInfoBytes) {
      std::memcpy(segment_.slot(env_id) + layout_->infos_at + kInfoBytes * Index(which),
                  bytes.data(), bytes.size());
    } else {
      std::int64_t at = segment_.OverflowAt(env_id, which);
      for (std::size_t written = 0; written < bytes.size();) {
        const ssize_t n = pwrite(fd_, bytes.data() + written, bytes.size() - written, at);
        if (n <= 0) throw std::system_error(errno, std::generic_category(), "info");
        written += static_cast<std::size_t>(n);
        at += n;
      }
    }
    slot_header(env_id).info_size[which] = static_cast<std::uint32_t>(bytes.size());
  }

  /// The options of a reset, once; empty if it has none.
  std::string TakeOptions(int env_id) {
    std::string options(std::exchange(slot_header(env_id).options_size, 0), '\0');
    const std::int64_t at = segment_.OverflowAt(env_id, kOptions);
    for (std::size_t read = 0; read < options.size();) {
      const ssize_t n = pread(fd_, options.data() + read, options.size() - read,
                              at + static_cast<std::int64_t>(read));
      if (n <= 0) throw std::system_error(errno, std::generic_category(), "options");
      read += static_cast<std::size_t>(n);
    }
    return options;
  }

  bool parent_has_ended() const { return parent_watch_.ended.load(); }

  SlotHeader& slot_header(int env_id) const { return segment_.slot_header(env_id); }
  double* rewards(int env_id) const {
    return reinterpret_cast<double*>(segment_.slot(env_id) + layout_->rewards_at);
  }
  std::byte* action(int env_id, std::size_t array) const {
    return segment_.slot(env_id) + layout_->actions_at + layout_->action.offsets[array];
  }
  std::byte* state(int env_id, int buffer, std::size_t array) const {
    return segment_.slot(env_id) + layout_->states_at + Index(buffer) * layout_->state.size +
           layout_->state.offsets[array];
  }
  const SlotLayout& layout() const { return *layout_; }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  static std::size_t Index(int i) { return static_cast<std::size_t>(i); }

  bool Sleep() {
    const int seen = rings_.wakeups.load(std::memory_order_seq_cst);
    rings_.asleep.store(1, std::memory_order_seq_cst);
    if (rings_.num_requests.load(std::memory_order_seq_cst) == next_) {
      SharedFutexWait(rings_.wakeups, seen, std::chrono::milliseconds(100));
    }
    rings_.asleep.store(0, std::memory_order_seq_cst);
    return rings_.num_requests.load(std::memory_order_acquire) != next_;
  }

  const int fd_, worker_;
  const std::shared_ptr<SlotLayout> layout_;
  SharedSegment segment_;
  WorkerRings& rings_;
  ParentWatch& parent_watch_;
  std::int64_t next_, num_results_;
};

}  // namespace envpool::python_family
