#include "tests/source_folder.hpp"

std::filesystem::path gpumem::test::source_folder() { return GPUMEM_SOURCE_DIR; }
