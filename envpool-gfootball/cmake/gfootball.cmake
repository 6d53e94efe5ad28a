# SPDX-License-Identifier: Apache-2.0
# The target `gfootball`: the engine of Google Research Football, compiled into this wheel, and
# gfootball_install_data, which puts what it reads into the wheel.
#
# Its sources are those of the sdist of gfootball, which pip fetches while CMake configures; nothing
# of them is in this repository. Without a network, point gfootball_SOURCE at the sdist or at a folder
# where it was unpacked:
#
#   pip install -C cmake.define.gfootball_SOURCE=/some/where/gfootball-2.10.2.tar.gz envpool-gfootball
#
# If the environment variable ENVPOOL_ENGINE_CACHE names a folder, the compiled engine is kept
# there, as core's is, and a change of this wheel's own files compiles those alone.
set(GFOOTBALL_VERSION 2.10.2)
set(hash 1b0fdcfa78b7fadc3730585ee7f0f412ba825c27e422b2b85ea0cf7ba57800b6)  # SHA-256
find_package(Python REQUIRED COMPONENTS Interpreter)
include("${envpool_DIR}/envpoolSdist.cmake")
envpool_fetch_sdist(gfootball "Google Research Football" gfootball ${GFOOTBALL_VERSION} ${hash}
  third_party/gfootball_engine/src/game_env.cpp)
set(folder "${CMAKE_CURRENT_BINARY_DIR}/gfootball")
set(root "${gfootball_FOLDER}")
set(engine "${root}/third_party/gfootball_engine")

# Writes the engine's sources with changes, and files that name several of them.
execute_process(
  COMMAND "${Python_EXECUTABLE}" "${CMAKE_CURRENT_LIST_DIR}/alter.py" "${engine}" "${folder}/altered"
  RESULT_VARIABLE status ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${output}")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/alter.py")

set(own "${CMAKE_CURRENT_SOURCE_DIR}/cpp")
file(GLOB parts "${folder}/altered/parts/*.cc")
add_library(gfootball_engine_objects OBJECT EXCLUDE_FROM_ALL ${parts})
file(GLOB own_sources CONFIGURE_DEPENDS "${own}/engine/*.cc")
add_library(gfootball STATIC ${own_sources})
foreach(target IN ITEMS gfootball_engine_objects gfootball)
  target_include_directories(${target} SYSTEM BEFORE PRIVATE "${folder}/altered/stand_ins")
  target_include_directories(${target} SYSTEM PRIVATE "${folder}/altered/src"
    "${folder}/altered/src/cmake")
  target_include_directories(${target} PRIVATE "${own}")
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD 20 CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON)
  # No fused multiply-add, and nothing else that rounds otherwise than the original. Faults name
  # files, of which the folder is no business of whoever gets the wheel.
  target_compile_options(${target} PRIVATE -ffp-contract=off -O2
    "-fmacro-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}/=" "-fmacro-prefix-map=${folder}/altered/=")
endforeach()
# A scenario without a second half has it after 999999999 frames, whose product with 1800 the engine
# keeps in 32 bits: wrapped, as the package's build has it, it is a time that no match reaches.
target_compile_options(gfootball_engine_objects PRIVATE -w -fwrapv)
target_link_libraries(gfootball PRIVATE envpool::core)

# The compiled engine: one object, so that what is called across its files can be inlined.
set(object "${CMAKE_CURRENT_BINARY_DIR}/gfootball-engine.o")
set(kept "")
if(DEFINED ENV{ENVPOOL_ENGINE_CACHE})
  set(text "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_CXX_FLAGS} "
    "${CMAKE_CXX_FLAGS_RELEASE} ${CMAKE_BUILD_TYPE} ${CMAKE_SYSTEM_PROCESSOR} ${hash}")
  file(GLOB files "${own}/stand_ins/*.h")
  foreach(file IN LISTS files ITEMS "${own}/engine/animations.h"
      "${own}/engine/bounds.h" "${CMAKE_CURRENT_LIST_FILE}"
      "${CMAKE_CURRENT_LIST_DIR}/alter.py")
    file(SHA256 "${file}" part)
    string(APPEND text " ${part}")
  endforeach()
  string(SHA256 digest "${text}")
  set(kept "$ENV{ENVPOOL_ENGINE_CACHE}/gfootball-${digest}.o")
