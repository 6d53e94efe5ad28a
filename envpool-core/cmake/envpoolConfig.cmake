# SPDX-License-Identifier: Apache-2.0
# find_package(envpool CONFIG): EnvPool's C++ headers and engine, and what turns environments into a
# family.
#
#   find_package(envpool CONFIG REQUIRED)
#   envpool_add_module(_toy cpp/module.cc)
#
# The same file serves the source tree and the installed wheel: in both the headers are in ../include,
# the sources of the engine and of the binding in ../sources.
include_guard(GLOBAL)
include(CMakeFindDependencyMacro)
find_dependency(Threads)

get_filename_component(envpool_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/../include" ABSOLUTE)
get_filename_component(envpool_SOURCE_DIR "${CMAKE_CURRENT_LIST_DIR}/../sources" ABSOLUTE)
add_library(envpool::core INTERFACE IMPORTED)
target_include_directories(envpool::core INTERFACE "${envpool_INCLUDE_DIR}")
target_compile_features(envpool::core INTERFACE cxx_std_20)
target_link_libraries(envpool::core INTERFACE Threads::Threads)
if(WIN32)  # WaitOnAddress
  target_link_libraries(envpool::core INTERFACE
    "$<IF:$<BOOL:${MSVC}>,synchronization,api-ms-win-core-synch-l1-2-0>")
endif()
# a * b + c is rounded twice on every CPU: the same seed gives the same trajectory everywhere,
# and the trajectory of the reference. For the same reason nothing here turns fast-math on. Results
# do not depend on errno and on traps, which nobody reads and sets; without them a loop with sqrt or
# with a comparison becomes vector code, 2.5 times as fast in a lidar of 32 rays.
target_compile_options(envpool::core INTERFACE
  "$<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-ffp-contract=off;-fno-math-errno;-fno-trapping-math>")
# The sine and the cosine of one angle stay two calls, as in a reference. Compilers make one of them,
# of sincos, which on x86-64 has other last bits before glibc 2.36: in 1 of 1,700 angles.
target_compile_options(envpool::core INTERFACE
  "$<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-fno-builtin-sin;-fno-builtin-cos>")
# A register more, as gcc does by itself: some builds of clang, as zig's, keep frame pointers.
target_compile_options(envpool::core INTERFACE
  "$<$<CXX_COMPILER_ID:Clang>:-fomit-frame-pointer>")
# CHECK and LOG name the source file. Its folder is no business of whoever gets the wheel, and would
# make the bytes of two builds differ.
foreach(folder IN ITEMS "${envpool_INCLUDE_DIR}" "${envpool_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}")
  target_compile_options(envpool::core INTERFACE
    "$<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-fmacro-prefix-map=${folder}/=>")
endforeach()

if(NOT envpool_FIND_QUIETLY)
  message(STATUS "EnvPool headers: ${envpool_INCLUDE_DIR}")
endif()

# envpool_add_module(<name> <source>...)
#
#   A Python extension module of environments. `<name>` is what PYBIND11_MODULE in one of the sources
#   says. It is installed into the Python package that is named like the project.
#   WITHOUT_ENVIRONMENTS after the name: it registers none, and needs neither engine nor binding.
function(envpool_add_module name)
  cmake_parse_arguments(arg "WITHOUT_ENVIRONMENTS" "" "" ${ARGN})
  find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
  find_package(pybind11 CONFIG REQUIRED)
  # Unoptimised environments are of no use to anybody who did not ask for them.
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
  endif()
  # NO_EXTRAS: link-time optimisation doubles the time of a build, and gains nothing: what is called
  # for every row is in headers.
  pybind11_add_module(${name} MODULE NO_EXTRAS ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE envpool::core)
  if(NOT arg_WITHOUT_ENVIRONMENTS)
    _envpool_compile_engine()
    target_link_libraries(${name} PRIVATE envpool_engine)
  endif()
  set_target_properties(${name} PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    pybind11_strip(${name})
  endif()
  set(package "${PROJECT_NAME}")
  if(SKBUILD_PROJECT_NAME)
    string(REPLACE "-" "_" package "${SKBUILD_PROJECT_NAME}")
  endif()
  install(TARGETS ${name} DESTINATION "${package}")
  if(SKBUILD_METADATA_DIR AND NOT SKBUILD_STATE STREQUAL "editable")
    _envpool_install_components()
  endif()
endfunction()

# The engine and the binding, compiled once for all modules of a project, beside their environments.
# As two sources: what they share is read twice, not thirty times, and their calls are inlined. Where
# the environment variable ENVPOOL_ENGINE_CACHE names a folder, several projects share the library.
function(_envpool_compile_engine)
  if(TARGET envpool_engine)
    return()
  endif()
  set(kept "")
  if(DEFINED ENV{ENVPOOL_ENGINE_CACHE})
    _envpool_engine_digest(digest)
    set(kept "$ENV{ENVPOOL_ENGINE_CACHE}/${digest}.a")
    if(EXISTS "${kept}")
      add_library(envpool_engine STATIC IMPORTED)
      set_target_properties(envpool_engine PROPERTIES IMPORTED_LOCATION "${kept}")
      return()
    endif()
  endif()
  add_library(envpool_engine STATIC)
  foreach(part IN ITEMS engine binding)
    file(GLOB sources CONFIGURE_DEPENDS "${envpool_SOURCE_DIR}/${part}/*.cc")
    target_sources(envpool_engine PRIVATE ${sources})
    set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${part})
  endforeach()
  target_link_libraries(envpool_engine PRIVATE envpool::core Python::Module)
  set_target_properties(envpool_engine PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON
    UNITY_BUILD ON
    UNITY_BUILD_MODE GROUP)
  if(kept)
    # Renamed when it is complete: another project may look for it at the same time.
    string(RANDOM fresh)
    set(fresh "${kept}.${fresh}")
    add_custom_command(TARGET envpool_engine POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E make_directory "$ENV{ENVPOOL_ENGINE_CACHE}"
      COMMAND ${CMAKE_COMMAND} -E copy "$<TARGET_FILE:envpool_engine>" "${fresh}"
      COMMAND ${CMAKE_COMMAND} -E rename "${fresh}" "${kept}")
  endif()
endfunction()

# Sets a variable to a digest of all that the compiled engine is made of: sources, compiler, flags.
function(_envpool_engine_digest variable)
  get_directory_property(options COMPILE_OPTIONS)
  get_directory_property(definitions COMPILE_DEFINITIONS)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  get_directory_property(includes INCLUDE_DIRECTORIES)
  set(text "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_ARG1} ${CMAKE_CXX_COMPILER_ID} "
    "${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_CXX_STANDARD} ${CMAKE_MSVC_RUNTIME_LIBRARY} "
    "${includes} $ENV{CPATH} $ENV{CPLUS_INCLUDE_PATH} "
    "${CMAKE_CXX_COMPILER_TARGET} ${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR} "
    "${CMAKE_OSX_ARCHITECTURES} ${CMAKE_OSX_DEPLOYMENT_TARGET} ${CMAKE_OSX_SYSROOT} "
    "${CMAKE_SYSROOT} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} "
    "${CMAKE_INTERPROCEDURAL_OPTIMIZATION} ${options} ${definitions} "
    "${Python_VERSION} ${Python_SOABI} ${Python_INCLUDE_DIRS}")
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${envpool_INCLUDE_DIR}/*" "${envpool_SOURCE_DIR}/*")
  # An edited file has another digest, which is found when CMake configures.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  foreach(file IN LISTS files ITEMS "${CMAKE_CURRENT_FUNCTION_LIST_FILE}")
    file(SHA256 "${file}" part)
    file(RELATIVE_PATH name "${envpool_INCLUDE_DIR}" "${file}")
    string(APPEND text " ${name} ${part}")
  endforeach()
  string(SHA256 digest "${text}")
  set(${variable} "${digest}" PARENT_SCOPE)
endfunction()

# The components compiled into a wheel, as CycloneDX, in the folder of PEP 770, and their licences. A
# family with more components lists them before it adds its module, and has their licences itself:
# set(envpool_COMPONENTS <name> <version> <SPDX licence> ...).
function(_envpool_install_components)
  set(rest pypi/pybind11 "${pybind11_VERSION}" BSD-3-Clause)
  file(GLOB licence "${pybind11_DIR}/../../../../pybind11-*.dist-info/licenses/LICENSE")
  if(licence)  # not where a system's own package has it elsewhere
    install(FILES ${licence} DESTINATION "${SKBUILD_METADATA_DIR}/licenses" RENAME pybind11-LICENSE)
  endif()
  # zig links LLVM's C++ library into what it builds.
  get_filename_component(folder "${CMAKE_CXX_COMPILER}" DIRECTORY)
  set(licence "${folder}/lib/libcxx/LICENSE.TXT")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND EXISTS "${licence}")
    list(APPEND rest generic/libcxx "${CMAKE_CXX_COMPILER_VERSION}"
      "Apache-2.0 WITH LLVM-exception")
    install(FILES "${licence}" DESTINATION "${SKBUILD_METADATA_DIR}/licenses"
      RENAME libcxx-LICENSE)
  endif()
  set(own ${envpool_COMPONENTS})
  while(own)
    list(POP_FRONT own component version licence)
    list(APPEND rest "pypi/${component}" "${version}" "${licence}")
  endwhile()
  set(components "")
  while(rest)
    list(POP_FRONT rest component version licence)
    get_filename_component(component_name "${component}" NAME)
    string(APPEND components "${comma}\n    {\"type\": \"library\", \"name\": \"${component_name}\", "
      "\"version\": \"${version}\", \"purl\": \"pkg:${component}@${version}\", "
      "\"licenses\": [{\"expression\": \"${licence}\"}]}")
    set(comma ",")
  endwhile()
  string(REPLACE "_" "-" project "${SKBUILD_PROJECT_NAME}")
  set(version "${SKBUILD_PROJECT_VERSION_FULL}")
  set(path "${CMAKE_CURRENT_BINARY_DIR}/${project}.cdx.json")
  file(WRITE "${path}" "{
  \"bomFormat\": \"CycloneDX\", \"specVersion\": \"1.6\", \"version\": 1,
  \"metadata\": {\"component\": {\"type\": \"library\", \"name\": \"${project}\", "
    "\"version\": \"${version}\", \"purl\": \"pkg:pypi/${project}@${version}\"}},
  \"components\": [${components}\n  ]\n}\n")
  install(FILES "${path}" DESTINATION "${SKBUILD_METADATA_DIR}/sboms")
endfunction()
