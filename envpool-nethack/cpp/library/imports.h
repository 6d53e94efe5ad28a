// SPDX-License-Identifier: Apache-2.0
// Imports of libnethack.so that are functions of ours: those of time, memory, files, and what would
// end or change the process. They act on the game that runs in the calling thread.
#pragma once

namespace envpool::nethack {

/// What the library gets in place of an import; null where it gets the system's own.
const void* ReplacedImport(const char* name);

}  // namespace envpool::nethack
