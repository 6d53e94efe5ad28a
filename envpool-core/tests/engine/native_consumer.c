// SPDX-License-Identifier: Apache-2.0
// A program in C that uses a pool, for test_engine_native.py: what c_pool.h says, and no Python.
#include <envpool/c_pool.h>
#include <stdlib.h>
#include <string.h>

static int32_t Find(const EnvPoolC* pool, const char* name) {
  for (int32_t i = 0; i < pool->num_state_arrays; ++i) {
    if (strcmp(pool->state_arrays[i].name, name) == 0) return i;
  }
  return -1;
}

static EnvPoolBuffer* Wanted(const EnvPoolC* pool, const char* name, int32_t dtype, void* data) {
  EnvPoolBuffer* results = calloc((size_t)pool->num_state_arrays, sizeof(EnvPoolBuffer));
  const int32_t array = Find(pool, name);
  if (array >= 0) results[array] = (EnvPoolBuffer){.data = data, .dtype = dtype};
  return results;
}

int32_t describe(const EnvPoolC* pool, const char* name, int64_t* size) {
  const int32_t array = Find(pool, name);
  *size = array < 0 ? -1 : pool->state_arrays[array].size;
  return array < 0 ? -1 : pool->state_arrays[array].dtype;
}

int32_t header(const EnvPoolC* pool, int32_t* numbers) {
  numbers[0] = (int32_t)pool->version;
  numbers[1] = pool->size == sizeof(EnvPoolC);
  numbers[2] = pool->num_envs;
  numbers[3] = pool->batch_size;
  numbers[4] = pool->num_action_arrays;
  return strcmp(pool->action_arrays[0].name, "action") == 0;
}

int32_t reset(const EnvPoolC* pool, const int32_t* ids, int32_t rows, const int64_t* seeds) {
  return pool->reset(pool, ids, rows, seeds);
}

int32_t send_actions(const EnvPoolC* pool, const int32_t* ids, int32_t rows, void* action,
                     int32_t dtype) {
  EnvPoolBuffer buffer = {.data = action, .dtype = dtype};
  return pool->send(pool, ids, rows, &buffer);
}

int32_t receive(const EnvPoolC* pool, double timeout, int32_t capacity, const char* name,
                int32_t dtype, void* data, int32_t* rows) {
  EnvPoolBuffer* results = Wanted(pool, name, dtype, data);
  const int32_t status = pool->recv(pool, timeout, capacity, results, rows);
  free(results);
  return status;
}

int32_t step(const EnvPoolC* pool, const int32_t* ids, int32_t sent, void* action, int32_t dtype,
             int32_t capacity, const char* name, int32_t result_dtype, void* data, int32_t* rows) {
  EnvPoolBuffer buffer = {.data = action, .dtype = dtype};
  EnvPoolBuffer* results = Wanted(pool, name, result_dtype, data);
  const int32_t status = pool->step(pool, ids, sent, &buffer, capacity, results, rows);
  free(results);
  return status;
}

/// Plays on with whatever comes first, and counts the results of each environment.
int32_t play(const EnvPoolC* pool, int32_t batches, int64_t* counts) {
  const size_t rows = (size_t)pool->batch_size;
  int32_t* ids = malloc(rows * sizeof(int32_t));
  int32_t* actions = calloc(rows, sizeof(int32_t));
  int32_t status = ENVPOOL_OK, received = 0;
  for (int32_t i = 0; i < batches && status == ENVPOOL_OK; ++i) {
    status = receive(pool, -1, pool->batch_size, "info:env_id", ENVPOOL_INT32, ids, &received);
    for (int32_t row = 0; row < received; ++row) ++counts[ids[row]];
    if (status == ENVPOOL_OK) status = send_actions(pool, NULL, received, actions, ENVPOOL_INT32);
  }
  free(ids);
  free(actions);
  return status;
}

const char* text(const EnvPoolC* pool) { return pool->error(); }
void retain(const EnvPoolC* pool) { pool->retain(pool); }
void release(const EnvPoolC* pool) { pool->release(pool); }
