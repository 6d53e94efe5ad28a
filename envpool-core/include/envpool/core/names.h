// SPDX-License-Identifier: Apache-2.0
// The names of the EnvPool documentation in the global namespace, where its pages use them.
//
// The documentation's pages include the paths in this folder, so an environment that was written
// after them compiles unchanged. Each path includes headers one folder up. New code includes
// <envpool/env.h> and stays in namespace envpool.
#pragma once

#include "envpool/array.h"
#include "envpool/env.h"
#include "envpool/logging.h"

using envpool::Array;
using envpool::ConcatDict;
using envpool::Container;
using envpool::Dict;
using envpool::Env;
using envpool::EnvSpec;
using envpool::MakeDict;
using envpool::RenderableEnv;
using envpool::ShapeSpec;
using envpool::Spec;
using envpool::TArray;
using namespace envpool::literals;  // "name"_