endif()
if(kept AND EXISTS "${kept}")
  set(object "${kept}")
else()
  set(keep "")
  if(kept)
    # Renamed when it is complete: another project may look for it at the same time.
    string(RANDOM fresh)
    set(keep COMMAND ${CMAKE_COMMAND} -E make_directory "$ENV{ENVPOOL_ENGINE_CACHE}"
      COMMAND ${CMAKE_COMMAND} -E copy "${object}" "${kept}.${fresh}"
      COMMAND ${CMAKE_COMMAND} -E rename "${kept}.${fresh}" "${kept}")
  endif()
  set(join -r)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(gfootball_engine_objects PRIVATE -flto)
    set(join -r -flto -flto-partition=none -flinker-output=nolto-rel -O2 -fPIC -ffp-contract=off -fwrapv
      -w)
  endif()
  add_custom_command(OUTPUT "${object}"
    COMMAND ${CMAKE_CXX_COMPILER} ${join} -nostdlib -o "${object}"
      "$<TARGET_OBJECTS:gfootball_engine_objects>" ${keep}
    DEPENDS gfootball_engine_objects "$<TARGET_OBJECTS:gfootball_engine_objects>"
    COMMAND_EXPAND_LISTS VERBATIM)
endif()
target_sources(gfootball PRIVATE "${object}")
set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)

# The files that a game reads: animations and the meshes of players, ball, cards, goals and pitch. Pictures,
# shaders and fonts, which are the rest of 88 MB, are for the engine's own frames.
function(gfootball_install_data destination)
  set(media "${engine}/data/media")
  install(DIRECTORY "${media}/animations" DESTINATION "${destination}/media")
  foreach(file IN ITEMS players/fullbody.object players/player.object balls/generic.object
      balls/generic.ase officials/redcard.ase officials/yellowcard.ase stadiums/goals.object
      stadiums/goals.ase stadiums/test/pitchonly.object stadiums/test/pitch.ase
      lighting/generic.object)
    get_filename_component(place "${file}" DIRECTORY)
    install(FILES "${media}/objects/${file}" DESTINATION "${destination}/media/objects/${place}")
  endforeach()
  foreach(place IN ITEMS players/models players/hairstyles)
    install(DIRECTORY "${media}/objects/${place}" DESTINATION "${destination}/media/objects/players"
      FILES_MATCHING PATTERN "*.ase" PATTERN "fullbody2*" EXCLUDE)
  endforeach()
  # The package's scenarios, which are programs in Python.
  file(GLOB scenarios "${root}/gfootball/scenarios/*.py")
  list(FILTER scenarios EXCLUDE REGEX "__init__")
  install(FILES ${scenarios} DESTINATION "${destination}/scenarios")
  file(GLOB scenarios "${root}/gfootball/scenarios/tests/*.py")
  list(FILTER scenarios EXCLUDE REGEX "__init__")
  foreach(scenario IN LISTS scenarios)
    get_filename_component(file "${scenario}" NAME)
    install(FILES "${scenario}" DESTINATION "${destination}/scenarios" RENAME "tests.${file}")
  endforeach()
endfunction()

set(GFOOTBALL_LICENCES "${folder}/gfootball-LICENSE")
file(READ "${root}/LICENSE" apache)
file(READ "${engine}/LICENSE" unlicense)
file(CONFIGURE OUTPUT "${GFOOTBALL_LICENCES}" CONTENT
"The engine of Google Research Football, of gfootball @GFOOTBALL_VERSION@, is compiled into this
wheel, and its data and scenarios are in it. Copyright 2019 Google LLC & Bastiaan Konings. The engine
is altered: it draws nothing, writes nothing, reads no environment variables and leaves signals and
random numbers of the process alone; files have others in their place where they met Boost, SDL and
OpenGL. envpool-gfootball's cmake/alter.py has each change. The notice of Google Research Football:

@apache@

The notice of Gameplay Football, from which the engine was made:

@unlicense@" @ONLY)
