#include "workloads/import/vector_fields.hpp"

#include <array>

#include "workloads/import/workload.hpp"

namespace tcsim::workload {
namespace {

using kernels::Element;
using kernels::kLargestTensor;
using kernels::VectorOperation;

constexpr std::array<std::string_view, 2> kVectorNeeded{"rows", "cols"};

}  // namespace

VectorFields::VectorFields(VectorOperation operation)
    : OperatorFields(kernels::vector_name(operation), {"rows", "cols", "dtype", "acc"}) {
  problem_.operation = operation;
}

void VectorFields::set(const Field& field) {
  const std::string_view key = accept(field);
  if (key == "rows") problem_.rows = number(field, 1, kLargestTensor);
  if (key == "cols") problem_.cols = number(field, 1, kLargestTensor);
  if (key == "dtype") {
    constexpr std::array kFloats{Element::kFp16, Element::kBf16, Element::kFp32};
    problem_.element = element(field, kFloats, kernels::vector_name(problem_.operation))
                           .value_or(problem_.element);
  }
  if (key == "acc" && choice(field, kSumTypes) == 1)
    set_unsupported("the vector kernels compute in fp32");
}

std::optional<kernels::VectorProblem> VectorFields::finish(int end_column) {
  require(kVectorNeeded, end_column);
  if (complaints().empty() && problem_.cols > kLargestTensor / problem_.rows)
    set_unsupported("a tensor has more than 2^31 elements");
  if (!complaints().empty()) return std::nullopt;
  return problem_;
}

std::string vector_text(const kernels::VectorProblem& problem) {
  return std::string(kernels::vector_name(problem.operation)) +
         ":rows=" + std::to_string(problem.rows) + ",cols=" + std::to_string(problem.cols) +
         ",dtype=" + std::string(element_name(problem.element));
}

}  // namespace tcsim::workload
