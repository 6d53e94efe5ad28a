# SPDX-License-Identifier: Apache-2.0
# find_package(envpool_mujoco CONFIG): envpool-mujoco's C++ headers, MuJoCo's, and its library, for
# families of robots.
#
#   find_package(envpool_mujoco CONFIG REQUIRED)
#   envpool_mujoco_add_module(_robots cpp/module.cc)
#
# The same file serves the source tree and the installed wheel. In the wheel MuJoCo is beside it;
# the source tree takes that of the installed package `mujoco`.
include_guard(GLOBAL)
include(CMakeFindDependencyMacro)
find_dependency(envpool CONFIG)

get_filename_component(envpool_mujoco_DIR_ "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(envpool_mujoco_LIBRARY_FOLDER "${envpool_mujoco_DIR_}/_lib")
set(envpool_mujoco_INCLUDE "${envpool_mujoco_DIR_}/include")
if(NOT EXISTS "${envpool_mujoco_LIBRARY_FOLDER}")
  # It is found without being imported.
  find_package(Python REQUIRED COMPONENTS Interpreter)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c
            "import importlib.util as u; print(u.find_spec('mujoco').submodule_search_locations[0])"
    OUTPUT_VARIABLE envpool_mujoco_LIBRARY_FOLDER OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND envpool_mujoco_INCLUDE "${envpool_mujoco_LIBRARY_FOLDER}/include")
endif()
file(GLOB envpool_mujoco_LIBRARY "${envpool_mujoco_LIBRARY_FOLDER}/libmujoco.so.*")
list(LENGTH envpool_mujoco_LIBRARY found)
if(NOT found EQUAL 1)
  message(FATAL_ERROR "expected one libmujoco.so.* in ${envpool_mujoco_LIBRARY_FOLDER}, "
                      "found: ${envpool_mujoco_LIBRARY}")
endif()

string(REGEX REPLACE ".*[.]so[.]" "" envpool_mujoco_ENGINE "${envpool_mujoco_LIBRARY}")
# Tasks were compared with references on these. A wheel is of one of them.
set(envpool_mujoco_ENGINES 3.17.0 4.0.1)
if(NOT envpool_mujoco_ENGINE IN_LIST envpool_mujoco_ENGINES)
  message(FATAL_ERROR "got MuJoCo ${envpool_mujoco_ENGINE} in ${envpool_mujoco_LIBRARY_FOLDER}; "
                      "engines are ${envpool_mujoco_ENGINES}. Install `mujoco==3.17.0` or, for "
                      "ENVPOOL_MUJOCO=4.0.1, `mujoco-core==4.0.1`")
endif()
if(DEFINED ENV{ENVPOOL_MUJOCO} AND NOT "$ENV{ENVPOOL_MUJOCO}" STREQUAL envpool_mujoco_ENGINE)
  message(FATAL_ERROR "ENVPOOL_MUJOCO is $ENV{ENVPOOL_MUJOCO}, and ${envpool_mujoco_LIBRARY_FOLDER} "
                      "has MuJoCo ${envpool_mujoco_ENGINE}; engines are ${envpool_mujoco_ENGINES}. "
                      "Build envpool-mujoco with the same ENVPOOL_MUJOCO before its families")
endif()

add_library(envpool_mujoco::mujoco SHARED IMPORTED)
set_target_properties(envpool_mujoco::mujoco PROPERTIES
  IMPORTED_LOCATION "${envpool_mujoco_LIBRARY}"
  INTERFACE_INCLUDE_DIRECTORIES "${envpool_mujoco_INCLUDE}")

# The sources that are compiled into each family, and the owner of MuJoCo's log handler, which is
# not: a family only links to it, and loads the one of envpool-mujoco. The engine is in its name,
# for it calls one engine only.
file(GLOB envpool_mujoco_SOURCES "${envpool_mujoco_DIR_}/cpp/shared/*.cc")
add_library(envpool_mujoco_log SHARED EXCLUDE_FROM_ALL
  "${envpool_mujoco_DIR_}/cpp/log_handler/log_handler.cc")
set_target_properties(envpool_mujoco_log PROPERTIES
  OUTPUT_NAME "envpool_mujoco-${envpool_mujoco_ENGINE}" VERSION 1 SOVERSION 1
  CXX_VISIBILITY_PRESET default BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
target_link_libraries(envpool_mujoco_log PRIVATE envpool::core envpool_mujoco::mujoco)
add_library(envpool_mujoco::log ALIAS envpool_mujoco_log)
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_link_options(envpool_mujoco_log PRIVATE -s)
endif()

# envpool_mujoco_add_module(<name> <source>...)
#
#   As envpool_add_module of core, for environments that simulate with MuJoCo. Their headers are
#   <envpool_mujoco/simulation.h> and its neighbours. The module finds the libraries in the package
#   envpool_mujoco beside its own; where that is elsewhere, envpool_mujoco.family.load_library()
#   loads them before.
function(envpool_mujoco_add_module name)
  envpool_add_module(${name} ${ARGN} ${envpool_mujoco_SOURCES})
  target_link_libraries(${name} PRIVATE envpool_mujoco::mujoco envpool_mujoco::log)
  target_compile_definitions(${name} PRIVATE
    "ENVPOOL_STATE_ENGINE=\"MuJoCo ${envpool_mujoco_ENGINE}\"")
  target_compile_options(${name} PRIVATE "-fmacro-prefix-map=${envpool_mujoco_DIR_}/=")
  set_target_properties(${name} PROPERTIES
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "$ORIGIN/../envpool_mujoco/_lib")
endfunction()
