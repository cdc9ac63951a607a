# The thread sanitizer does not see the barriers of OpenMP's runtime, which is not built with it. LLVM's runtime loads Archer
# (libarcher.so), which tells it, by itself where it finds it: so every program of such a tree knows the folder, in a way that
# counts for the libraries that it loads too (DT_RPATH). CONTRIBUTING.md has more.
if(PK_SANITIZE MATCHES "thread" AND OpenMP_C_FOUND)
  get_filename_component(PK_OMP_FILE "${OpenMP_omp_LIBRARY}" REALPATH)
  get_filename_component(PK_OMP_DIR "${PK_OMP_FILE}" DIRECTORY)
  find_library(PK_ARCHER NAMES archer HINTS ${PK_OMP_DIR})
  if(NOT PK_ARCHER)
    message(FATAL_ERROR "The thread sanitizer needs libarcher.so of LLVM's OpenMP: scripts/bootstrap tsan, or PK_WITH_OPENMP=OFF")
  endif()
  get_filename_component(PK_ARCHER_DIR "${PK_ARCHER}" DIRECTORY)
  add_link_options(-Wl,--disable-new-dtags -Wl,-rpath,${PK_ARCHER_DIR})
endif()
