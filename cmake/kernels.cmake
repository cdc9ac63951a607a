# The lane kernels: the same files compiled once for each instruction set and lane count.
#
#   pk_add_kernels(target stage FILE...)   compiles every variant; the objects are collected in the
#                                    global property PK_KERNEL_OBJECTS
#
# PKI_LANES and PKI_ISA are the two macros that a kernel file sees (src/math/lane.h).
# PK_KERNEL_SANITIZE_FLAGS (options.cmake) holds for them alone: vectors that are not aligned fault by themselves.
# `target` itself sees PKI_HAVE_<isa> for each set that was compiled, to choose from.

set(PK_LANE_COUNTS 1 4 8)
set(PK_PLATFORM_ISAS base)
set(PK_ISA_FLAGS_base "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND PK_PLATFORM_ISAS avx2 avx512)
  set(PK_ISA_FLAGS_avx2 -mavx2 -mfma)
  set(PK_ISA_FLAGS_avx512 -mavx512f -mavx512dq -mavx512vl -mavx2 -mfma)
endif()

# A build that is for tests alone can leave some out. Those that the platform does not know
# are dropped, so that one preset serves every platform.
set(PK_ISAS "${PK_PLATFORM_ISAS}" CACHE STRING "Instruction sets to compile the kernels for; base is always in")
set(PK_BUILT_ISAS base)
foreach(isa IN LISTS PK_PLATFORM_ISAS)
  if(isa IN_LIST PK_ISAS AND NOT isa IN_LIST PK_BUILT_ISAS)
    list(APPEND PK_BUILT_ISAS ${isa})
  endif()
endforeach()

function(pk_add_kernels target stage)
  foreach(isa IN LISTS PK_BUILT_ISAS)
    target_compile_definitions(${target} PRIVATE PKI_HAVE_${isa}=1)
    foreach(lanes IN LISTS PK_LANE_COUNTS)
      set(variant pronk_${stage}_kernels_${isa}_${lanes})
      add_library(${variant} OBJECT ${ARGN})
      target_include_directories(${variant} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
      target_compile_definitions(${variant} PRIVATE PKI_LANES=${lanes} PKI_ISA=${isa})
      # Kernels never read errno or trap; -Wno-psabi: vectors pass through inlined calls only.
      target_compile_options(${variant} PRIVATE ${PK_ISA_FLAGS_${isa}} -fno-math-errno -fno-trapping-math -Wno-psabi
                                                ${PK_KERNEL_SANITIZE_FLAGS})
      set_property(GLOBAL APPEND PROPERTY PK_KERNEL_OBJECTS $<TARGET_OBJECTS:${variant}>)
    endforeach()
  endforeach()
endfunction()
