#include <stdexcept>
#include <string>

#include "sim/networks/onnx_attributes.hpp"
#include "sim/networks/onnx_dimensions.hpp"

namespace tcsim::networks {
namespace {

void check_inner(std::int64_t a, std::int64_t b) {
  if (a >= 0 && b >= 0 && a != b)
    throw std::invalid_argument("a product over " + std::to_string(a) + " columns and " +
                                std::to_string(b) + " rows");
}

Dimensions gemm(const onnx::NodeProto& node, const Dimensions& a, const Dimensions& b) {
  if (a.size() != 2 || b.size() != 2)
    throw std::invalid_argument("operands of " + text(a) + " and " + text(b) + " are not matrices");
  const std::size_t rows = integer_attribute(node, "transA", 0) != 0 ? 1 : 0;
  const std::size_t cols = integer_attribute(node, "transB", 0) != 0 ? 0 : 1;
  check_inner(a[1 - rows], b[1 - cols]);
  return {a[rows], b[cols]};
}

/// Vectors count as a row or a column, which the result has not.
Dimensions matmul(Dimensions a, Dimensions b) {
  if (a.empty() || b.empty()) throw std::invalid_argument("a product with a single number");
  const bool is_row = a.size() == 1;
  const bool is_column = b.size() == 1;
  if (is_row) a.insert(a.begin(), 1);
  if (is_column) b.push_back(1);
  check_inner(a.back(), b[b.size() - 2]);
  Dimensions result = broadcast({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
  if (!is_row) result.push_back(a[a.size() - 2]);
  if (!is_column) result.push_back(b.back());
  return result;
}

}  // namespace

std::optional<Dimensions> product_result(const OnnxOperands& operands) {
  const Dimensions* const a = operands.shape(0);
  const Dimensions* const b = second_operand(operands);
  if (a == nullptr || b == nullptr) return std::nullopt;
  return operands.node.op_type() == "Gemm" ? gemm(operands.node, *a, *b) : matmul(*a, *b);
}

}  // namespace tcsim::networks
