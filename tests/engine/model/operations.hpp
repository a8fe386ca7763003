#pragma once
// Workloads made of operations, timed as the probes that have such ones are.

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/model/workload.hpp"

namespace gpumem::model::test {

/// The host's clock where the host works or stages, issues copies in pieces, or keeps streams busy with more than a
/// copy each.
inline measure::Clock clock_of(const std::vector<Operation>& operations) {
  using Work = Operation::Work;
  const auto is_copy = [](const Operation& operation) {
    return operation.work == Work::copy_to_device || operation.work == Work::copy_to_host;
  };
  const bool only_copies = std::ranges::all_of(operations, is_copy);
  const bool by_host = std::ranges::any_of(operations, [&](const Operation& operation) {
    return operation.work == Work::pack || operation.work == Work::busy_host || operation.pageable ||
           (is_copy(operation) && operation.count > 1) ||
           (!only_copies && operation.stream != operations.front().stream);
  });
  return by_host ? measure::Clock::host : measure::Clock::device;
}

inline Workload workload_of(std::vector<Operation> operations) {
  Workload workload;
  workload.clock = clock_of(operations);
  workload.operations = std::move(operations);
  return workload;
}

}  // namespace gpumem::model::test
