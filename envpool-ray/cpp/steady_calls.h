// SPDX-License-Identifier: Apache-2.0
// SteadyCalls: the messages of steady-state calls of a pool on Ray, without Python.
//
//   calls.arm(requests, last, until);  // from here on it owns the connections
//   result = calls.step(action);       // None: Python does this call, nothing was done
//   channels = calls.settle();         // the requests in flight, and the results received last
//
// Python has checked the action and its ids. A request is a header that Python has made, ids and
// the action. An expected response is a header that was received before, byte by byte, and arrays.
// Only Python reads headers. An unexpected event (a lost worker, another header, no response within
// kResponseTimeout) changes nothing, and Python goes on from the state of every connection. No
// message is lost or sent twice.
//
// A wait releases the GIL; `RayPool` lets in one thread at a time.
#pragma once

#include <poll.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "envpool/binding/gil.h"
#include "field_layout.h"

namespace envpool::ray_family {

/// A message to a worker, and its response.
struct SentMessage {
  std::vector<std::int32_t> ids;  ///< environments, counted in the whole pool
  py::array action;               ///< rows in C order; those of this message begin at action_row
  std::size_t action_row = 0;
  ResultMemory slot;
  double sent = 0;         ///< seconds of the monotonic clock
  bool delivered = false;  ///< the connection has all bytes, or `out` has the rest
  bool answered = false;
  py::object python_request;  ///< the Request of a message that Python has sent; else null

  int rows() const { return static_cast<int>(ids.size()); }
  std::size_t action_row_bytes() const {
    return static_cast<std::size_t>(action.nbytes() / action.shape(0));
  }
};

class SteadyCalls {
 public:
  /// Args:
  ///   channels: (file, first environment, environments, whether it is of packets between
  ///       processes of one machine, which share memory) of the connection to each worker.
  ///   batch_size: Rows of a batch of an asynchronous pool; 0: the pool is synchronous.
  ///   buffer_rows: Rows of a shared buffer.
  ///   acquire: A call with rows returns (buffer, its bytes, row), or None if the results are
  ///       copied. None: all results are copied.
  ///   header: A call with channel, rows, buffer and row returns the header of a request, or None.
  SteadyCalls(const std::vector<std::tuple<int, int, int, bool>>& channels, FieldLayout layout,
              int batch_size, int buffer_rows, py::object acquire, py::object header)
      : layout_(std::move(layout)),
        batch_size_(batch_size),
        buffer_rows_(buffer_rows),
        acquire_(std::move(acquire)),
        header_(std::move(header)) {
    for (const auto& [file, first, count, local] : channels) {
      Channel& channel = channels_.emplace_back();
      channel.file = file, channel.first = first, channel.count = count, channel.local = local;
      num_envs_ += count;
    }
  }
  SteadyCalls(const SteadyCalls&) = delete;
  SteadyCalls& operator=(const SteadyCalls&) = delete;

  /// Sets the response that is expected for so many rows: a header, the arrays of these fields,
  /// and a double, the seconds that the worker was in its environments.
  void Expect(std::size_t channel, bool shared, int rows, std::string header,
              std::vector<std::size_t> fields) {
    channels_.at(channel).responses[{shared, rows}] = {std::move(header), std::move(fields)};
  }
  bool Expects(std::size_t channel, bool shared, int rows) const {
    return channels_.at(channel).responses.contains({shared, rows});
  }

  /// Begins, until a moment of the monotonic clock. A request in flight is (channel, ids, action,
  /// slot or None, time of sending, Python's request). `last` has the channel and the
  /// environments of the last result if they were not sent again; else it is None.
  void Arm(const py::list& requests, const py::object& last, double until);
  /// Ends. Returns for each channel (steps, seconds in environments, last results, requests in
  /// flight, bytes of a message that has come in part, bytes that wait for room). A result is (ids,
  /// arrays); a request is (ids, action, slot, time of sending, Python's request, whether it was
  /// delivered, arrays of its response or None).
  py::list Settle();
  /// Ends at once: the pool closes. A handler of a signal so ends a call that waits.
  void Retire() { until_ = 0, retired_ = true; }

  /// Whether a call can begin: step, with rows of all environments or, in an asynchronous pool, of
  /// last_ids(), or send, with rows of last_ids().
  bool ready() const {
    if (busy_ || stuck_ || Now() >= until_) return false;
    return synchronous() ? num_in_flight() == 0 : !last_sent_ && !last_ids_.empty();
  }

