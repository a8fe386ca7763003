# Run by CPack between installing and packing: what Debian's policy asks of a package's files and other installations
# do without.
set(root "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share")
if(NOT CPACK_GENERATOR STREQUAL "DEB" OR NOT EXISTS "${root}/doc/gpumem")
  return()
endif()

file(REMOVE "${root}/doc/gpumem/LICENSE")  # common to so many packages that Debian has it once
file(WRITE "${root}/doc/gpumem/copyright"
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: gpumem

Files: *
Copyright: 2026 The gpumem developers
License: Apache-2.0
 On Debian systems the text of the Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0.
Comment:
 The program is linked with NVIDIA's CUDA runtime (libcudart_static), which the CUDA Toolkit's license
 agreement lists among the files that may be distributed with an application.
")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH, where that is set
file(WRITE "${root}/doc/gpumem/changelog"
"gpumem (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
# Debian's zsh looks for completions in vendor-completions.
file(MAKE_DIRECTORY "${root}/zsh/vendor-completions")
file(RENAME "${root}/zsh/site-functions/_gpumem" "${root}/zsh/vendor-completions/_gpumem")
file(REMOVE_RECURSE "${root}/zsh/site-functions")
# Python 3 of any version looks for modules there.
if(EXISTS "${root}/gpumem/python")
  file(MAKE_DIRECTORY "${root}/../lib/python3/dist-packages")
  file(CREATE_LINK ../../../share/gpumem/python/gpumem "${root}/../lib/python3/dist-packages/gpumem" SYMBOLIC)
endif()
# -n: the same package from the same files.
find_program(gzip gzip REQUIRED)
execute_process(COMMAND "${gzip}" -9n "${root}/man/man1/gpumem.1" "${root}/doc/gpumem/changelog"
  COMMAND_ERROR_IS_FATAL ANY)
