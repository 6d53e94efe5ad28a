// SPDX-License-Identifier: Apache-2.0
#include "xla.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "envpool/c_pool.h"

namespace envpool::python {

namespace xla {

struct Extension {
  std::size_t struct_size;
  int type;
  Extension* next;
};
constexpr int kMetadataExtension = 1;

struct Version {
  std::size_t struct_size;
  Extension* extensions;
  int major, minor;
};
constexpr int kMajor = 0;

// How a library asks a custom call for which version it was written.
struct Metadata {
  std::size_t struct_size;
  Version version;
  std::uint32_t traits;
};
struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};

struct Error;
struct ErrorArgs {
  std::size_t struct_size;
  Extension* extensions;
  const char* message;
  int code;
};
constexpr int kFailedPrecondition = 9;

struct Api {
  std::size_t struct_size;
  Extension* extensions;
  Version version;
  const void* internal;
  Error* (*create_error)(ErrorArgs*);
};

struct Buffer {
  std::size_t struct_size;
  Extension* extensions;
  int dtype;
  void* data;
  std::int64_t rank;
  std::int64_t* dims;
};

// Arguments or results: `size` of them, all buffers.
struct Buffers {
  std::size_t struct_size;
  Extension* extensions;
  std::int64_t size;
  int* types;
  Buffer** buffers;
};

struct CallFrame {
  std::size_t struct_size;
  Extension* extensions;
  const Api* api;
  void* context;
  int stage;
  Buffers arguments, results;
};
constexpr int kExecute = 3;  // the stage

}  // namespace xla

/// A pool that programs of XLA know by a number.
struct XlaPool {
  XlaPool(const EnvPoolC* pool, std::vector<std::size_t> shown)
      : c(pool), columns(std::move(shown)) {
    c->retain(c);
  }
  ~XlaPool() { c->release(c); }
  XlaPool(const XlaPool&) = delete;
  XlaPool& operator=(const XlaPool&) = delete;

  const EnvPoolC* c;
  std::vector<std::size_t> columns;  ///< state arrays in the order of a call's results
};