  /// Each returns None if Python has to do the call; nothing has happened then. False: the action
  /// was sent, and Python has to wait for the results. `until` is a moment of the monotonic clock.
  py::object Step(const py::array& action);
  py::object Send(const py::array& action);
  py::object Recv(double until);
  /// The last result has not reached the caller: the next call returns it again.
  void TakeBack();

  bool busy() const { return busy_; }
  /// Environments in flight.
  int num_in_flight() const {
    int count = 0;
    for (const Channel& channel : channels_) {
      for (const SentMessage& request : channel.sent) count += request.rows();
    }
    return count;
  }
  /// Calls since it was armed.
  std::int64_t count() const { return count_; }
  /// The environments of the result that was returned last.
  py::object last_ids() const { return Ids(last_ids_); }
  /// The channel and the environments of the last result, and whether they were sent again; None
  /// if no result was returned.
  py::object last() const {
    if (last_ids_.empty()) return py::none();
    return py::make_tuple(last_channel_, Ids(last_ids_), last_sent_);
  }

 private:
  struct ExpectedResponse {
    std::string header;
    std::vector<std::size_t> fields;
  };
  // The connection to a worker.
  struct Channel {
    int file = -1, first = 0, count = 0;
    bool local = false;
    std::map<std::pair<const void*, int>, std::string> headers;  // of requests, by buffer and rows
    std::map<std::pair<bool, int>, ExpectedResponse>
        responses;  // by whether they are shared, and rows
    std::deque<SentMessage> sent;
    std::vector<SentMessage> last;              // the last results, of different environments
    std::vector<std::byte> out;                 // bytes to send when the connection has room
    std::vector<iovec> parts;                   // memory for the parts of the next response
    std::vector<std::byte> header, tail, more;  // its header; the bytes between and behind arrays;
                                                // bytes that no expected response has
    std::size_t have = 0;                       // bytes of it that have come
    std::int64_t steps = 0;
    double seconds = 0;
  };
  // A handler of a signal may call the pool; `flag` tells it that a call is going on.
  struct Running {
    explicit Running(bool& busy) : flag(busy) { flag = true; }
    ~Running() { flag = false; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    bool& flag;
  };

  static constexpr std::size_t kStart = 24, kPacket = 1 << 16, kAlign = 8;  // of wire/framing.py
  static constexpr double kTick = 100;             // milliseconds between two checks of signals
  static constexpr double kResponseTimeout = 0.5;  // seconds; Python then looks into it
  static constexpr double kForEver = std::numeric_limits<double>::infinity();

  static double Now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  static std::size_t Aligned(std::size_t size) { return (size + kAlign - 1) / kAlign * kAlign; }
  static py::array_t<std::int32_t> Ids(const std::vector<std::int32_t>& ids) {
    return py::array_t<std::int32_t>(static_cast<py::ssize_t>(ids.size()), ids.data());
  }

  bool synchronous() const { return batch_size_ == 0; }
  ResultMemory AcquireSlot(int rows);
  ResultMemory Copied(int rows);
  const std::string* HeaderOf(std::size_t channel, int rows, std::size_t action_row_bytes,
                              const ResultMemory& slot);
  void Deliver(Channel& channel, SentMessage& request, const std::string& header);
  bool SendToAll(const py::array& action);
  template <typename Done>
  bool Wait(const Done& done, double until);
  void Flush(Channel& channel);
  bool Take(Channel& channel);
  void Prepare(Channel& channel, const SentMessage& request, const ExpectedResponse& response);
  const ExpectedResponse* Expected(const Channel& channel, const SentMessage& request) const;
  py::object Receive(double until);
  py::object Give(std::size_t channel);
  py::object GiveAll();
  py::tuple Arrays(const SentMessage& request);
  py::tuple Described(const Channel& channel, const SentMessage& request);
  static bool Shares(const Channel& channel, const ResultMemory& slot) {
    return channel.local && slot.shared();
  }
  static py::bytes Begun(const Channel& channel);

