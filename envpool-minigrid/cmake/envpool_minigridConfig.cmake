# SPDX-License-Identifier: Apache-2.0
# find_package(envpool_minigrid CONFIG): the headers of MiniGrid's world, for levels of one's own.
#
#   find_package(envpool_minigrid CONFIG REQUIRED)
#   envpool_add_module(_mine cpp/module.cc)
#   target_link_libraries(_mine PRIVATE envpool::minigrid)
include_guard(GLOBAL)
include(CMakeFindDependencyMacro)
find_dependency(envpool)
add_library(envpool::minigrid INTERFACE IMPORTED)
get_filename_component(envpool_minigrid_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/../include" ABSOLUTE)
target_include_directories(envpool::minigrid INTERFACE "${envpool_minigrid_INCLUDE_DIR}")
