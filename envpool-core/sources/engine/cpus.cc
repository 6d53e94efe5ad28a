// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/cpus.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <thread>

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#elif defined(_WIN32)
#include <bit>
#include <cstdint>
// Declared here, because <windows.h> defines macros as ERROR and min.
extern "C" {
__declspec(dllimport) void* __stdcall GetCurrentProcess();
__declspec(dllimport) void* __stdcall GetCurrentThread();
__declspec(dllimport) int __stdcall GetProcessAffinityMask(void*, std::uintptr_t*, std::uintptr_t*);
__declspec(dllimport) std::uintptr_t __stdcall SetThreadAffinityMask(void*, std::uintptr_t);
}
#endif

namespace envpool {

int CgroupCpus(const std::string& root, const std::string& self) {
  double least = 0;
  const auto limit = [&](double quota, double period) {
    if (!(quota > 0) || !(period > 0)) return;
    const double cpus = quota / period;
    least = least > 0 ? std::min(least, cpus) : cpus;
  };
  const auto number = [](const std::string& path) {
    double value = -1;
    std::ifstream(path) >> value;
    return value;
  };
  std::ifstream groups(self);
  for (std::string line; std::getline(groups, line);) {
    // "0::/a/b" in version 2, "4:cpu,cpuacct:/a/b" in version 1.
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool v2 = controllers == ",,";
    if (!v2 && controllers.find(",cpu,") == std::string::npos) continue;
    const std::string mount = v2 ? root : root + "/cpu";
    // The limit of a group holds for the groups in it. Inside a container the path may be the
    // host's: then only the mount itself exists.
    for (std::string path = line.substr(second + 1);;) {
      if (v2) {
        std::ifstream file(mount + path + "/cpu.max");
        std::string quota;
        double period = 0;
        if (file >> quota >> period && quota != "max") limit(std::atof(quota.c_str()), period);
      } else {
        limit(number(mount + path + "/cpu.cfs_quota_us"),
              number(mount + path + "/cpu.cfs_period_us"));
      }
      if (path.empty()) break;
      path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
  }
  return static_cast<int>(std::ceil(least));
}

#ifdef _WIN32
namespace detail {

/// A bit for each CPU of this process's group that it may use; 0 if that is not known.
std::uintptr_t AllowedCpus() {
  std::uintptr_t process = 0, system = 0;
  return GetProcessAffinityMask(GetCurrentProcess(), &process, &system) != 0 ? process : 0;
}

}  // namespace detail
#endif

int UsableCpus() {
  int cpus = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) cpus = std::max(1, CPU_COUNT(&set));
  static const int quota = CgroupCpus();  // reads several files
  if (quota > 0) cpus = std::min(cpus, quota);
#elif defined(_WIN32)
  const std::uintptr_t allowed = detail::AllowedCpus();
  if (allowed != 0) cpus = std::min(cpus, std::popcount(allowed));
#endif
  return cpus;
}

void BindToCpu([[maybe_unused]] int index) {
#if defined(__linux__)
  // A thread begins with the CPUs of the thread that started it, which are the CPUs of the process.
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) == 0) return;
  int skipped = index % CPU_COUNT(&allowed);
  std::size_t cpu = 0;
  while (!CPU_ISSET(cpu, &allowed) || skipped-- > 0) ++cpu;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
#elif defined(_WIN32)
  std::uintptr_t allowed = detail::AllowedCpus();
  if (allowed == 0) return;
  for (int skipped = index % std::popcount(allowed); skipped > 0; --skipped) allowed &= allowed - 1;
  SetThreadAffinityMask(GetCurrentThread(), allowed & (~allowed + 1));  // the lowest bit
#endif
}

}  // namespace envpool
