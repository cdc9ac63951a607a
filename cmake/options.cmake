# Options, warnings and floating-point rules that hold for every target.

option(PK_BUILD_CLI "Build the pronk command" ON)
option(PK_BUILD_TESTS "Build the tests (cmocka)" ON)
option(PK_BUILD_FUZZERS "Build the libFuzzer targets (clang)" OFF)
option(PK_BUILD_PEERS "Build the peer plugins whose engines are installed" ON)
option(PK_WITH_SUNDIALS "Adaptive integration by SUNDIALS" ON)
option(PK_WITH_OPENMP "Batches on several threads" ON)
option(PK_WITH_HDF5 "Contact problems in FCLIB's HDF5 layout, export of recordings" ON)
option(PK_WITH_ZSTD "Recordings compressed by zstd" ON)
option(PK_WITH_LZ4 "Recordings compressed by lz4" ON)
option(PK_WITH_PNG "Height fields from PNG pictures" ON)
option(PK_WITH_MPI "pronk sweep on several machines (a plugin; MPI)" ON)
option(PK_WITH_NLOPT "pronk tune (NLopt)" ON)
option(PK_WITH_IPOPT "Optimal motions (a plugin; Ipopt)" ON)
option(PK_WITH_VIEWER "pronk view and pronk render (libwebsockets)" ON)
option(PK_WERROR "Treat warnings as errors" OFF)
set(PK_SANITIZE "" CACHE STRING "Sanitizers for all targets, e.g. address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")

add_compile_options($<$<COMPILE_LANGUAGE:C>:-Wall> $<$<COMPILE_LANGUAGE:C>:-Wextra>
                    $<$<COMPILE_LANGUAGE:C>:-Wshadow> $<$<COMPILE_LANGUAGE:C>:-Wvla>
                    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>)
if(PK_WERROR)
  add_compile_options(-Werror)
endif()

# One rule for contraction, so that every lane count rounds alike: clang contracts by
# expression (the same for scalars and vectors), gcc would contract at its own choice. The
# vectoriser of straight-line code of gcc 12 does so even when told not to: a*b - c beside d*e + f becomes vfmaddsub.
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  add_compile_options(-ffp-contract=on)
else()
  add_compile_options(-ffp-contract=off)
  add_compile_options($<$<C_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)
endif()

# Lines are all that a report needs of the debug information: the whole of it would make the tests of such a tree twice as large.
if(PK_SANITIZE)
  add_compile_options(-fsanitize=${PK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${PK_SANITIZE})
endif()
# Checks of a pointer's value at each use of it are half of what the sanitizers cost, in compiling and in running. Beside them the address
# sanitizer reports the access itself. Alignment stays for everything but the lane kernels (kernels.cmake).
if(PK_SANITIZE MATCHES "address" AND PK_SANITIZE MATCHES "undefined")
  add_compile_options(-fno-sanitize=null,pointer-overflow)
  set(PK_KERNEL_SANITIZE_FLAGS -fno-sanitize=alignment)
endif()
