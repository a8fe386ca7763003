# placeholder until the pinned fallback lands
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
if(GPUMEM_TESTS)
  find_package(Catch2 REQUIRED)
  add_library(gpumem_catch INTERFACE)
  target_link_libraries(gpumem_catch INTERFACE Catch2::Catch2)
endif()
