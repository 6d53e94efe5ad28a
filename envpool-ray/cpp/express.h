// SPDX-License-Identifier: Apache-2.0
// Express: the usual calls of a pool on Ray, without Python on the way of a message.
//
//   express.arm(requests, last, until);       // only usual messages are on the way
//   result = express.step(action, env_id);    // None: no usual call, and nothing was done
//   lanes = express.settle();                 // what is on the way, and what came last
//
// A usual message to an actor is a head that Python has made, ids and actions; a usual answer is a
// head that has come before, byte by byte, and arrays. What a head means only Python knows. What is
// not usual stays where it is, and Python goes on from the state of every actor: one that is lost,
// an answer that says more, none within kPatience. No message is lost or sent twice.
//
// The GIL is let go of to wait; one thread at a time is in here, as `RayPool` sees to.
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

#include "actions.h"
#include "envpool/binding/gil.h"
#include "layout.h"

namespace envpool_ray {

/// A message to an actor, and its answer.
struct Request {
  std::vector<std::int32_t> ids;  ///< environments, counted in the whole pool
  std::vector<std::byte> action;
  Body body;
  double sent = 0;         ///< seconds of the monotonic clock
  bool delivered = false;  ///< to the connection
  bool answered = false;
  py::object message;  ///< Python's, if it has sent it; else null

  int rows() const { return static_cast<int>(ids.size()); }
};

class Express {
 public:
  /// Args:
  ///   lanes: (file, first environment, environments, whether it is of packets between processes of
  ///       one machine, which share memory) of the connection to each actor.
  ///   batch_size: Of an asynchronous pool; 0: the pool is synchronous.
  ///   chunk_rows: Rows of a chunk of shared memory.
  ///   lease: Called with rows, gives (chunk, its bytes, row), or None for a copy of the results.
  ///   head: Called with lane, rows, chunk and row, gives the head of a message, or None.
  Express(const std::vector<std::tuple<int, int, int, bool>>& lanes, Layout layout, Actions actions,
          int batch_size, int chunk_rows, py::object lease, py::object head)
      : layout_(std::move(layout)),
        actions_(std::move(actions)),
        batch_size_(batch_size),
        chunk_rows_(chunk_rows),
        lease_(std::move(lease)),
        head_(std::move(head)) {
    for (const auto& [file, first, count, local] : lanes) {
      Lane& lane = lanes_.emplace_back();
      lane.file = file, lane.first = first, lane.count = count, lane.local = local;
      num_envs_ += count;
    }
  }
  Express(const Express&) = delete;
  Express& operator=(const Express&) = delete;

  /// Says what a usual answer of so many rows is: a head, and the arrays of these fields behind it,
  /// then the seconds that the actor was in its environments, a double.
  void Expect(std::size_t lane, bool shared, int rows, std::string head,
              std::vector<std::size_t> fields) {
    lanes_.at(lane).answers[{shared, rows}] = {std::move(head), std::move(fields)};
  }
  bool Expects(std::size_t lane, bool shared, int rows) const {
    return lanes_.at(lane).answers.contains({shared, rows});
  }

  /// Begins, until a moment of the monotonic clock. Of what is on the way: (lane, ids, action,
  /// place or None, when it was sent, Python's message). `last` has the lane and the environments
  /// of what was given last and not sent again, or is None.
  void Arm(const py::list& requests, const py::object& last, double until);
  /// Ends: for each lane (steps, seconds in environments, results that came last, requests, bytes
  /// of a message that has come and is not taken, bytes that are to be sent). A result is (ids,
  /// arrays); a request (ids, action, place, when it was sent, Python's message, whether it was
  /// delivered, arrays of its answer or None).
  py::list Settle();
  /// Ends at once, for a pool that closes: also a call that waits, from a handler of a signal.
  void Retire() { until_ = 0, retired_ = true; }

  /// Each gives None where the call is not usual, and nothing has happened. False: it was sent, and
  /// its results are to be waited for elsewhere. `until` is a moment of the monotonic clock.
  py::object Step(const py::handle& action, const py::handle& env_id);
  py::object Send(const py::handle& action, const py::handle& env_id);
  py::object Recv(double until);
  /// What was given last has not reached the caller: it comes again.
  void TakeBack();

