# SPDX-License-Identifier: Apache-2.0
# For families that compile the sources of a package on PyPI, of which nothing is in their repository:
#
#   include("${envpool_DIR}/envpoolSdist.cmake")
#   envpool_fetch_sdist(box2d "Box2D" box2d-py 2.3.8 <SHA-256> Box2D/Dynamics/b2World.cpp)
#
# pip fetches the sdist while CMake configures, unless <name>_SOURCE is the sdist, or a folder where it
# was unpacked. Sets <name>_FOLDER, the one with its contents, after a look at a file in it.
function(envpool_fetch_sdist name title project version hash file)
  set(${name}_SOURCE "" CACHE PATH "sdist of ${project} ${version}, or a folder with its contents")
  find_package(Python REQUIRED COMPONENTS Interpreter)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  set(archive "${${name}_SOURCE}")
  if(NOT archive)
    set(archive "${folder}/${project}-${version}.tar.gz")
  endif()
  if(NOT EXISTS "${archive}" AND NOT ${name}_SOURCE)
    message(STATUS "${title}: pip fetches the sdist of ${project} ${version}")
    file(WRITE "${folder}/requirements.txt" "${project}==${version} --hash=sha256:${hash}\n")
    execute_process(
      COMMAND "${Python_EXECUTABLE}" -m pip download --quiet --disable-pip-version-check --no-deps
              --no-binary ${project} --require-hashes -r "${folder}/requirements.txt" -d "${folder}"
      RESULT_VARIABLE status ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "pip could not fetch the sources of ${title}, the sdist of ${project} "
        "${version}:\n${output}\nFetch it where there is a network, by\n"
        "  pip download --no-deps --no-binary ${project} ${project}==${version}\n"
        "and build with -C cmake.define.${name}_SOURCE=<the file>")
    endif()
  endif()
  if(IS_DIRECTORY "${archive}")
    set(root "${archive}")
  else()
    if(NOT EXISTS "${archive}")
      message(FATAL_ERROR "${name}_SOURCE: there is no ${archive}")
    endif()
    file(SHA256 "${archive}" found)
    if(NOT found STREQUAL hash)
      message(FATAL_ERROR "${archive} is not the sdist of ${project} ${version}: its SHA-256 is "
        "${found}, not ${hash}")
    endif()
    set(root "${folder}/${project}-${version}")
    if(NOT EXISTS "${root}/PKG-INFO")
      file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${folder}")
    endif()
  endif()
  if(NOT EXISTS "${root}/${file}")
    message(FATAL_ERROR "there is no ${file} in ${root}")
  endif()
  set(${name}_FOLDER "${root}" PARENT_SCOPE)
endfunction()
