# The glossary of docs, compiled into the program so that `gpumem help TERM` explains its terms.
include_guard()
include(EmbedFiles)

set(GPUMEM_EMBEDDED_GLOSSARY "${CMAKE_BINARY_DIR}/generated/embedded_glossary.cpp")
gpumem_embed("${GPUMEM_EMBEDDED_GLOSSARY}" app/commands/glossary.hpp gpumem::app EmbeddedPage embedded_pages
  "${PROJECT_SOURCE_DIR}/docs/glossary.md")
