# The adapter for PETSc, libspecmv_petsc.so, where PETSc is: SPECMV_PETSC=AUTO builds it if pkg-config finds
# PETSc (also by PETSC_DIR and PETSC_ARCH), ON stops if it does not, OFF does not look.
set(SPECMV_PETSC ${adapters_by_default} CACHE STRING "Build libspecmv_petsc.so: AUTO (where PETSc is found), ON or OFF")
set(SPECMV_HAS_PETSC OFF)
if(NOT SPECMV_PETSC)
  return()
endif()

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  if(DEFINED ENV{PETSC_DIR})
    list(APPEND CMAKE_PREFIX_PATH $ENV{PETSC_DIR}/$ENV{PETSC_ARCH} $ENV{PETSC_DIR})
  endif()
  pkg_check_modules(SPECMV_PETSC_LIBRARY QUIET IMPORTED_TARGET PETSc>=3.18)
  if(NOT SPECMV_PETSC_LIBRARY_FOUND)
    pkg_check_modules(SPECMV_PETSC_LIBRARY QUIET IMPORTED_TARGET petsc>=3.18)
  endif()
endif()
if(NOT SPECMV_PETSC_LIBRARY_FOUND)
  if(NOT SPECMV_PETSC STREQUAL "AUTO")
    message(FATAL_ERROR "SPECMV_PETSC=${SPECMV_PETSC}, and pkg-config finds no PETSc 3.18 or later: set PETSC_DIR \
and PETSC_ARCH or PKG_CONFIG_PATH, or install Debian's libpetsc-real-dev and pkgconf")
  endif()
  return()
endif()

set(SPECMV_HAS_PETSC ON)

# PETSc's headers include MPI's, unless it was built with its own substitute for one process.
add_library(specmv_petsc_needs INTERFACE)
target_link_libraries(specmv_petsc_needs INTERFACE PkgConfig::SPECMV_PETSC_LIBRARY)
find_file(petsc_configuration petscconf.h PATHS ${SPECMV_PETSC_LIBRARY_INCLUDE_DIRS} NO_DEFAULT_PATH NO_CACHE REQUIRED)
file(STRINGS ${petsc_configuration} petsc_has_own_mpi REGEX "PETSC_HAVE_MPIUNI 1")
if(NOT petsc_has_own_mpi)
  pkg_get_variable(MPI_C_COMPILER ${SPECMV_PETSC_LIBRARY_MODULE_NAME} ccompiler)
  find_package(MPI REQUIRED COMPONENTS C)
  target_link_libraries(specmv_petsc_needs INTERFACE MPI::MPI_C)
  # MPI's own C++ is not used, and warns.
  target_compile_definitions(specmv_petsc_needs INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
endif()

file(GLOB petsc_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
add_library(specmv_petsc SHARED ${petsc_files})
add_library(specmv::petsc ALIAS specmv_petsc)
set_target_properties(specmv_petsc PROPERTIES EXPORT_NAME petsc VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} INSTALL_RPATH "$ORIGIN"
                      LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/exports.map)
target_include_directories(specmv_petsc INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_LIST_DIR}>)
target_link_libraries(specmv_petsc PUBLIC specmv_shared PRIVATE specmv_flags specmv_petsc_needs Threads::Threads)
# PETSc's errors name the file, which is not to have a path of this machine.
target_compile_options(specmv_petsc PRIVATE -fmacro-prefix-map=${SPECMV_SOURCE_DIR}/=)
target_link_options(specmv_petsc PRIVATE -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/exports.map)
if(NOT SPECMV_SANITIZE)
  target_link_options(specmv_petsc PRIVATE -Wl,--no-undefined)
endif()
