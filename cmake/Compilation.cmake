# The interface target `gpumem_compilation`: options with which every source is compiled and the program is linked.
include_guard()
include(CheckLinkerFlag)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# CMake 3.25.1 does not know nvcc's flag for C++20 and would silently compile C++17.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
endif()

# Little of the host code takes time when it runs (simulating_sources in CMakeLists.txt), but optimising it takes much
# of the build. Kernels are always optimised in full.
foreach(language CXX CUDA)
  string(REPLACE "-O3" "-O1" CMAKE_${language}_FLAGS_RELEASE "${CMAKE_${language}_FLAGS_RELEASE}")
endforeach()

find_package(CUDAToolkit ${GPUMEM_OLDEST_CUDA} REQUIRED)

add_library(gpumem_compilation INTERFACE)
target_include_directories(gpumem_compilation INTERFACE "${PROJECT_SOURCE_DIR}")
target_link_libraries(gpumem_compilation INTERFACE CUDA::cudart_static ${CMAKE_DL_LIBS})
if(NOT GPUMEM_SANITIZE)  # whose run-time libraries want the shared libstdc++
  # The program then runs on distributions newer (or with another libstdc++) than the one it was built on. And on some
  # that are older: what nobody calls of libstdc++ (std::random_device) would ask for the newest C library.
  set(GPUMEM_PORTABLE -static-libstdc++ -static-libgcc "LINKER:--gc-sections")
  target_link_options(gpumem_compilation INTERFACE ${GPUMEM_PORTABLE})
endif()

# Warnings are for those who change the program. Users who only build it need not wait for them.
set(GPUMEM_WARNINGS "")
if(GPUMEM_WERROR)
  set(warnings -Wall -Wextra -Wnon-virtual-dtor -Werror)
  if(NOT GPUMEM_UNITED)
    list(APPEND warnings -Wshadow)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND warnings -Wshadow=local)  # of constants, those of other sources are met too: clang-tidy looks at each alone
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
    list(APPEND warnings -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)  # wrong about std::string: GCC bug 105651
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    list(APPEND warnings -Wno-dangling-reference)  # takes a reference returned for one into a temporary argument
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND GPUMEM_SANITIZE)
    list(APPEND warnings -Wno-maybe-uninitialized)  # what the sanitizers add confuses it, as GCC's manual says
  endif()
  set(GPUMEM_WARNINGS ${warnings} -Wpedantic -Wconversion)
  list(JOIN warnings "," host_warnings)
  target_compile_options(gpumem_compilation INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:${GPUMEM_WARNINGS}>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${host_warnings};-Werror=all-warnings>")
endif()

# Copies by multicast are compiled for sm_90 and later, not for sm_90a alone. Newer assemblers advise against that.
find_program(GPUMEM_PTXAS ptxas HINTS "${CUDAToolkit_BIN_DIR}")
set(no_advice "-suppress-async-bulk-multicast-advisory-warning")
if(GPUMEM_PTXAS)
  execute_process(COMMAND "${GPUMEM_PTXAS}" --help OUTPUT_VARIABLE ptxas_options ERROR_QUIET)
  if(ptxas_options MATCHES "${no_advice}")
    target_compile_options(gpumem_compilation INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=${no_advice}>")
  endif()
endif()

if(GPUMEM_SANITIZE)
  # Checks undefined behaviour that input may cause and that the address sanitizer does not see. All checks would double
  # the time to build.
  set(sanitizers address bool bounds enum float-cast-overflow integer-divide-by-zero return shift
    signed-integer-overflow unreachable)
  list(TRANSFORM sanitizers PREPEND "-fsanitize=")
  list(APPEND sanitizers -fno-sanitize-recover=all -fno-omit-frame-pointer)
  list(TRANSFORM sanitizers PREPEND "-Xcompiler " OUTPUT_VARIABLE cuda_sanitizers)
  list(JOIN cuda_sanitizers " " cuda_sanitizers)
  target_compile_options(gpumem_compilation INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:${sanitizers}>" "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:${cuda_sanitizers}>")
  target_link_options(gpumem_compilation INTERFACE -fsanitize=address,undefined)
  # With what the sanitizers add, GNU's linker takes six seconds a program, LLVM's one.
  check_linker_flag(CXX -fuse-ld=lld GPUMEM_LLD)
  if(GPUMEM_LLD)
    target_link_options(gpumem_compilation INTERFACE -fuse-ld=lld)
  endif()
endif()
if(GPUMEM_FUZZ AND (NOT GPUMEM_SANITIZE OR NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang"))
  message(FATAL_ERROR "GPUMEM_FUZZ needs clang and GPUMEM_SANITIZE: configure with --preset fuzz")
endif()