  FieldLayout layout_;
  const int batch_size_, buffer_rows_;
  py::object acquire_, header_;
  std::vector<Channel> channels_;
  int num_envs_ = 0;
  double until_ = 0;
  bool busy_ = false, stuck_ = false, retired_ = false;
  std::int64_t count_ = 0;
  std::vector<std::int32_t> local_;  // ids of a message
  std::vector<pollfd> polled_;
  std::vector<std::size_t> polled_channels_;
  std::size_t next_channel_ = 0;    // the channel that is checked first
  std::vector<std::size_t> given_;  // channels of the last result
  std::vector<std::int32_t> last_ids_;
  std::size_t last_channel_ = 0;
  bool last_sent_ = true;  // whether they were sent again
};

inline void SteadyCalls::Arm(const py::list& requests, const py::object& last, double until) {
  for (const py::handle item : requests) {
    auto [channel, ids, action, slot_tuple, sent, python_request] =
        item.cast<std::tuple<std::size_t, py::array_t<std::int32_t>, py::array, py::object, double,
                             py::object>>();
    SentMessage request;
    request.ids.assign(ids.data(), ids.data() + ids.size());
    request.action = action;
    if (slot_tuple.is_none()) {
      request.slot = Copied(request.rows());
    } else {
      const auto [buffer, memory, row] = slot_tuple.cast<std::tuple<py::object, py::array, int>>();
      request.slot = {.buffer = buffer,
                      .memory = memory,
                      .data = static_cast<std::byte*>(py::array(memory).mutable_data()),
                      .capacity = buffer_rows_,
                      .row = row};
    }
    request.sent = sent;
    request.delivered = true;
    request.python_request = python_request;
    channels_.at(channel).sent.push_back(std::move(request));
  }
  until_ = until;
  stuck_ = false;
  count_ = 0;
  given_.clear();
  last_ids_.clear();
  if (last.is_none()) return;
  const auto [channel, ids] = last.cast<std::pair<std::size_t, py::array_t<std::int32_t>>>();
  last_channel_ = channel;
  last_ids_.assign(ids.data(), ids.data() + ids.size());
  last_sent_ = false;
}

inline py::tuple SteadyCalls::Arrays(const SentMessage& request) {
  py::tuple arrays(layout_.num_fields());
  for (std::size_t i = 0; i < layout_.num_fields(); ++i) {
    arrays[i] = layout_.Array(i, request.slot, request.rows());
  }
  return arrays;
}

inline py::tuple SteadyCalls::Described(const Channel& channel, const SentMessage& request) {
  py::object slot_tuple = py::none(), response = py::none(), python_request = py::none();
  if (Shares(channel, request.slot)) {
    slot_tuple = py::make_tuple(request.slot.buffer, request.slot.memory, request.slot.row);
  }
  if (request.answered) response = Arrays(request);
  if (request.python_request) python_request = request.python_request;
  const auto row = static_cast<py::ssize_t>(request.action_row);
  const py::object action = request.action[py::slice(row, row + request.rows(), 1)];
  return py::make_tuple(Ids(request.ids), action, slot_tuple, request.sent, python_request,
                        request.delivered, response);
}

inline py::list SteadyCalls::Settle() {
  py::list described;
  for (Channel& channel : channels_) {
    py::list last, sent;
    for (const SentMessage& request : channel.last) {
      last.append(py::make_tuple(Ids(request.ids), Arrays(request)));
    }
    for (const SentMessage& request : channel.sent) sent.append(Described(channel, request));
    const py::bytes rest(reinterpret_cast<const char*>(channel.out.data()), channel.out.size());
    described.append(
        py::make_tuple(channel.steps, channel.seconds, last, sent, Begun(channel), rest));
  }
  for (Channel& channel : channels_) {  // after all that may fail
    channel.last.clear();
    channel.sent.clear();
    channel.out.clear();
    channel.have = 0;
    channel.steps = 0;
    channel.seconds = 0;
  }
  until_ = 0;
  return described;
}

inline py::object SteadyCalls::Step(const py::array& action) {
  if (!synchronous()) {
    const py::object sent = Send(action);
    if (sent.is_none()) return sent;
    const py::object result = Receive(kForEver);
    return result.is_none() ? py::bool_(false) : result;
  }
  if (!ready()) return py::none();
  const Running running(busy_);
  if (!SendToAll(action)) return py::none();
  const auto all = [&] {
    return std::all_of(channels_.begin(), channels_.end(),
                       [](const Channel& channel) { return channel.sent.front().answered; });
  };
  if (!Wait(all, kForEver)) return py::bool_(false);
  return GiveAll();
}

inline py::object SteadyCalls::Send(const py::array& action) {
  if (synchronous() || !ready()) return py::none();
  const Running running(busy_);
  SentMessage request;
  request.ids = last_ids_;
  request.action = action;
  request.slot = AcquireSlot(request.rows());
  const std::string* header =
      HeaderOf(last_channel_, request.rows(), request.action_row_bytes(), request.slot);
  if (header == nullptr) return py::none();
  given_.clear();
  last_sent_ = true;
  Deliver(channels_[last_channel_], request, *header);
  channels_[last_channel_].sent.push_back(std::move(request));
  ++count_;
  return py::bool_(true);
}

inline py::object SteadyCalls::Recv(double until) {
  if (synchronous() || busy_ || stuck_ || Now() >= until_) return py::none();
  py::object result = Receive(until);
  if (!result.is_none()) ++count_;
  return result;
}

inline py::object SteadyCalls::Receive(double until) {
  const Running running(busy_);
  std::size_t found = channels_.size();
  const auto one = [&] {
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const std::size_t at = (next_channel_ + i) % channels_.size();
      if (channels_[at].sent.empty() || !channels_[at].sent.front().answered) continue;
      found = at;
      return true;
    }
    return false;
  };
  // A caller that is slower than the actors finds a response without poll().
  Channel& next = channels_[next_channel_ % channels_.size()];
  if (!next.sent.empty() && !next.sent.front().answered && !Take(next)) {
    stuck_ = true;
    return py::none();
  }
  if (!Wait(one, until) || channels_[found].sent.front().rows() != batch_size_) return py::none();
  next_channel_ = found + 1;
  return Give(found);
}

inline void SteadyCalls::TakeBack() {
  for (const std::size_t at : given_) {
    Channel& channel = channels_[at];
    channel.sent.push_front(std::move(channel.last.back()));
    channel.last.pop_back();
    channel.steps -= channel.sent.front().rows();
  }
  given_.clear();
  last_ids_.clear();
}

// Memory for the results of one message, or of the messages to all workers.
inline ResultMemory SteadyCalls::AcquireSlot(int rows) {
  const py::object slot_tuple = acquire_.is_none() ? acquire_ : acquire_(rows);
  if (slot_tuple.is_none()) return Copied(rows);
  const auto& parts = static_cast<const py::tuple&>(slot_tuple);
  auto memory = py::reinterpret_borrow<py::array>(parts[1]);
  auto* data = static_cast<std::byte*>(memory.mutable_data());
  return {.buffer = parts[0],
          .memory = std::move(memory),
          .data = data,
          .capacity = buffer_rows_,
          .row = 0};
}

// Memory for results that come in messages.
inline ResultMemory SteadyCalls::Copied(int rows) {
  py::array_t<std::uint8_t> memory(static_cast<py::ssize_t>(layout_.bytes(rows)));
  auto* data = reinterpret_cast<std::byte*>(memory.mutable_data());
  return {.buffer = {}, .memory = std::move(memory), .data = data, .capacity = rows, .row = 0};
}

// The header of a message; null if there is none, or no room for the message in a
// packet.
inline const std::string* SteadyCalls::HeaderOf(std::size_t at, int rows,
                                                std::size_t action_row_bytes,
                                                const ResultMemory& slot) {
  Channel& channel = channels_[at];
  const bool shared = Shares(channel, slot);
  std::string& header = channel.headers[{shared ? slot.buffer.ptr() : nullptr, rows}];
  if (header.empty()) {
    const py::object made =
        header_(at, rows, shared ? slot.buffer : py::object(py::none()), slot.row);
    if (made.is_none() || !channel.responses.contains({shared, rows})) return nullptr;
    header = made.cast<std::string>();
  }
  const auto count = static_cast<std::size_t>(rows);
  const std::size_t size =
      header.size() + Aligned(count * sizeof(std::int32_t)) + Aligned(count * action_row_bytes);
  return size <= kPacket || !channel.local ? &header : nullptr;
}

// Sends a message. Python sends it later if the connection has no room.
inline void SteadyCalls::Deliver(Channel& channel, SentMessage& request,
                                 const std::string& header) {
  local_.resize(Aligned(request.ids.size() * sizeof(std::int32_t)) / sizeof(std::int32_t));
  std::transform(request.ids.begin(), request.ids.end(), local_.begin(),
                 [&](std::int32_t id) { return id - channel.first; });
  const std::size_t row_bytes = request.action_row_bytes();
  const std::size_t size = row_bytes * request.ids.size();
  const auto* rows =
      static_cast<const std::byte*>(request.action.data()) + row_bytes * request.action_row;
  std::byte zeros[kAlign] = {};
  iovec parts[] = {{const_cast<char*>(header.data()), header.size()},
                   {local_.data(), local_.size() * sizeof(std::int32_t)},
                   {const_cast<std::byte*>(rows), size},
                   {zeros, Aligned(size) - size}};
  msghdr packet{};
  packet.msg_iov = parts;
  packet.msg_iovlen = 4;
  request.sent = Now();
  if (stuck_) return;
  ssize_t count = 0;
  if (channel.out.empty()) {
    count = sendmsg(channel.file, &packet, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EAGAIN && !channel.local) count = 0;
  }
  request.delivered = count >= 0;
  stuck_ = !request.delivered;
  if (channel.local || stuck_) return;
  auto skipped = static_cast<std::size_t>(count);
  for (const iovec& part : parts) {
    const auto* bytes = static_cast<const std::byte*>(part.iov_base);
    const std::size_t skip = std::min(skipped, part.iov_len);
    channel.out.insert(channel.out.end(), bytes + skip, bytes + part.iov_len);
    skipped -= skip;
  }
}

// Sends bytes that waited for room. Take() notices a lost connection.
inline void SteadyCalls::Flush(Channel& channel) {
  const ssize_t count =
      send(channel.file, channel.out.data(), channel.out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count > 0) channel.out.erase(channel.out.begin(), channel.out.begin() + count);
}

// A message to each worker, with its rows of the action; false if none was sent.
inline bool SteadyCalls::SendToAll(const py::array& action) {
  const ResultMemory all = AcquireSlot(num_envs_);
  const auto row_bytes = static_cast<std::size_t>(action.nbytes() / num_envs_);
  std::vector<const std::string*> headers;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    ResultMemory slot = all;
    slot.row = channels_[i].first;
    headers.push_back(HeaderOf(i, channels_[i].count, row_bytes, slot));
    if (headers.back() == nullptr) return false;
  }
  given_.clear();
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    Channel& channel = channels_[i];
    SentMessage& request = channel.sent.emplace_back();
    const auto count = static_cast<std::size_t>(channel.count);
    request.slot = all;
    request.slot.row = channel.first;
    request.ids.resize(count);
    for (int k = 0; k < channel.count; ++k)
      request.ids[static_cast<std::size_t>(k)] = channel.first + k;
    request.action = action;
    request.action_row = static_cast<std::size_t>(channel.first);
    Deliver(channel, request, *headers[i]);
  }
  ++count_;
  return true;
}

