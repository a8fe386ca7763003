#pragma once
// Checks of pairs of GPUs: the words for a pair, and the comparison of pairs that no prediction tells about.

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "report/check/expectation.hpp"
#include "report/record/cases.hpp"
#include "report/record/gpus.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// True if the cases of the expectation are between GPUs.
[[nodiscard]] bool is_about_pairs(const Expectation& expectation);

/// Returns "GPU 0 (1B:00.0, GPU-8f2a11c0) to GPU 3 (4B:00.0, GPU-8f2a11c3), via copy-engine".
[[nodiscard]] std::string pair_words(const Report& report, const Record& record, const GpuPair& pair);

/// Returns "318 GB/s, 20.0 % below the predicted 397 GB/s" of a measured case with a prediction.
[[nodiscard]] std::string against_prediction(const Record& record);

/// Names the GPU that all of these pairs have in common: ", all from GPU 3". Empty if there is none.
[[nodiscard]] std::string common_gpu(std::span<const GpuPair> pairs);

/// Returns why the prediction of a pair tells nothing, and what would; absent if it tells how fast the pair should be.
[[nodiscard]] std::optional<std::string> why_pair_unpredicted(const Report& report, const Record& record,
                                                              const GpuPair& pair);

struct PairsAgreement {
  CheckRecord check;
  std::size_t judged = 0;    ///< pairs
  std::size_t unjudged = 0;  ///< pairs that were measured, have no telling prediction, and too few like them
};
/// Compares the pairs without a telling prediction with each other, by judge_matrix(). The check fails if one is a slow
/// outlier. Its cases are indices into the report's results, which are all between GPUs. Absent if there are no pairs
/// without a telling prediction.
[[nodiscard]] std::optional<PairsAgreement> pairs_agreement(const Report& between);

}  // namespace gpumem::report