  bool busy() const { return busy_; }
  /// Environments on the way.
  int num_in_flight() const {
    int count = 0;
    for (const Lane& lane : lanes_) {
      for (const Request& request : lane.sent) count += request.rows();
    }
    return count;
  }
  /// Calls that were usual, since it was armed.
  std::int64_t count() const { return count_; }
  /// The lane and the environments of what was given last, and whether they were sent again; None
  /// if nothing was given.
  py::object last() const {
    if (last_ids_.empty()) return py::none();
    return py::make_tuple(last_lane_, Ids(last_ids_), last_sent_);
  }

 private:
  struct Answer {
    std::string head;
    std::vector<std::size_t> fields;
  };
  // The connection to an actor.
  struct Lane {
    int file = -1, first = 0, count = 0;
    bool local = false;
    std::map<std::pair<const void*, int>, std::string> heads;  // of requests, by chunk and rows
    std::map<std::pair<bool, int>, Answer> answers;  // by whether they are shared, and rows
    std::deque<Request> sent;
    std::vector<Request> last;                // what came last, of different environments
    std::vector<std::byte> out;               // what there was no room for
    std::vector<iovec> parts;                 // where a message that is coming goes
    std::vector<std::byte> head, tail, more;  // of it: its head, what stands between and behind
                                              // arrays, and what should not be there
    std::size_t have = 0;                     // bytes of it
    std::int64_t steps = 0;
    double seconds = 0;
  };
  // Says to a handler of a signal, which may call anything, that a call is going on.
  struct Running {
    explicit Running(bool& busy) : flag(busy) { flag = true; }
    ~Running() { flag = false; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    bool& flag;
  };

  static constexpr std::size_t kStart = 24, kPacket = 1 << 16, kAlign = 8;  // of _line.py
  static constexpr double kTick = 100;      // milliseconds between two looks at signals
  static constexpr double kPatience = 0.5;  // seconds without an answer, which Python looks into
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
  bool IsUsual() const { return !busy_ && !stuck_ && Now() < until_; }
  bool IsEverybody(const py::handle& env_id) const;
  // The ids of an asynchronous call, which are those of the results that came last.
  bool AreLast(const py::handle& action, const py::handle& env_id) const;
  Body Place(int rows);
  Body Copied(int rows);
  const std::string* Head(std::size_t lane, int rows, const Body& body);
  void Deliver(Lane& lane, Request& request, const std::string& head);
  bool SendToAll();
  template <typename Done>
  bool Wait(const Done& done, double until);
  void Flush(Lane& lane);
  bool Take(Lane& lane);
  void Prepare(Lane& lane, const Request& request, const Answer& answer);
  const Answer* Expected(const Lane& lane, const Request& request) const;
  py::object Receive(double until);
  py::object Give(std::size_t lane);
  py::object GiveAll();
  py::tuple Arrays(const Request& request);
  py::tuple Told(const Lane& lane, const Request& request);
  static bool Shares(const Lane& lane, const Body& body) { return lane.local && body.shared(); }
  static py::bytes Begun(const Lane& lane);

