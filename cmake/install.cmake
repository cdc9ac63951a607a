# Installation: libraries, headers, command, models, CMake config and pkg-config.
include(CMakePackageConfigHelpers)
