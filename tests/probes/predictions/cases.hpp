#pragma once
// Cases of the registered probes, built by hand, and what the model says of them.

#include <cstdint>
#include <string>

#include "engine/model/predict.hpp"
#include "probes/probe.hpp"

namespace gpumem::model::test {

/// The launch of a global probe. The defaults saturate an H200's memory.
struct Shape {
  std::uint64_t word_bytes = 4;
  std::uint64_t elements_per_thread = 8;
  std::uint64_t block_threads = 256;
  std::uint64_t buffer_bytes = std::uint64_t{256} << 20U;
};

inline Case global_case(const std::string& probe, Value swept, const std::string& op, const Shape& shape = {}) {
  const Probe* found = find_probe(probe);
  return {.probe = found,
          .parameters = {{found->axes.front().parameter, std::move(swept)},
                         {"op", op},
                         {"word_bytes", shape.word_bytes},
                         {"elements_per_thread", shape.elements_per_thread},
                         {"block_threads", shape.block_threads},
                         {"buffer_bytes", shape.buffer_bytes}}};
}

inline Case bank_case(std::uint64_t stride, std::uint64_t word_bytes) {
  return {.probe = find_probe("bank"),
          .parameters = {{"stride_words", stride}, {"word_bytes", word_bytes}, {"op", std::string("read")}}};
}

inline Prediction predict(const Case& tested, const Profile& profile) {
  return model::predict(tested.probe->describe(tested, profile.device), profile);
}

inline double gb_per_s(const Prediction& prediction) { return prediction.bytes_per_s / 1e9; }

inline bool has_stage(const Prediction& prediction, std::string_view name) {
  for (const StageTime& stage : prediction.stages) {
    if (stage.stage == name) return true;
  }
  return false;
}

}  // namespace gpumem::model::test
