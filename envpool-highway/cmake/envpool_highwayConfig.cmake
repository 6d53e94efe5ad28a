# SPDX-License-Identifier: Apache-2.0
# find_package(envpool_highway CONFIG): the headers of the roads, for tasks of one's own.
#
#   find_package(envpool_highway CONFIG REQUIRED)
#   envpool_add_module(_mine cpp/module.cc)
#   target_link_libraries(_mine PRIVATE envpool::highway)
include_guard(GLOBAL)
include(CMakeFindDependencyMacro)
find_dependency(envpool)
add_library(envpool::highway INTERFACE IMPORTED)
get_filename_component(envpool_highway_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/../include" ABSOLUTE)
target_include_directories(envpool::highway INTERFACE "${envpool_highway_INCLUDE_DIR}")
