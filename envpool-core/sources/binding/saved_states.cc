// SPDX-License-Identifier: Apache-2.0
// The part of CompiledPool that saves and loads states, and passes on calls of environments.
#include <cstddef>
#include <string>
#include <vector>

#include "compiled_pool.h"
#include "envpool/binding/gil.h"
#include "envpool/engine/env_calls.h"
#include "envpool/error.h"

namespace envpool::python {

Object CompiledPool::SaveState(PyObject* env_ids) {
  const PoolCalls::Use use(*calls_);
  const Ids ids = arguments_.ParseIds(env_ids, "save_state(env_ids)");
  std::vector<std::string> saved;
  {
    const GilRelease release;
    for (int i = 0; i < ids.count; ++i) {
      saved.push_back(pool_->SaveState(ids.at(i)));
    }
  }
  const Object states = Checked(PyList_New(ids.count));
  Py_ssize_t i = 0;
  for (const std::string& state : saved) {
    const auto size = static_cast<Py_ssize_t>(state.size());
    PyList_SET_ITEM(states.get(), i++,
                    Checked(PyBytes_FromStringAndSize(state.data(), size)).release());
  }
  return states;
}

void CompiledPool::LoadState(PyObject* states, PyObject* env_ids) {
  const PoolCalls::Use use(*calls_);
  const Ids ids = arguments_.ParseIds(env_ids, "load_state(states, env_ids)");
  if (PyList_GET_SIZE(states) != ids.count) {
    throw Error(ErrorKind::kSavedState, "load_state of " + task_id(),
                std::to_string(PyList_GET_SIZE(states)) + " states",
                std::to_string(ids.count) + " states, one for each env id",
                "pass as many states as ids");
  }
  std::vector<std::string> fresh, old;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(states); ++i) {
    PyObject* state = PyList_GET_ITEM(states, i);
    if (PyBytes_Check(state) == 0) {
      throw Error(ErrorKind::kSavedState, "load_state of " + task_id(), Repr(state), "bytes",
                  "pass what save_state returned");
    }
    fresh.emplace_back(PyBytes_AS_STRING(state), static_cast<std::size_t>(PyBytes_GET_SIZE(state)));
  }
  const GilRelease release;
  for (int i = 0; i < ids.count; ++i) {
    pool_->CheckIdle(ids.at(i), "load_state");
    old.push_back(pool_->SaveState(ids.at(i)));
  }
  int loading = 0;
  try {
    for (; loading < ids.count; ++loading) {
      pool_->LoadState(ids.at(loading), fresh[static_cast<std::size_t>(loading)]);
    }
  } catch (const Error&) {
    for (; loading >= 0; --loading) {
      pool_->LoadState(ids.at(loading), old[static_cast<std::size_t>(loading)]);
    }
    throw;
  }
}

Object CompiledPool::Call(PyObject* env_ids, PyObject* requests) {
  const PoolCalls::Use use(*calls_);
  const Ids ids = arguments_.ParseIds(env_ids, "call(env_ids, requests)");
  if (PyList_GET_SIZE(requests) != ids.count) {
    throw Error(ErrorKind::kConfig, "call of " + task_id(),
                std::to_string(PyList_GET_SIZE(requests)) + " requests",
                std::to_string(ids.count) + ", one for each env id",
                "pass as many requests as ids");
  }
  std::vector<int> asked;
  std::vector<std::string> texts;
  for (int i = 0; i < ids.count; ++i) {
    PyObject* request = PyList_GET_ITEM(requests, i);
    if (PyBytes_Check(request) == 0) {
      throw Error(ErrorKind::kConfig, "call of " + task_id(), Repr(request), "bytes",
                  "pass what the family's own methods pass");
    }
    pool_->CheckIdle(ids.at(i), "call");
    asked.push_back(ids.at(i));
    texts.emplace_back(PyBytes_AS_STRING(request),
                       static_cast<std::size_t>(PyBytes_GET_SIZE(request)));
  }
  std::vector<std::string> answers;
  {
    GilRelease release;
    answers = CallEnvs(pool_->envs(), pool_->options(), asked, texts,
                       [&release] { release.WithGil(CheckSignals); });
  }
  const Object list = Checked(PyList_New(ids.count));
  Py_ssize_t i = 0;
  for (const std::string& answer : answers) {
    const auto size = static_cast<Py_ssize_t>(answer.size());
    PyList_SET_ITEM(list.get(), i++,
                    Checked(PyBytes_FromStringAndSize(answer.data(), size)).release());
  }
  return list;
}

}  // namespace envpool::python
