// SPDX-License-Identifier: Apache-2.0
// How many CPUs this process may use, which one a thread runs on, and how a thread is bound to one.
// On systems that cannot tell or be told, as macOS, nothing happens.
#pragma once

#include <string>

namespace envpool {

/// CPUs that the cgroups of this process leave it, rounded up; 0 where there is no limit. `root` is
/// the folder where cgroups are mounted, `self` the file that names the cgroups of this process.
int CgroupCpus(const std::string& root = "/sys/fs/cgroup",
               const std::string& self = "/proc/self/cgroup");
/// CPUs that this process may use: by affinity and cgroup; at least 1.
int UsableCpus();
/// Binds this thread to one of the CPUs that it may use, counted from 0 and round again; a refusal
/// leaves it unbound.
void BindToCpu(int index);

}  // namespace envpool