// Takes responses until `done`; false if Python has to go on.
template <typename Done>
bool SteadyCalls::Wait(const Done& done, double until) {
  double since = Now();
  while (!done()) {
    if (stuck_) return false;
    polled_.clear();
    polled_channels_.clear();
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const bool waits = std::any_of(channels_[i].sent.begin(), channels_[i].sent.end(),
                                     [](const SentMessage& request) { return !request.answered; });
      if (!waits) continue;
      const auto events =
          static_cast<std::int16_t>(channels_[i].out.empty() ? POLLIN : POLLIN | POLLOUT);
      polled_.push_back({.fd = channels_[i].file, .events = events, .revents = 0});
      polled_channels_.push_back(i);
    }
    if (polled_.empty()) return false;
    int ready = 0;
    {
      const envpool::python::GilRelease release;
      const double left = std::clamp((until - Now()) * 1e3, 0.0, kTick);
      ready = poll(polled_.data(), polled_.size(), static_cast<int>(std::ceil(left)));
    }
    if (ready <= 0) {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (retired_ || Now() >= std::min(until, since + kResponseTimeout)) return false;
      continue;
    }
    for (std::size_t i = 0; i < polled_.size(); ++i) {
      Channel& channel = channels_[polled_channels_[i]];
      if ((polled_[i].revents & POLLOUT) != 0) Flush(channel);
      if ((polled_[i].revents & ~POLLOUT) != 0 && !Take(channel)) {
        stuck_ = true;
        return false;
      }
    }
    since = Now();
  }
  return true;
}

