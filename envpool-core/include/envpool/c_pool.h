// SPDX-License-Identifier: Apache-2.0
// EnvPoolC: a pool for programs that can call C, without Python and without the GIL.
//
// In Python `pool.c_pool()` returns a capsule named ENVPOOL_C_CAPSULE that holds a pointer to one:
//
//   const EnvPoolC* p = PyCapsule_GetPointer(capsule, ENVPOOL_C_CAPSULE);
//   if (p->version < 1) ...                            // made by an older EnvPool
//   p->retain(p);                                      // it may outlive the capsule
//   ...                                                // from here on without the GIL
//   EnvPoolBuffer action = {ENVPOOL_INT32, numbers};   // one for each of p->action_arrays
//   EnvPoolBuffer results[MOST] = {0};                 // one for each of p->state_arrays
//   results[4].dtype = ENVPOOL_FLOAT32;                // those without data are left out
//   results[4].data = rewards;
//   if (p->step(p, NULL, p->num_envs, &action, p->num_envs, results, &rows) != ENVPOOL_OK) {
//     puts(p->error());
//   }
//   p->release(p);
//
// All memory is the caller's: actions are copied before a call returns, and results are copied
// into it. Calls may come from any thread; a pool serves one call at a time, Python's calls
// included. The order of calls of several threads is not defined.
#ifndef ENVPOOL_C_POOL_H_
#define ENVPOOL_C_POOL_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ENVPOOL_C_CAPSULE "envpool.c_pool"
/// Grows when fields are added at the end of EnvPoolC. Older fields stay as they are.
#define ENVPOOL_C_VERSION 1

/// Types of numbers.
enum {
  ENVPOOL_BOOL = 0,
  ENVPOOL_INT8 = 1,
  ENVPOOL_UINT8 = 2,
  ENVPOOL_INT16 = 3,
  ENVPOOL_UINT16 = 4,
  ENVPOOL_INT32 = 5,
  ENVPOOL_UINT32 = 6,
  ENVPOOL_INT64 = 7,
  ENVPOOL_UINT64 = 8,
  ENVPOOL_FLOAT32 = 9,
  ENVPOOL_FLOAT64 = 10
};

/// The outcome of a call; the names are those of Python's exceptions in envpool.errors.
enum {
  ENVPOOL_OK = 0,
  ENVPOOL_CONFIG_ERROR = 1,
  ENVPOOL_ACTION_ERROR = 2,
  ENVPOOL_ENV_ID_ERROR = 3,
  ENVPOOL_STATE_ERROR = 4,
  ENVPOOL_TIMEOUT_ERROR = 5,
  ENVPOOL_WORKER_ERROR = 6,
  ENVPOOL_OTHER_ERROR = 7  ///< out of memory, or a mistake of EnvPool's
};

/// An array of the state or the action, as one environment has it. A result has one row of this
/// shape for each environment of a batch.
typedef struct EnvPoolArray {
  const char* name;      ///< as "obs", "reward", "info:env_id"; "final obs": at the end of an
                         ///< episode that ended in this row, with autoreset_mode "same_step"
  const int64_t* shape;  ///< `rank` sizes
  int64_t size;          ///< their product: numbers of one row
  int32_t rank;
  int32_t dtype;
} EnvPoolArray;

/// Numbers of the caller's, row after row without gaps.
typedef struct EnvPoolBuffer {
  void* data;  ///< null: this array is not wanted
  int32_t dtype;
  int32_t reserved;  ///< 0
} EnvPoolBuffer;

typedef struct EnvPoolC {
  uint32_t version;  ///< ENVPOOL_C_VERSION of the EnvPool that made it
  uint32_t size;     ///< sizeof(EnvPoolC) there
  void* owner;       ///< EnvPool's own

  const char* task_id;
  int32_t num_envs;
  int32_t batch_size;  ///< rows of a batch; less than num_envs: the pool is asynchronous
  int32_t num_state_arrays;
  int32_t num_action_arrays;
  const EnvPoolArray* state_arrays;
  const EnvPoolArray* action_arrays;

  /// Keeps this struct until `release` was called as often. It does not keep the pool: once Python
  /// has dropped that, calls answer ENVPOOL_STATE_ERROR.
  void (*retain)(const struct EnvPoolC*);
  void (*release)(const struct EnvPoolC*);

  /// Sends actions to `rows` environments and returns at once. `env_ids` null: to all of them,
  /// if rows == num_envs, else to those whose results came last. `actions` has one buffer for each
  /// of `action_arrays`; any dtype does from which nothing is lost.
  int32_t (*send)(const struct EnvPoolC*, const int32_t* env_ids, int32_t rows,
                  const EnvPoolBuffer* actions);
  /// Waits for a batch, for `timeout` seconds at most, for ever if it is negative, and copies it
  /// into `results`, which has one buffer for each of `state_arrays`, with room for `capacity`
  /// rows. The dtype is the array's own, or for one of 64 bits that of 32 bits. `rows`: how many
  /// rows there are. Too few environments in flight, or too little room, is ENVPOOL_STATE_ERROR; as
  /// after a timeout, nothing is lost.
  int32_t (*recv)(const struct EnvPoolC*, double timeout, int32_t capacity,
                  const EnvPoolBuffer* results, int32_t* rows);
  /// `send` and then `recv` without a limit. A synchronous pool may step in the calling thread.
  int32_t (*step)(const struct EnvPoolC*, const int32_t* env_ids, int32_t rows,
                  const EnvPoolBuffer* actions, int32_t capacity, const EnvPoolBuffer* results,
                  int32_t* rows_received);
  /// Starts episodes in `rows` environments, null: in all; `recv` has the results. `seeds` null:
  /// their generators go on.
  int32_t (*reset)(const struct EnvPoolC*, const int32_t* env_ids, int32_t rows,
                   const int64_t* seeds);
  /// The error text of this thread's last call that failed; UTF-8, valid until its next call.
  const char* (*error)(void);
} EnvPoolC;

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ENVPOOL_C_POOL_H_
