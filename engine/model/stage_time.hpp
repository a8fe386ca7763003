#pragma once

#include <string_view>

namespace gpumem::model {

/// The time that a part of the GPU or its host needs for its share of the work.
struct StageTime {
  std::string_view stage;
  double seconds = 0;
};

}  // namespace gpumem::model