namespace {

class XlaPools {
 public:
  static XlaPools& Get() {
    static auto* pools = new XlaPools;  // for threads that end after the process has begun to
    return *pools;
  }
  std::uint64_t Add(std::shared_ptr<XlaPool> pool) {
    const std::lock_guard lock(mutex_);
    pools_[++last_] = std::move(pool);
    return last_;
  }
  void Remove(std::uint64_t number) {
    std::shared_ptr<XlaPool> removed;
    const std::lock_guard lock(mutex_);
    const auto found = pools_.find(number);
    if (found == pools_.end()) return;
    removed = std::move(found->second);
    pools_.erase(found);
  }
  std::shared_ptr<XlaPool> Find(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = pools_.find(number);
    return found == pools_.end() ? nullptr : found->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<XlaPool>> pools_;
  std::uint64_t last_ = 0;
};

/// Our number for XLA's; -1 for a type that no array has.
std::int32_t XlaDtype(int dtype) {
  switch (dtype) {
    case 1:
      return ENVPOOL_BOOL;
    case 2:
      return ENVPOOL_INT8;
    case 3:
      return ENVPOOL_INT16;
    case 4:
      return ENVPOOL_INT32;
    case 5:
      return ENVPOOL_INT64;
    case 6:
      return ENVPOOL_UINT8;
    case 7:
      return ENVPOOL_UINT16;
    case 8:
      return ENVPOOL_UINT32;
    case 9:
      return ENVPOOL_UINT64;
    case 11:
      return ENVPOOL_FLOAT32;
    case 12:
      return ENVPOOL_FLOAT64;
    default:
      return -1;
  }
}

enum class XlaCall { kSend, kRecv, kStep };

std::int32_t XlaRows(const xla::Buffer& buffer) {
  return buffer.rank == 0 ? 1 : static_cast<std::int32_t>(buffer.dims[0]);
}

/// Runs a call. The result is an error in words, empty where there is none.
template <XlaCall kCall>
std::string XlaRun(const xla::Buffers& arguments, const xla::Buffers& results) {
  if (arguments.size < 1 || results.size < 1) return "a custom call of EnvPool without a handle";
  std::uint64_t number = 0;
  std::memcpy(&number, arguments.buffers[0]->data, sizeof(number));
  const std::shared_ptr<XlaPool> pool = XlaPools::Get().Find(number);
  if (pool == nullptr) {
    return "the handle is of no pool that lives: keep the pool for as long as programs use it";
  }
  const EnvPoolC* c = pool->c;
  thread_local std::vector<EnvPoolBuffer> in, out;
  const std::int32_t* env_ids = nullptr;
  std::int32_t rows = 0;
  if constexpr (kCall != XlaCall::kRecv) {
    const std::int64_t extra = arguments.size - 1 - c->num_action_arrays;
    if (extra != 0 && extra != 1) return "a custom call of EnvPool with too many arguments";
    in.clear();
    for (std::int32_t i = 0; i < c->num_action_arrays; ++i) {
      const xla::Buffer& buffer = *arguments.buffers[1 + i];
      in.push_back({.data = buffer.data, .dtype = XlaDtype(buffer.dtype), .reserved = 0});
      rows = XlaRows(buffer);
    }
    if (extra == 1) {
      const xla::Buffer& ids = *arguments.buffers[arguments.size - 1];
      env_ids = static_cast<const std::int32_t*>(ids.data);
      rows = XlaRows(ids);
    }
  }
  std::int32_t room = 0;
  if constexpr (kCall != XlaCall::kSend) {
    if (results.size != static_cast<std::int64_t>(pool->columns.size()) + 1) {
      return "a custom call of EnvPool with another number of results than the pool has";
    }
    out.assign(static_cast<std::size_t>(c->num_state_arrays), {});
    for (std::size_t i = 0; i < pool->columns.size(); ++i) {
      const xla::Buffer& buffer = *results.buffers[i + 1];
      out[pool->columns[i]] = {.data = buffer.data, .dtype = XlaDtype(buffer.dtype), .reserved = 0};
      room = XlaRows(buffer);
    }
  }
  std::int32_t status = ENVPOOL_OK, received = room;
  if constexpr (kCall == XlaCall::kSend) {
    status = c->send(c, env_ids, rows, in.data());
  } else if constexpr (kCall == XlaCall::kRecv) {
    status = c->recv(c, -1, room, out.data(), &received);
  } else {
    status = c->step(c, env_ids, rows, in.data(), room, out.data(), &received);
  }
  if (status != ENVPOOL_OK) return c->error();
  if (received != room) {
    return "recv of " + std::string(c->task_id) + ": got " + std::to_string(received) +
           " rows where the program was compiled for " + std::to_string(room);
  }
  if (results.buffers[0]->data != arguments.buffers[0]->data) {
    std::memcpy(results.buffers[0]->data, &number, sizeof(number));
  }
  return "";
}

template <XlaCall kCall>
xla::Error* XlaHandler(xla::CallFrame* frame) {
  for (xla::Extension* at = frame->extensions; at != nullptr; at = at->next) {
    if (at->type != xla::kMetadataExtension) continue;
    xla::Metadata& metadata = *reinterpret_cast<xla::MetadataExtension*>(at)->metadata;
    metadata.version.major = xla::kMajor;
    // Every minor version has all that is used here. jaxlib up to 0.7 does not say which it has,
    // takes no other, and has 1.
    metadata.version.minor = frame->api == nullptr ? 1 : frame->api->version.minor;
    metadata.traits = 0;
    return nullptr;
  }
  if (frame->stage != xla::kExecute) return nullptr;
  std::string wrong;
  try {
    wrong = XlaRun<kCall>(frame->arguments, frame->results);
  } catch (const std::exception& error) {
    wrong = error.what();
  }
  if (wrong.empty()) return nullptr;
  xla::ErrorArgs args{.struct_size = sizeof(xla::ErrorArgs),
                      .extensions = nullptr,
                      .message = wrong.c_str(),
                      .code = xla::kFailedPrecondition};
  return frame->api->create_error(&args);
}

}  // namespace

Object XlaHandlers() {
  const Object handlers = Checked(PyDict_New());
  const auto add = [&](const char* name, auto* handler) {
    const Object capsule =
        Checked(PyCapsule_New(reinterpret_cast<void*>(handler), nullptr, nullptr));
    Check(PyDict_SetItemString(handlers.get(), name, capsule.get()));
  };
  add("send", &XlaHandler<XlaCall::kSend>);
  add("recv", &XlaHandler<XlaCall::kRecv>);
  add("step", &XlaHandler<XlaCall::kStep>);
  return handlers;
}

Object XlaRegister(PyObject* c_pool, const std::vector<std::string>& arrays) {
  const auto* c = static_cast<const EnvPoolC*>(PyCapsule_GetPointer(c_pool, ENVPOOL_C_CAPSULE));
  if (c == nullptr) throw Raised();
  std::vector<std::size_t> columns;
  for (const std::string& name : arrays) {
    const EnvPoolArray* const end = c->state_arrays + c->num_state_arrays;
    const EnvPoolArray* const found = std::find_if(
        c->state_arrays, end, [&](const EnvPoolArray& array) { return array.name == name; });
    if (found == end) {
      PyErr_SetObject(PyExc_KeyError, SafeText(name).get());
      throw Raised();
    }
    columns.push_back(static_cast<std::size_t>(found - c->state_arrays));
  }
  const std::uint64_t number =
      XlaPools::Get().Add(std::make_shared<XlaPool>(c, std::move(columns)));
  auto kept = std::make_unique<std::uint64_t>(number);
  Object keeper = Checked(PyCapsule_New(kept.get(), nullptr, [](PyObject* capsule) {
    const std::unique_ptr<std::uint64_t> own(
        static_cast<std::uint64_t*>(PyCapsule_GetPointer(capsule, nullptr)));
    XlaPools::Get().Remove(*own);
  }));
  static_cast<void>(kept.release());
  return Tuple(Checked(PyLong_FromUnsignedLongLong(number)), std::move(keeper));
}

}  // namespace envpool::python