// Takes bytes that have come; false if they were not expected. A stream may have several messages:
// this takes bytes of one.
inline bool SteadyCalls::Take(Channel& channel) {
  const auto request = std::find_if(channel.sent.begin(), channel.sent.end(),
                                    [](const SentMessage& one) { return !one.answered; });
  const ExpectedResponse* response =
      request == channel.sent.end() ? nullptr : Expected(channel, *request);
  if (response == nullptr) return false;
  if (channel.have == 0) Prepare(channel, *request, *response);
  std::size_t size = 0;
  for (const iovec& part : channel.parts) size += part.iov_len;
  const std::size_t usual = size - channel.more.size();
  const std::size_t most = channel.local ? size : channel.have < kStart ? kStart : usual;
  std::vector<iovec> rest;
  std::size_t begin = 0;
  for (const iovec& part : channel.parts) {
    const std::size_t end = std::min(begin + part.iov_len, most);
    if (channel.have < end) {
      const std::size_t skip = std::max(channel.have, begin) - begin;
      rest.push_back({static_cast<std::byte*>(part.iov_base) + skip, end - begin - skip});
    }
    begin += part.iov_len;
    if (begin >= most) break;
  }
  msghdr into{};
  into.msg_iov = rest.data();
  into.msg_iovlen = rest.size();
  const ssize_t count = recvmsg(channel.file, &into, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (count <= 0) return false;
  channel.have += static_cast<std::size_t>(count);
  const std::size_t compared = std::min(channel.have, response->header.size());
  if (std::memcmp(channel.header.data(), response->header.data(), compared) != 0) return false;
  if (channel.have < usual) return true;
  if (channel.have > usual) return false;
  double seconds = 0;
  std::memcpy(&seconds, channel.tail.data() + channel.tail.size() - sizeof seconds, sizeof seconds);
  channel.seconds += seconds;
  channel.have = 0;
  request->answered = true;
  return true;
}

inline const SteadyCalls::ExpectedResponse* SteadyCalls::Expected(
    const Channel& channel, const SentMessage& request) const {
  const auto found = channel.responses.find({Shares(channel, request.slot), request.rows()});
  return found == channel.responses.end() ? nullptr : &found->second;
}

// Prepares memory for a response: its arrays are received where they stay.
inline void SteadyCalls::Prepare(Channel& channel, const SentMessage& request,
                                 const ExpectedResponse& response) {
  const auto rows = static_cast<std::size_t>(request.rows());
  channel.header.resize(response.header.size());
  channel.tail.resize(response.fields.size() * kAlign + sizeof(double));
  channel.more.resize(channel.local ? kPacket : 0);
  channel.parts.clear();
  channel.parts.push_back({channel.header.data(), channel.header.size()});
  std::byte* fill = channel.tail.data();
  for (const std::size_t field : response.fields) {
    const std::size_t bytes = layout_.row_bytes(field) * rows;
    channel.parts.push_back({layout_.Row(field, request.slot), bytes});
    channel.parts.push_back({fill, Aligned(bytes) - bytes});
    fill += kAlign;
  }
  channel.parts.push_back({fill, sizeof(double)});
  channel.parts.push_back({channel.more.data(), channel.more.size()});
}

inline py::bytes SteadyCalls::Begun(const Channel& channel) {
  std::string bytes;
  for (const iovec& part : channel.parts) {
    const std::size_t count = std::min(part.iov_len, channel.have - bytes.size());
    bytes.append(static_cast<const char*>(part.iov_base), count);
  }
  return {bytes};
}

inline py::object SteadyCalls::Give(std::size_t at) {
  Channel& channel = channels_[at];
  const SentMessage& front = channel.sent.front();
  py::object result = layout_.Build(front.slot, front.rows());
  std::erase_if(channel.last, [&](const SentMessage& old) { return old.ids == front.ids; });
  last_ids_ = front.ids;
  last_channel_ = at;
  last_sent_ = false;
  channel.steps += front.rows();
  channel.last.push_back(std::move(channel.sent.front()));
  channel.sent.pop_front();
  given_.assign(1, at);
  return result;
}

inline py::object SteadyCalls::GiveAll() {
  ResultMemory all = channels_.front().sent.front().slot;
  all.row = 0;
  py::object result = layout_.Build(all, num_envs_);
  given_.clear();
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    Channel& channel = channels_[i];
    channel.last.clear();
    channel.steps += channel.count;
    channel.last.push_back(std::move(channel.sent.front()));
    channel.sent.pop_front();
    given_.push_back(i);
  }
  return result;
}

}  // namespace envpool::ray_family
