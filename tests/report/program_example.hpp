#pragma once
// A report of a user's program, for the tests of what is made of one. Every number in it is made up.

#include <string>

#include "report/record/record.hpp"

namespace gpumem::report::examples {

/// Five kernels: a transpose by columns, a tile with bank conflicts, a copy and a sum that are fine, and one that a
/// CUDA graph launched, which was not seen. Two of them are in ranges that the program marks.
[[nodiscard]] Report program();

/// The same program with what it did when: launches on two streams, two of which overlap, a graph, ranges that begin
/// before the first launch, and a launch seen access by access. It knows who launched its first kernel, on what.
[[nodiscard]] Report program_in_time();

/// The same program counted: two of its kernels, another had too few launches.
[[nodiscard]] Report counted_program();

/// A kernel whose launches take so long in all, and of which so much could be saved.
[[nodiscard]] Record kernel_case(const std::string& name, double gpu_s, double saved_s);

}  // namespace gpumem::report::examples
