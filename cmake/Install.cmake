# The files that `cmake --install` installs, and the Debian package (`cpack -G DEB` in the build folder).
include_guard()
include(GNUInstallDirs)

# The program prints its own manual and completion scripts, so that they say what this build takes.
set(printed "${CMAKE_BINARY_DIR}/share")
if(NOT CMAKE_CROSSCOMPILING)
  file(MAKE_DIRECTORY "${printed}")
  add_custom_command(TARGET gpumem POST_BUILD
    COMMAND gpumem manual > gpumem.1
    COMMAND gpumem completion bash > gpumem
    COMMAND gpumem completion zsh > _gpumem
    COMMAND gpumem completion fish > gpumem.fish
    WORKING_DIRECTORY "${printed}" COMMENT "Manual page and completion scripts" VERBATIM)
  install(FILES "${printed}/gpumem.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  install(FILES "${printed}/gpumem" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${printed}/_gpumem" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  install(FILES "${printed}/gpumem.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()

install(TARGETS gpumem RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
if(TARGET gpumem_inject)
  # Not among the system's libraries: nothing links it. As there, nobody executes it.
  install(TARGETS gpumem_inject LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/gpumem"
    PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endif()

# The program carries its suites and profiles with it; these are to copy from.
set(data "${CMAKE_INSTALL_DATADIR}/gpumem")
install(DIRECTORY configs DESTINATION "${data}"
  FILES_MATCHING PATTERN "*.json" PATTERN reference EXCLUDE PATTERN deploy EXCLUDE)
install(DIRECTORY configs/deploy DESTINATION "${data}"
  PATTERN gpumem-gate PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
install(DIRECTORY report/schema DESTINATION "${data}" OPTIONAL FILES_MATCHING PATTERN "*.json")
install(DIRECTORY report/plotting DESTINATION "${data}" PATTERN __pycache__ EXCLUDE)
if(GPUMEM_PLOTLY)
  install(FILES "${GPUMEM_PLOTLY}" DESTINATION "${data}")
endif()
if(TARGET gpumem_python)  # for $PYTHONPATH; the scripts that draw are there once
  install(DIRECTORY python/gpumem DESTINATION "${data}/python"
    FILES_MATCHING PATTERN "*.py" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
  install(FILES "${CMAKE_BINARY_DIR}/python/gpumem/probes.py" "${CMAKE_BINARY_DIR}/python/gpumem/keywords.py"
    DESTINATION "${data}/python/gpumem")
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/links")
  foreach(name plotting plotly.min.js)
    file(CREATE_LINK "../../${name}" "${CMAKE_BINARY_DIR}/links/${name}" SYMBOLIC)
    if(GPUMEM_PLOTLY OR name STREQUAL plotting)
      install(FILES "${CMAKE_BINARY_DIR}/links/${name}" DESTINATION "${data}/python/gpumem")
    endif()
  endforeach()
endif()
install(FILES README.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}")

set(CPACK_PACKAGE_NAME gpumem)
set(CPACK_PACKAGE_VENDOR gpumem)
set(GPUMEM_MAINTAINER "The gpumem developers <gpumem@localhost>" CACHE STRING "Name and address that a package carries")
set(CPACK_PACKAGE_CONTACT "${GPUMEM_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "profiler of the memory behaviour of NVIDIA GPUs")
set(CPACK_PACKAGE_DESCRIPTION
  "gpumem shows how the memory of a GPU and its link to the host behave:
effective bandwidth of aligned, shifted and strided access, bank conflicts
in shared memory, copies from and to every kind of host memory. Every case
is predicted by a model, measured by the clock and counted by the hardware.
Predicting needs no GPU and no driver; measuring needs the NVIDIA driver.
Of any other CUDA program, unchanged, it shows which kernels waste memory
bandwidth, and at which line.")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB)

set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)  # gpumem_0.1.0_amd64.deb
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# Loaded at run time where they are: the driver, NVML, CUPTI for --counters, the Compute Sanitizer's library for
# `gpumem run`. Python draws pages, and figures with matplotlib.
string(REPLACE "." "-" cuda_release "${GPUMEM_CUDA_VERSION}")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, cuda-sanitizer-${cuda_release}")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libcuda1, libnvidia-ml1, cuda-cupti-${cuda_release}, python3-matplotlib")
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(DPKG_SHLIBDEPS)
if(DPKG_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS libc6)
endif()
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/DebianFiles.cmake")
include(CPack)
