# SPDX-License-Identifier: Apache-2.0
# The target `box2d`: Box2D 2.3 as Gymnasium's environments have it, compiled into this wheel.
#
# Its sources are those of the sdist of box2d-py, which pip fetches while CMake configures; nothing of
# them is in this repository. Without a network, point box2d_SOURCE at the sdist or at a folder where
# it was unpacked:
#
#   pip install -C cmake.define.box2d_SOURCE=/some/where/box2d-py-2.3.8.tar.gz envpool-box2d
#
# Some of its files are left out, since this wheel has others in their place: the settings, whose
# header includes Python's; the timer, which reads the clock for a profile that nobody looks at; and
# the solver of islands, for which ours is faster. box2d_OWN_SOLVER=OFF compiles Box2D's own.
set(BOX2D_VERSION 2.3.8)
find_package(Python REQUIRED COMPONENTS Interpreter)
include("${envpool_DIR}/envpoolSdist.cmake")
envpool_fetch_sdist(box2d "Box2D" box2d-py ${BOX2D_VERSION}
  bdacfbbc56079bb317548efe49d3d5a86646885cc27f4a2ee97e4b2960921ab7 Box2D/Dynamics/b2World.cpp)
set(folder "${CMAKE_CURRENT_BINARY_DIR}/box2d")
set(root "${box2d_FOLDER}")

execute_process(
  COMMAND "${Python_EXECUTABLE}" "${CMAKE_CURRENT_LIST_DIR}/alter.py" "${root}" "${folder}/altered"
  RESULT_VARIABLE status ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${output}")
endif()

file(GLOB_RECURSE box2d_files "${root}/Box2D/Common/*.cpp" "${root}/Box2D/Collision/*.cpp"
  "${root}/Box2D/Dynamics/*.cpp")
list(FILTER box2d_files EXCLUDE REGEX "/b2(Settings|Timer|Distance|TimeOfImpact)[.]cpp$")
option(box2d_OWN_SOLVER "faster solving in place of Box2D's, with the same results" ON)
if(box2d_OWN_SOLVER)
  list(FILTER box2d_files EXCLUDE REGEX "/b2(Island|World)[.]cpp$")
  list(APPEND box2d_files "${folder}/altered/b2World.cpp")
endif()
list(SORT box2d_files)
add_library(box2d STATIC ${box2d_files} "${folder}/altered/b2Distance.cpp"
  "${folder}/altered/b2TimeOfImpact.cpp")
target_include_directories(box2d SYSTEM PUBLIC "${root}")
set_target_properties(box2d PROPERTIES
  CXX_STANDARD 11 CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  POSITION_INDEPENDENT_CODE ON UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
# No fused multiply-add, and nothing else that rounds otherwise than the original, which is compiled
# for every x86-64.
set(settings "${CMAKE_CURRENT_SOURCE_DIR}/cpp/engine/settings.h")
if(MSVC)
  target_compile_options(box2d PUBLIC "/FI${settings}")
else()
  target_compile_options(box2d PUBLIC -include "${settings}" -ffp-contract=off PRIVATE -w)
endif()
set(BOX2D_LICENCES "${folder}/box2d-LICENSE")
file(READ "${root}/LICENSE" text)
file(CONFIGURE OUTPUT "${BOX2D_LICENCES}" CONTENT
"Box2D 2.3, of box2d-py @BOX2D_VERSION@, is compiled into this wheel. It is altered: b2Settings.h,
b2Settings.cpp, b2Timer.cpp and b2Island.cpp have others in their place, loops in b2World.cpp end at
static bodies, and the global counters in b2Distance.cpp and b2TimeOfImpact.cpp are thread_local. Its
notice:

@text@" @ONLY)
