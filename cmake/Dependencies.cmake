# The libraries: the system's where it has them, else a pinned release whose hash is checked.
include_guard()
include(FetchContent)

# gpumem_library(<package> <oldest version> <url> <sha256>)
# A macro, because what find_package sets (a module path, for one) must reach the caller.
macro(gpumem_library package oldest url sha256)
  # SYSTEM comes first because CMake 3.25.1 hands it on to the download, as a further value of whatever stands before.
  FetchContent_Declare(${package} SYSTEM URL "${url}" URL_HASH SHA256=${sha256} DOWNLOAD_EXTRACT_TIMESTAMP ON
    FIND_PACKAGE_ARGS ${oldest} QUIET)
  FetchContent_MakeAvailable(${package})
  FetchContent_GetProperties(${package} POPULATED fetched SOURCE_DIR source_dir)
  if(fetched)
    # FetchContent's own EXCLUDE_FROM_ALL came with CMake 3.28: build of a library only what the program needs.
    set_property(DIRECTORY "${source_dir}" PROPERTY EXCLUDE_FROM_ALL ON)
  endif()
endmacro()

gpumem_library(fmt 9.1
  https://github.com/fmtlib/fmt/releases/download/10.2.1/fmt-10.2.1.zip
  312151a2d13c8327f5c9c586ac6cf7cddc1658e8f53edae0ec56509c8fa516c9)
# Linked statically, for other distributions have another version of the shared library. If the system has only that
# one, its headers are compiled into a library here: header-only, fmt would take most of the time to compile the
# program.
get_target_property(fmt_type fmt::fmt TYPE)
if(fmt_type STREQUAL "SHARED_LIBRARY")
  add_library(gpumem_fmt STATIC cmake/fmt.cpp)
  target_include_directories(gpumem_fmt SYSTEM PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(gpumem_fmt PRIVATE gpumem_compilation)
  target_compile_options(gpumem_fmt PRIVATE -O2)
else()
  add_library(gpumem_fmt INTERFACE)
  target_link_libraries(gpumem_fmt INTERFACE fmt::fmt)
endif()
gpumem_library(nlohmann_json 3.10
  https://github.com/nlohmann/json/archive/refs/tags/v3.11.3.tar.gz
  0d8ef5af7f9794e3263480193c491549b2ba6cc74bb018906202ada498a79406)
gpumem_library(CLI11 2.1
  https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.2.tar.gz
  f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a)
# Unpacks reports and index files; without it an error says what does. Statically as well where that is possible, so that
# the program starts on a machine without it.
set(ZLIB_USE_STATIC_LIBS ON)
find_package(ZLIB QUIET)
if(NOT ZLIB_FOUND)
  set(ZLIB_USE_STATIC_LIBS OFF)
  find_package(ZLIB QUIET)
endif()
add_library(gpumem_zlib INTERFACE)
if(ZLIB_FOUND)
  target_link_libraries(gpumem_zlib INTERFACE ZLIB::ZLIB)
  target_compile_definitions(gpumem_zlib INTERFACE GPUMEM_ZLIB)
endif()

if(GPUMEM_TESTS)
  # Any version: asking for one of Catch2 2 would refuse a 3, and both do.
  gpumem_library(Catch2 ""
    https://github.com/catchorg/Catch2/archive/refs/tags/v3.7.1.tar.gz
    c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c)
  if(fetched)
    list(APPEND CMAKE_MODULE_PATH "${source_dir}/extras")  # where Catch.cmake is
  endif()
  # Catch2 3 brings a main of its own; with Catch2 2 a test program defines it.
  add_library(gpumem_catch INTERFACE)
  if(TARGET Catch2::Catch2WithMain)
    target_link_libraries(gpumem_catch INTERFACE Catch2::Catch2WithMain)
  else()
    target_link_libraries(gpumem_catch INTERFACE Catch2::Catch2)
  endif()
endif()
