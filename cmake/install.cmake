# Installation: libraries, headers, command, models, CMake config and pkg-config.
include(CMakePackageConfigHelpers)

set(PK_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/pronk)

install(TARGETS pronk EXPORT pronk-shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS pronk_static EXPORT pronk-static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pronk DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models ${PROJECT_SOURCE_DIR}/scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/pronk)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The browser viewer, where it was built (scripts/viewer).
install(DIRECTORY ${PROJECT_SOURCE_DIR}/viewer/dist DESTINATION ${CMAKE_INSTALL_DATADIR}/pronk/viewer OPTIONAL)
if(TARGET pronk_cli)
  install(TARGETS pronk_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set(PK_TOLD ${PROJECT_BINARY_DIR}/told)
  install(FILES ${PK_TOLD}/pronk.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${PK_TOLD}/pronk.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME pronk)
  install(FILES ${PK_TOLD}/_pronk DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${PK_TOLD}/pronk.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${PK_TOLD}/scenario.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/pronk)
endif()
if(PK_BUILD_PEERS)
  # Plugins of the engines that were found; the folder may be empty.
  install(DIRECTORY ${PROJECT_BINARY_DIR}/peers/ DESTINATION ${CMAKE_INSTALL_LIBDIR}/pronk/peers OPTIONAL
          FILES_MATCHING PATTERN "pronk_peer_*.so")
endif()

# The shared library stands alone. Users of the static one need what it was linked with, so
# its target is in a file of its own, read only when those packages are there.
install(EXPORT pronk-shared NAMESPACE pronk:: FILE pronk-shared.cmake DESTINATION ${PK_CMAKE_DIR})
install(EXPORT pronk-static NAMESPACE pronk:: FILE pronk-static.cmake DESTINATION ${PK_CMAKE_DIR})
set(PK_HAS_SUNDIALS FALSE)
if(SUNDIALS_FOUND)
  set(PK_HAS_SUNDIALS TRUE)
endif()
set(PK_HAS_HDF5 FALSE)
if(HDF5_FOUND)
  set(PK_HAS_HDF5 TRUE)
endif()
set(PK_HAS_ZSTD FALSE)
if(ZSTD_FOUND)
  set(PK_HAS_ZSTD TRUE)
endif()
set(PK_HAS_LZ4 FALSE)
if(LZ4_FOUND)
  set(PK_HAS_LZ4 TRUE)
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/pronk-config.cmake.in ${PROJECT_BINARY_DIR}/pronk-config.cmake
                              INSTALL_DESTINATION ${PK_CMAKE_DIR} PATH_VARS CMAKE_INSTALL_FULL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pronk-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pronk-config.cmake ${PROJECT_BINARY_DIR}/pronk-config-version.cmake
        DESTINATION ${PK_CMAKE_DIR})

# pkg-config: the prefix follows from where the file is, so that the tree can be moved.
cmake_path(IS_ABSOLUTE CMAKE_INSTALL_LIBDIR PK_LIBDIR_IS_ABSOLUTE)
if(PK_LIBDIR_IS_ABSOLUTE)
  set(PK_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
             OUTPUT_VARIABLE PK_PC_UP)
  set(PK_PC_PREFIX "\${pcfiledir}/${PK_PC_UP}")
endif()
set(PK_PC_PRIVATE "-pthread -lm")
set(PK_PC_REQUIRES "libxml-2.0, yaml-0.1")
if(ZSTD_FOUND)
  string(APPEND PK_PC_REQUIRES ", libzstd")
endif()
if(LZ4_FOUND)
  string(APPEND PK_PC_REQUIRES ", liblz4")
endif()
if(CMAKE_DL_LIBS)
  string(APPEND PK_PC_PRIVATE " -l${CMAKE_DL_LIBS}")
endif()
if(SUNDIALS_FOUND)
  # SUNDIALS has no pkg-config file.
  string(PREPEND PK_PC_PRIVATE "-lsundials_arkode -lsundials_nvecserial ")
endif()
if(HDF5_FOUND)
  # Its pkg-config file has another name on each system.
  get_target_property(PK_HDF5_FILE hdf5::hdf5 IMPORTED_LOCATION)
  string(PREPEND PK_PC_PRIVATE "${PK_HDF5_FILE} ")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/pronk.pc.in ${PROJECT_BINARY_DIR}/pronk.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/pronk.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
