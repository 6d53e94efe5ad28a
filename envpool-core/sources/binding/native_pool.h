// SPDX-License-Identifier: Apache-2.0
// NativePool: the object behind an EnvPoolC, the pool that programs call without Python.
//
// It lives until its last user releases it, and the pool lives until Python drops it. The one that
// ends first shuts a gate between them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "envpool/c_pool.h"
#include "envpool/engine/action_table.h"
#include "envpool/engine/batch.h"
#include "envpool/engine/columns.h"
#include "pool_calls.h"
#include "result_memory.h"

namespace envpool::python {

/// The gate between a pool and programs that call it without Python. It outlives the pool.
struct NativeGate {
  NativeGate(PoolCalls& calls_of, ResultMemory& memory_of) : calls(&calls_of), memory(&memory_of) {}
  /// Makes waiting calls return, and returns when no call is inside. The pool may be destroyed
  /// then.
  void Shut();

  std::shared_mutex mutex;           ///< held, shared, by every call that is inside
  PoolCalls* calls;                  ///< null: the pool is gone
  ResultMemory* memory;              ///< the memory of the pool
  std::atomic<bool> closing{false};  ///< calls that wait shall leave
};

class NativePool {
 public:
  explicit NativePool(std::shared_ptr<NativeGate> gate);
  NativePool(const NativePool&) = delete;
  NativePool& operator=(const NativePool&) = delete;

  const EnvPoolC& c() const { return c_; }

 private:
  struct Inside;  // a call that has passed the gate

  static NativePool& Of(const EnvPoolC* c) { return *static_cast<NativePool*>(c->owner); }
  static void Retain(const EnvPoolC* c) { ++Of(c).references_; }
  static void Release(const EnvPoolC* c) {
    NativePool* self = &Of(c);
    if (--self->references_ == 0) delete self;
  }
  static std::string& LastError() {
    thread_local std::string text;
    return text;
  }
  // The status of a call, with the text of its exception kept.
  template <typename Call>
  static std::int32_t Guard(const Call& call) noexcept;

  void Send(PoolCalls& calls, const std::int32_t* env_ids, int rows, const EnvPoolBuffer* actions,
            bool then_recv);
  void CheckBuffers(int rows, int capacity, const EnvPoolBuffer* results) const;
  // Throws where Python drops the pool meanwhile.
  void LeaveIfClosing(const char* call) const;
  void WriteAction(Pool& pool, std::size_t key, const EnvPoolBuffer& from, const ActionRows& rows);
  int Recv(PoolCalls& calls, bool newest, double timeout, int capacity,
           const EnvPoolBuffer* results) const;
  void Reset(PoolCalls& calls, const std::int32_t* env_ids, int rows,
             const std::int64_t* seeds) const;
  void Copy(const Batch& batch, std::size_t array, int rows, const EnvPoolBuffer& to) const;
  void Describe(const Columns& layout, std::size_t begin, bool final,
                std::vector<EnvPoolArray>& arrays);
  const int* IdsFor(const Pool& pool, const std::int32_t* env_ids, int rows) const;

  std::shared_ptr<NativeGate> gate_;
  const std::string task_id_;
  const OwnProcess process_;
  std::deque<std::string> names_;
  std::deque<std::vector<std::int64_t>> shapes_;
  std::vector<EnvPoolArray> state_, action_;
  std::vector<std::pair<std::size_t, bool>> columns_;  // of each state array: which, and if final
  std::vector<std::int64_t> wide_;                     // actions of a type that the engine lacks
  std::atomic<int> references_{1};
  EnvPoolC c_{};
};

}  // namespace envpool::python