  Layout layout_;
  Actions actions_;
  const int batch_size_, chunk_rows_;
  py::object lease_, head_;
  std::vector<Lane> lanes_;
  int num_envs_ = 0;
  double until_ = 0;
  bool busy_ = false, stuck_ = false, retired_ = false;
  std::int64_t count_ = 0;
  std::vector<std::byte> action_;    // of the call
  std::vector<std::int32_t> local_;  // ids of a message
  std::vector<pollfd> polled_;
  std::vector<std::size_t> polled_lanes_;
  std::size_t turn_ = 0;            // the lane that is looked at first
  std::vector<std::size_t> given_;  // lanes of what was given last
  std::vector<std::int32_t> last_ids_;
  std::size_t last_lane_ = 0;
  bool last_sent_ = true;  // whether they were sent again
};

inline void Express::Arm(const py::list& requests, const py::object& last, double until) {
  for (const py::handle item : requests) {
    auto [lane, ids, action, place, sent, message] =
        item.cast<std::tuple<std::size_t, py::array_t<std::int32_t>, py::array, py::object, double,
                             py::object>>();
    Request request;
    request.ids.assign(ids.data(), ids.data() + ids.size());
    const auto* bytes = static_cast<const std::byte*>(action.data());
    request.action.assign(bytes, bytes + action.nbytes());
    if (place.is_none()) {
      request.body = Copied(request.rows());
    } else {
      const auto [chunk, memory, row] = place.cast<std::tuple<py::object, py::array, int>>();
      request.body = {.chunk = chunk,
                      .memory = memory,
                      .data = static_cast<std::byte*>(py::array(memory).mutable_data()),
                      .capacity = chunk_rows_,
                      .row = row};
    }
    request.sent = sent;
    request.delivered = true;
    request.message = message;
    lanes_.at(lane).sent.push_back(std::move(request));
  }
  until_ = until;
  stuck_ = false;
  count_ = 0;
  given_.clear();
  last_ids_.clear();
  if (last.is_none()) return;
  const auto [lane, ids] = last.cast<std::pair<std::size_t, py::array_t<std::int32_t>>>();
  last_lane_ = lane;
  last_ids_.assign(ids.data(), ids.data() + ids.size());
  last_sent_ = false;
}

inline py::tuple Express::Arrays(const Request& request) {
  py::tuple arrays(layout_.num_fields());
  for (std::size_t i = 0; i < layout_.num_fields(); ++i) {
    arrays[i] = layout_.Array(i, request.body, request.rows());
  }
  return arrays;
}

inline py::tuple Express::Told(const Lane& lane, const Request& request) {
  py::object place = py::none(), answer = py::none(), message = py::none();
  if (Shares(lane, request.body)) {
    place = py::make_tuple(request.body.chunk, request.body.memory, request.body.row);
  }
  if (request.answered) answer = Arrays(request);
  if (request.message) message = request.message;
  std::vector<py::ssize_t> shape{request.rows()};
  shape.insert(shape.end(), actions_.item().begin(), actions_.item().end());
  const py::array action(actions_.dtype(), shape, request.action.data());
  return py::make_tuple(Ids(request.ids), action, place, request.sent, message, request.delivered,
                        answer);
}

inline py::list Express::Settle() {
  py::list told;
  for (Lane& lane : lanes_) {
    py::list last, sent;
    for (const Request& request : lane.last) {
      last.append(py::make_tuple(Ids(request.ids), Arrays(request)));
    }
    for (const Request& request : lane.sent) sent.append(Told(lane, request));
    const py::bytes rest(reinterpret_cast<const char*>(lane.out.data()), lane.out.size());
    told.append(py::make_tuple(lane.steps, lane.seconds, last, sent, Begun(lane), rest));
  }
  for (Lane& lane : lanes_) {  // after all that may fail
    lane.last.clear();
    lane.sent.clear();
    lane.out.clear();
    lane.have = 0;
    lane.steps = 0;
    lane.seconds = 0;
  }
  until_ = 0;
  return told;
}

inline py::object Express::Step(const py::handle& action, const py::handle& env_id) {
  if (!synchronous()) {
    const py::object sent = Send(action, env_id);
    if (sent.is_none()) return sent;
    const py::object result = Receive(kForEver);
    return result.is_none() ? py::bool_(false) : result;
  }
  if (!IsUsual() || !IsEverybody(env_id)) return py::none();
  for (const Lane& lane : lanes_) {
    if (!lane.sent.empty()) return py::none();
  }
  if (!actions_.Read(action, num_envs_, action_)) return py::none();
  const Running running(busy_);
  if (!SendToAll()) return py::none();
  const auto all = [&] {
    return std::all_of(lanes_.begin(), lanes_.end(),
                       [](const Lane& lane) { return lane.sent.front().answered; });
  };
  if (!Wait(all, kForEver)) return py::bool_(false);
  return GiveAll();
}

inline py::object Express::Send(const py::handle& action, const py::handle& env_id) {
  if (synchronous() || !IsUsual() || !AreLast(action, env_id)) return py::none();
  const int rows = static_cast<int>(last_ids_.size());
  if (!actions_.Read(action, rows, action_)) return py::none();
  const Running running(busy_);
  Request request;
  request.body = Place(rows);
  const std::string* head = Head(last_lane_, rows, request.body);
  if (head == nullptr) return py::none();
  request.ids = last_ids_;
  request.action = action_;
  given_.clear();
  last_sent_ = true;
  Deliver(lanes_[last_lane_], request, *head);
  lanes_[last_lane_].sent.push_back(std::move(request));
  ++count_;
  return py::bool_(true);
}

inline py::object Express::Recv(double until) {
  if (synchronous() || !IsUsual()) return py::none();
  py::object result = Receive(until);
  if (!result.is_none()) ++count_;
  return result;
}

inline py::object Express::Receive(double until) {
  const Running running(busy_);
  std::size_t found = lanes_.size();
  const auto one = [&] {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const std::size_t at = (turn_ + i) % lanes_.size();
      if (lanes_[at].sent.empty() || !lanes_[at].sent.front().answered) continue;
      found = at;
      return true;
    }
    return false;
  };
  if (!Wait(one, until) || lanes_[found].sent.front().rows() != batch_size_) return py::none();
  turn_ = found + 1;
  return Give(found);
}

inline void Express::TakeBack() {
  for (const std::size_t at : given_) {
    Lane& lane = lanes_[at];
    lane.sent.push_front(std::move(lane.last.back()));
    lane.last.pop_back();
    lane.steps -= lane.sent.front().rows();
  }
  given_.clear();
  last_ids_.clear();
}

inline bool Express::IsEverybody(const py::handle& env_id) const {
  if (env_id.is_none()) return true;
  if (!py::isinstance<py::array_t<std::int32_t, py::array::c_style>>(env_id)) return false;
  const auto ids = py::reinterpret_borrow<py::array_t<std::int32_t>>(env_id);
  if (ids.ndim() != 1 || ids.size() != num_envs_) return false;
  for (int i = 0; i < num_envs_; ++i) {
    if (ids.data()[i] != i) return false;
  }
  return true;
}

inline bool Express::AreLast(const py::handle& action, const py::handle& env_id) const {
  if (last_sent_ || last_ids_.empty()) return false;
  const auto rows = static_cast<py::ssize_t>(last_ids_.size());
  if (env_id.is_none()) {  // as many as there are environments would be for all
    return rows != num_envs_ && py::isinstance<py::array>(action);
  }
  if (!py::isinstance<py::array_t<std::int32_t, py::array::c_style>>(env_id)) return false;
  const auto ids = py::reinterpret_borrow<py::array_t<std::int32_t>>(env_id);
  return ids.ndim() == 1 && ids.size() == rows &&
         std::equal(last_ids_.begin(), last_ids_.end(), ids.data());
}

// Memory for the results of a message, or of all.
inline Body Express::Place(int rows) {
  const py::object place = lease_(rows);
  if (place.is_none()) return Copied(rows);
  const auto& parts = static_cast<const py::tuple&>(place);
  auto memory = py::reinterpret_borrow<py::array>(parts[1]);
  auto* data = static_cast<std::byte*>(memory.mutable_data());
  return {.chunk = parts[0],
          .memory = std::move(memory),
          .data = data,
          .capacity = chunk_rows_,
          .row = 0};
}

// Memory for results that come in messages.
inline Body Express::Copied(int rows) {
  py::array_t<std::uint8_t> memory(static_cast<py::ssize_t>(layout_.bytes(rows)));
  auto* data = reinterpret_cast<std::byte*>(memory.mutable_data());
  return {.chunk = {}, .memory = std::move(memory), .data = data, .capacity = rows, .row = 0};
}

// The head of a message; null if there is none, or no room for the message in a packet.
inline const std::string* Express::Head(std::size_t at, int rows, const Body& body) {
  Lane& lane = lanes_[at];
  const bool shared = Shares(lane, body);
  std::string& head = lane.heads[{shared ? body.chunk.ptr() : nullptr, rows}];
  if (head.empty()) {
    const py::object made = head_(at, rows, shared ? body.chunk : py::object(py::none()), body.row);
    if (made.is_none() || !lane.answers.contains({shared, rows})) return nullptr;
    head = made.cast<std::string>();
  }
  const auto count = static_cast<std::size_t>(rows);
  const std::size_t size =
      head.size() + Aligned(count * sizeof(std::int32_t)) + Aligned(count * actions_.row_bytes());
  return size <= kPacket || !lane.local ? &head : nullptr;
}

// Sends a message, or leaves that to Python.
inline void Express::Deliver(Lane& lane, Request& request, const std::string& head) {
  local_.resize(Aligned(request.ids.size() * sizeof(std::int32_t)) / sizeof(std::int32_t));
  std::transform(request.ids.begin(), request.ids.end(), local_.begin(),
                 [&](std::int32_t id) { return id - lane.first; });
  const std::size_t fill = Aligned(request.action.size()) - request.action.size();
  std::byte zeros[kAlign] = {};
  iovec parts[] = {{const_cast<char*>(head.data()), head.size()},
                   {local_.data(), local_.size() * sizeof(std::int32_t)},
                   {request.action.data(), request.action.size()},
                   {zeros, fill}};
  msghdr packet{};
  packet.msg_iov = parts;
  packet.msg_iovlen = 4;
  request.sent = Now();
  if (stuck_) return;
  ssize_t count = 0;
  if (lane.out.empty()) {
    count = sendmsg(lane.file, &packet, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EAGAIN && !lane.local) count = 0;
  }
  request.delivered = count >= 0;
  stuck_ = !request.delivered;
  if (lane.local || stuck_) return;
  auto skipped = static_cast<std::size_t>(count);
  for (const iovec& part : parts) {
    const auto* bytes = static_cast<const std::byte*>(part.iov_base);
    const std::size_t skip = std::min(skipped, part.iov_len);
    lane.out.insert(lane.out.end(), bytes + skip, bytes + part.iov_len);
    skipped -= skip;
  }
}

// Sends what there was no room for; a lost connection is seen by who receives.
inline void Express::Flush(Lane& lane) {
  const ssize_t count =
      send(lane.file, lane.out.data(), lane.out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count > 0) lane.out.erase(lane.out.begin(), lane.out.begin() + count);
}

// A message to each actor, with its rows of the action; false if none was sent.
inline bool Express::SendToAll() {
  const Body all = Place(num_envs_);
  std::vector<const std::string*> heads;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Body body = all;
    body.row = lanes_[i].first;
    heads.push_back(Head(i, lanes_[i].count, body));
    if (heads.back() == nullptr) return false;
  }
  given_.clear();
  const std::size_t row_bytes = actions_.row_bytes();
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    Request& request = lane.sent.emplace_back();
    const auto count = static_cast<std::size_t>(lane.count);
    request.body = all;
    request.body.row = lane.first;
    request.ids.resize(count);
    for (int k = 0; k < lane.count; ++k) request.ids[static_cast<std::size_t>(k)] = lane.first + k;
    const std::byte* rows = action_.data() + row_bytes * static_cast<std::size_t>(lane.first);
    request.action.assign(rows, rows + row_bytes * count);
    Deliver(lane, request, *heads[i]);
  }
  ++count_;
  return true;
}

