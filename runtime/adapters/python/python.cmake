# The module for Python, in the folder python/specmv of the build: SPECMV_PYTHON=AUTO builds it if the
# interpreter (Python_EXECUTABLE, else the first one) is 3.9 or later and has nanobind, ON stops if not, OFF does
# not look.
set(SPECMV_PYTHON ${adapters_by_default} CACHE STRING "Build the module for Python: AUTO (where nanobind is), ON or OFF")
set(SPECMV_HAS_PYTHON OFF)
set(why_no_python "SPECMV_PYTHON is off, or the build is sanitized")
if(NOT SPECMV_PYTHON OR SPECMV_SANITIZE)
  return()
endif()

set(nanobind_folder)
find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
set(why_no_python "CMake found no Python 3.9 or later with its headers (python3-dev), Python_EXECUTABLE is '${Python_EXECUTABLE}'")
if(Python_FOUND)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_folder
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(why_no_python "${Python_EXECUTABLE} has no nanobind")
endif()
if(NOT nanobind_folder)
  if(NOT SPECMV_PYTHON STREQUAL "AUTO")
    message(FATAL_ERROR "SPECMV_PYTHON=${SPECMV_PYTHON}, but ${why_no_python}: set Python_EXECUTABLE to a Python with "
                        "nanobind (pip install nanobind)")
  endif()
  return()
endif()
set(SPECMV_HAS_PYTHON ON)
set(nanobind_ROOT ${nanobind_folder})
find_package(nanobind CONFIG REQUIRED)

# nanobind's own file is built as it is. A function keeps the settings for it.
function(specmv_add_python)
  set(CMAKE_UNITY_BUILD OFF)
  file(GLOB files CONFIGURE_DEPENDS ${SPECMV_SOURCE_DIR}/runtime/adapters/python/*.cpp)
  nanobind_add_module(specmv_python NB_STATIC NOMINSIZE NB_SUPPRESS_WARNINGS NB_DOMAIN specmv ${files})
endfunction()
specmv_add_python()
set_target_properties(specmv_python PROPERTIES OUTPUT_NAME _core INSTALL_RPATH "$ORIGIN" UNITY_BUILD "${CMAKE_UNITY_BUILD}"
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/specmv)
target_link_libraries(specmv_python PRIVATE specmv_shared specmv_flags)

# The package in the build folder, for the tests: the files of the tree beside the module.
file(GLOB python_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/specmv/*.py ${CMAKE_CURRENT_LIST_DIR}/specmv/*.pyi
     ${CMAKE_CURRENT_LIST_DIR}/specmv/py.typed)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/specmv)
foreach(file ${python_files})
  cmake_path(GET file FILENAME name)
  file(CREATE_LINK ${file} ${PROJECT_BINARY_DIR}/python/specmv/${name} SYMBOLIC)
endforeach()
file(CREATE_LINK ../../specmv ${PROJECT_BINARY_DIR}/python/specmv/specmv SYMBOLIC)

# A wheel has no links between files, so the library has one name there. The package, the library, the tool and
# the standard pack lie in one folder, where the library and the tool look for the pack.
if(SKBUILD)
  set_target_properties(specmv_shared PROPERTIES VERSION ${PROJECT_VERSION_MAJOR})
  install(TARGETS specmv_python specmv_shared LIBRARY DESTINATION . COMPONENT python NAMELINK_SKIP)
  install(PROGRAMS $<TARGET_FILE:specmv_tool> DESTINATION . COMPONENT python)
  install(FILES ${PROJECT_BINARY_DIR}/standard.pack DESTINATION . COMPONENT python)
endif()
