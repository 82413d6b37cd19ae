# Installs under the prefix of `cmake --install`: the library, its headers, the files by which CMake
# and pkg-config find them, the tool, its completion in shells, the manual, and the documents that
# the manual names. The installed tree may be moved as a whole.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(specmv_package ${PROJECT_BINARY_DIR}/package)
set(specmv_cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/specmv)

install(TARGETS specmv_shared specmv_cxx EXPORT specmvTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/ TYPE INCLUDE FILES_MATCHING REGEX "/specmv[a-z_]*\\.h(pp)?$")
install(EXPORT specmvTargets NAMESPACE specmv:: DESTINATION ${specmv_cmake_folder})

set(specmv_pack_file ${CMAKE_INSTALL_DATADIR}/specmv/standard.pack)
set(specmv_petsc_file ${CMAKE_INSTALL_LIBDIR}/libspecmv_petsc.so)
configure_package_config_file(${PROJECT_SOURCE_DIR}/runtime/package/specmvConfig.cmake.in
                              ${specmv_package}/specmvConfig.cmake
                              INSTALL_DESTINATION ${specmv_cmake_folder} PATH_VARS specmv_pack_file specmv_petsc_file)
# Versions with the same major number are compatible; before 1.0 a minor version may change
# anything.
set(specmv_compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(specmv_compatibility SameMinorVersion)
endif()
write_basic_package_version_file(${specmv_package}/specmvConfigVersion.cmake
                                 COMPATIBILITY ${specmv_compatibility})
install(FILES ${specmv_package}/specmvConfig.cmake ${specmv_package}/specmvConfigVersion.cmake
        DESTINATION ${specmv_cmake_folder})

# Paths relative to the .pc file: up to the prefix, and down from there.
file(RELATIVE_PATH specmv_up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH specmv_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH specmv_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/runtime/package/specmv.pc.in ${specmv_package}/specmv.pc @ONLY)
install(FILES ${specmv_package}/specmv.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The adapter for PETSc, where it was built: samples/quickstart.sh leaves it out.
if(SPECMV_HAS_PETSC)
  install(TARGETS specmv_petsc OPTIONAL)
  install(FILES ${PROJECT_SOURCE_DIR}/runtime/adapters/petsc/specmv_petsc.h TYPE INCLUDE)
  configure_file(${PROJECT_SOURCE_DIR}/runtime/package/specmv_petsc.pc.in ${specmv_package}/specmv_petsc.pc @ONLY)
  install(FILES ${specmv_package}/specmv_petsc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  install(CODE "
    if(NOT EXISTS \"$<TARGET_FILE:specmv_petsc>\")
      message(\"note: libspecmv_petsc.so is not installed, since it was not built. Run cmake --build \"
              \"'${PROJECT_BINARY_DIR}' --target specmv_petsc, then install again.\")
    endif()")
endif()

# Within another project the tool is built only on demand.
set(specmv_described_tool "")
if(PROJECT_IS_TOP_LEVEL)
  install(TARGETS specmv_tool EXPORT specmvToolTargets)
  install(EXPORT specmvToolTargets NAMESPACE specmv:: DESTINATION ${specmv_cmake_folder})
  install(FILES ${PROJECT_SOURCE_DIR}/runtime/package/specmv.bash RENAME specmv
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PROJECT_SOURCE_DIR}/runtime/package/_specmv
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  set(specmv_described_tool $<TARGET_FILE:specmv_tool>)
endif()

# The manual pages, which the tool helps to write. A machine without what makes them gets the rest.
install(CODE "
  file(REMOVE_RECURSE \"${specmv_package}/man\") # what an older header had
  file(MAKE_DIRECTORY \"${specmv_package}/man\")
  execute_process(COMMAND python3 \"${PROJECT_SOURCE_DIR}/runtime/package/man.py\" \"${PROJECT_SOURCE_DIR}\"
                          ${PROJECT_VERSION} \"${specmv_package}/man\" \"${specmv_described_tool}\"
                  RESULT_VARIABLE result ERROR_VARIABLE why)
  if(NOT result EQUAL 0)
    file(REMOVE_RECURSE \"${specmv_package}/man\")
    file(MAKE_DIRECTORY \"${specmv_package}/man\")
    string(REGEX REPLACE \".*\\n(.)\" \"\\\\1\" why \"python3: \${result}\\n\${why}\")
    string(STRIP \"\${why}\" why)
    message(\"note: the manual pages are not installed. python3 and lowdown make them: \${why}\")
  endif()")
install(DIRECTORY ${specmv_package}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})

# Installs the documents that the manual and README refer to, under the paths that README uses.
set(specmv_documents ${CMAKE_INSTALL_DATADIR}/doc/specmv)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${specmv_documents})
foreach(document .github/NEWS.md .github/CONTRIBUTING.md runtime/cli/JSON.md runtime/adapters/python/README.md tests/bench/README.md models/gpus/h100.json models/gpus/h200.json)
  cmake_path(GET document PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/${document} DESTINATION ${specmv_documents}/${folder})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/package/manual DESTINATION ${specmv_documents}/runtime/package)
# The files that build the samples in a clone are not installed.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/samples DESTINATION ${specmv_documents} USE_SOURCE_PERMISSIONS
        PATTERN CMakeLists.txt EXCLUDE PATTERN quickstart.sh EXCLUDE)

# The library and the tool look for the standard pack there, from lib/ and from bin/. It is installed if
# it was made, also where SPECMV_STANDARD_PACK keeps it from being made with everything else.
# samples/quickstart.sh builds without it, since it takes a minute more.
install(FILES ${specmv_standard_pack} DESTINATION ${CMAKE_INSTALL_DATADIR}/specmv OPTIONAL)
install(CODE "
  if(NOT EXISTS \"${specmv_standard_pack}\")
    message(\"note: the standard pack is not installed, since it was not built: first plans wait for \"
            \"NVRTC. Run cmake --build '${PROJECT_BINARY_DIR}' --target specmv_standard_pack, then \"
            \"install again.\")
  endif()")
