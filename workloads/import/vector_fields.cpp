#include "workloads/import/vector_fields.hpp"

#include <algorithm>
#include <array>

#include "workloads/import/workload.hpp"

namespace tcsim::workload {
namespace {

using kernels::Element;
using kernels::VectorOperation;

constexpr std::array kOperations{
    VectorOperation::kSoftmax, VectorOperation::kLayerNorm, VectorOperation::kRmsNorm,
    VectorOperation::kGelu,    VectorOperation::kSilu,      VectorOperation::kSiluAndMul,
    VectorOperation::kAdd,     VectorOperation::kQuantize,  VectorOperation::kDequantize};
constexpr std::int64_t kLargest = std::int64_t{1} << 31;  // elements of one buffer: 4 GiB of fp16

}  // namespace

std::optional<VectorOperation> vector_operation(std::string_view name) {
  const auto* const found = std::ranges::find(kOperations, name, kernels::vector_name);
  if (found == kOperations.end()) return std::nullopt;
  return *found;
}

std::vector<std::string_view> vector_operations() {
  std::vector<std::string_view> names;
  for (const VectorOperation operation : kOperations)
    names.push_back(kernels::vector_name(operation));
  return names;
}

VectorFields::VectorFields(VectorOperation operation)
    : reader_(std::string(kernels::vector_name(operation)), {"rows", "cols", "dtype", "acc"}) {
  problem_.operation = operation;
}

void VectorFields::set(const Field& field) {
  const bool may_be_empty = field.key == "dtype" || field.key == "acc";
  if (may_be_empty && field.value.empty()) return;
  const std::string_view key = reader_.take(field);
  if (key == "rows") problem_.rows = reader_.number(field, kLargest);
  if (key == "cols") problem_.cols = reader_.number(field, kLargest);
  if (key == "dtype") {
    constexpr std::array kElements{Element::kFp16, Element::kBf16, Element::kFp32};
    problem_.element = kElements.at(reader_.choice(field, {"fp16", "bf16", "fp32"}));
  }
  if (key == "acc" && reader_.choice(field, {"fp32", "fp16"}) == 1)
    unsupported_ = "the vector kernels compute in fp32";
}

std::optional<kernels::VectorProblem> VectorFields::finish(int end_column) {
  reader_.require({"rows", "cols"}, end_column);
  if (reader_.complaints().empty() && problem_.cols > kLargest / problem_.rows)
    reader_.complain(end_column, vector_name(problem_.operation), "more than 2147483648 elements");
  if (!reader_.complaints().empty()) return std::nullopt;
  return problem_;
}

std::string vector_text(const kernels::VectorProblem& problem) {
  return std::string(kernels::vector_name(problem.operation)) +
         ":rows=" + std::to_string(problem.rows) + ",cols=" + std::to_string(problem.cols) +
         ",dtype=" + std::string(element_name(problem.element));
}

}  // namespace tcsim::workload
