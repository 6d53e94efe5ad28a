// SPDX-License-Identifier: Apache-2.0
// The elements of a model before it is compiled, as lists, so that elements may be deleted.
#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <vector>

#include "envpool/error.h"

namespace envpool::myosuite::detail {

inline std::string NameOf(mjsElement* element) { return mjs_getString(mjs_getName(element)); }

inline void SetName(mjsElement* element, const std::string& name) {
  mjs_setName(element, name.c_str());
}

/// The elements of a kind that belong to a body directly.
inline std::vector<mjsElement*> ChildrenOf(mjsBody* body, mjtObj kind) {
  std::vector<mjsElement*> found;
  for (mjsElement* one = mjs_firstChild(body, kind, 0); one != nullptr;
       one = mjs_nextChild(body, one, 0)) {
    found.push_back(one);
  }
  return found;
}

/// All elements of a kind.
inline std::vector<mjsElement*> ElementsOf(const mjSpec& spec, mjtObj kind) {
  std::vector<mjsElement*> found;
  for (mjsElement* one = mjs_firstElement(&spec, kind); one != nullptr;
       one = mjs_nextElement(&spec, one)) {
    found.push_back(one);
  }
  return found;
}

/// The body of this name. Throws OptionError if there is none.
inline mjsBody* BodyNamed(const mjSpec& spec, const std::string& name) {
  mjsBody* const body = mjs_findBody(&spec, name.c_str());
  if (body != nullptr) return body;
  throw OptionError("xml_file", "a model without a body '" + name + "'",
                    "models that have it, as the task's own", "name a body of the model so");
}

}  // namespace envpool::myosuite::detail