// Takes answers until it is done; false where Python has to look.
template <typename Done>
bool Express::Wait(const Done& done, double until) {
  double since = Now();
  while (!done()) {
    if (stuck_) return false;
    polled_.clear();
    polled_lanes_.clear();
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const bool waits = std::any_of(lanes_[i].sent.begin(), lanes_[i].sent.end(),
                                     [](const Request& request) { return !request.answered; });
      if (!waits) continue;
      const auto events =
          static_cast<std::int16_t>(lanes_[i].out.empty() ? POLLIN : POLLIN | POLLOUT);
      polled_.push_back({.fd = lanes_[i].file, .events = events, .revents = 0});
      polled_lanes_.push_back(i);
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
      if (retired_ || Now() >= std::min(until, since + kPatience)) return false;
      continue;
    }
    for (std::size_t i = 0; i < polled_.size(); ++i) {
      Lane& lane = lanes_[polled_lanes_[i]];
      if ((polled_[i].revents & POLLOUT) != 0) Flush(lane);
      if ((polled_[i].revents & ~POLLOUT) != 0 && !Take(lane)) {
        stuck_ = true;
        return false;
      }
    }
    since = Now();
  }
  return true;
}

// Takes what has come; false if it is not usual. Of a stream no more is taken than one message.
inline bool Express::Take(Lane& lane) {
  const auto request = std::find_if(lane.sent.begin(), lane.sent.end(),
                                    [](const Request& one) { return !one.answered; });
  const Answer* answer = request == lane.sent.end() ? nullptr : Expected(lane, *request);
  if (answer == nullptr) return false;
  if (lane.have == 0) Prepare(lane, *request, *answer);
  std::size_t size = 0;
  for (const iovec& part : lane.parts) size += part.iov_len;
  const std::size_t usual = size - lane.more.size();
  const std::size_t most = lane.local ? size : lane.have < kStart ? kStart : usual;
  std::vector<iovec> rest;
  std::size_t begin = 0;
  for (const iovec& part : lane.parts) {
    const std::size_t end = std::min(begin + part.iov_len, most);
    if (lane.have < end) {
      const std::size_t skip = std::max(lane.have, begin) - begin;
      rest.push_back({static_cast<std::byte*>(part.iov_base) + skip, end - begin - skip});
    }
    begin += part.iov_len;
    if (begin >= most) break;
  }
  msghdr into{};
  into.msg_iov = rest.data();
  into.msg_iovlen = rest.size();
  const ssize_t count = recvmsg(lane.file, &into, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (count <= 0) return false;
  lane.have += static_cast<std::size_t>(count);
  const std::size_t compared = std::min(lane.have, answer->head.size());
  if (std::memcmp(lane.head.data(), answer->head.data(), compared) != 0) return false;
  if (lane.have < usual) return true;
  if (lane.have > usual) return false;
  double seconds = 0;
  std::memcpy(&seconds, lane.tail.data() + lane.tail.size() - sizeof seconds, sizeof seconds);
  lane.seconds += seconds;
  lane.have = 0;
  request->answered = true;
  return true;
}

inline const Express::Answer* Express::Expected(const Lane& lane, const Request& request) const {
  const auto found = lane.answers.find({Shares(lane, request.body), request.rows()});
  return found == lane.answers.end() ? nullptr : &found->second;
}

// Says where an answer goes: its arrays to where they stay.
inline void Express::Prepare(Lane& lane, const Request& request, const Answer& answer) {
  const auto rows = static_cast<std::size_t>(request.rows());
  lane.head.resize(answer.head.size());
  lane.tail.resize(answer.fields.size() * kAlign + sizeof(double));
  lane.more.resize(lane.local ? kPacket : 0);
  lane.parts.clear();
  lane.parts.push_back({lane.head.data(), lane.head.size()});
  std::byte* fill = lane.tail.data();
  for (const std::size_t field : answer.fields) {
    const std::size_t bytes = layout_.row_bytes(field) * rows;
    lane.parts.push_back({layout_.Row(field, request.body), bytes});
    lane.parts.push_back({fill, Aligned(bytes) - bytes});
    fill += kAlign;
  }
  lane.parts.push_back({fill, sizeof(double)});
  lane.parts.push_back({lane.more.data(), lane.more.size()});
}

inline py::bytes Express::Begun(const Lane& lane) {
  std::string bytes;
  for (const iovec& part : lane.parts) {
    const std::size_t count = std::min(part.iov_len, lane.have - bytes.size());
    bytes.append(static_cast<const char*>(part.iov_base), count);
  }
  return {bytes};
}

inline py::object Express::Give(std::size_t at) {
  Lane& lane = lanes_[at];
  const Request& front = lane.sent.front();
  py::object result = layout_.Build(front.body, front.rows());
  std::erase_if(lane.last, [&](const Request& old) { return old.ids == front.ids; });
  last_ids_ = front.ids;
  last_lane_ = at;
  last_sent_ = false;
  lane.steps += front.rows();
  lane.last.push_back(std::move(lane.sent.front()));
  lane.sent.pop_front();
  given_.assign(1, at);
  return result;
}

inline py::object Express::GiveAll() {
  Body all = lanes_.front().sent.front().body;
  all.row = 0;
  py::object result = layout_.Build(all, num_envs_);
  given_.clear();
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    lane.last.clear();
    lane.steps += lane.count;
    lane.last.push_back(std::move(lane.sent.front()));
    lane.sent.pop_front();
    given_.push_back(i);
  }
  return result;
}

}  // namespace envpool_ray
