// SPDX-License-Identifier: Apache-2.0
// Imports of libnethack.so that are replaced by our functions: time, memory, files, and calls that
// would end or change the process. They act on the game of the calling thread.
#pragma once

namespace envpool::nethack {

/// The replacement of an import; null if the library gets the system's own.
const void* ReplacedImport(const char* name);

}  // namespace envpool::nethack
