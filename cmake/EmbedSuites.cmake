# The suites of configs, compiled into the program so that it runs and checks without them.
include_guard()
include(EmbedFiles)

file(GLOB suites CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/configs/*.json")
set(GPUMEM_EMBEDDED_SUITES "${CMAKE_BINARY_DIR}/generated/embedded_suites.cpp")
gpumem_embed("${GPUMEM_EMBEDDED_SUITES}" app/suite/suite.hpp gpumem::app EmbeddedSuite embedded_suites ${suites})
