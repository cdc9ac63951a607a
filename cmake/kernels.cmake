# The lane kernels: the same files compiled once for each instruction set and lane count.
#
#   pk_add_kernels(target FILE...)   adds every variant's objects to `target`
#
# PKI_LANES and PKI_ISA are the two macros that a kernel file sees (src/math/lane.h).

set(PK_LANE_COUNTS 1 4 8)
set(PK_ISAS base)
set(PK_ISA_FLAGS_base "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND PK_ISAS avx2 avx512)
  set(PK_ISA_FLAGS_avx2 -mavx2 -mfma)
  set(PK_ISA_FLAGS_avx512 -mavx512f -mavx512dq -mavx512vl -mavx2 -mfma)
endif()

function(pk_add_kernels target)
  foreach(isa IN LISTS PK_ISAS)
    foreach(lanes IN LISTS PK_LANE_COUNTS)
      set(variant pronk_kernels_${isa}_${lanes})
      add_library(${variant} OBJECT ${ARGN})
      target_include_directories(${variant} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
      target_compile_definitions(${variant} PRIVATE PKI_LANES=${lanes} PKI_ISA=${isa})
      # Kernels never read errno or trap; -Wno-psabi: vectors pass through inlined calls only.
      target_compile_options(${variant} PRIVATE ${PK_ISA_FLAGS_${isa}} -fno-math-errno -fno-trapping-math -Wno-psabi)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${variant}>)
    endforeach()
  endforeach()
endfunction()
