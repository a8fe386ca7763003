#pragma once
// Operators of PyTorch by the functions that carry them out.

#include <optional>
#include <string>
#include <string_view>

namespace gpumem::inject {

/// "aten::add.Tensor" of `at::_ops::add_Tensor::call` and `::redispatch`, by the name that the linker knows. Nothing of
/// other functions.
[[nodiscard]] std::optional<std::string> operator_of(std::string_view symbol);
/// "MulBackward0" of `torch::autograd::generated::MulBackward0::apply`: a step of a backward pass.
[[nodiscard]] std::optional<std::string> backward_step_of(std::string_view symbol);
/// "aten::add" of "aten::add, op_id = 12", the name of a range that PyTorch marks for an operator (emit_nvtx). Nothing
/// where the name is like none.
[[nodiscard]] std::optional<std::string> operator_of_range(std::string_view name);

}  // namespace gpumem::inject
