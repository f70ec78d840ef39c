#include "workloads/import/pool_fields.hpp"

#include <algorithm>
#include <array>

#include "workloads/import/workload.hpp"

namespace tcsim::workload {
namespace {

using kernels::Element;
using kernels::kLargestTensor;
using kernels::PoolOperation;
using kernels::PoolProblem;

constexpr std::array<Extent<PoolProblem>, 10> kPoolExtents{
    {{"n", "", &PoolProblem::n, 1},
     {"h", "hw", &PoolProblem::h, 1},
     {"w", "hw", &PoolProblem::w, 1},
     {"c", "", &PoolProblem::c, 1},
     {"r", "rs", &PoolProblem::r, 1},
     {"s", "rs", &PoolProblem::s, 1},
     {"stride_h", "stride", &PoolProblem::stride_h, 1},
     {"stride_w", "stride", &PoolProblem::stride_w, 1},
     {"pad_h", "pad", &PoolProblem::pad_h, 0},
     {"pad_w", "pad", &PoolProblem::pad_w, 0}}};
constexpr std::array<std::string_view, 6> kPoolNeeded{"n", "h", "w", "c", "r", "s"};

std::vector<std::string_view> keys_of(PoolOperation operation) {
  if (operation == PoolOperation::kUpsample)
    return {"n", "h", "w", "hw", "c", "r", "s", "rs", "dtype"};
  std::vector<std::string_view> keys{"n",     "h",     "w",      "hw",       "c",        "r",
                                     "s",     "rs",    "stride", "stride_h", "stride_w", "pad",
                                     "pad_h", "pad_w", "ceil",   "dtype",    "acc"};
  if (operation == PoolOperation::kAverage) keys.emplace_back("count_pad");
  return keys;
}

}  // namespace

std::optional<PoolOperation> pool_operation(std::string_view name) {
  const auto* const found = std::ranges::find(kernels::kPoolNames, name);
  if (found == kernels::kPoolNames.end()) return std::nullopt;
  return static_cast<PoolOperation>(found - kernels::kPoolNames.begin());
}

PoolFields::PoolFields(PoolOperation operation)
    : OperatorFields(kernels::pool_name(operation), keys_of(operation)) {
  problem_.operation = operation;
}

void PoolFields::set(const Field& field) {
  const std::string_view key = accept(field);
  if (key.empty()) return;
  set_extent<PoolProblem>(field, kPoolExtents, problem_);
  if (key == "ceil") problem_.has_ceiling = flag(field);
  if (key == "count_pad") problem_.counts_padding = flag(field);
  if (key == "dtype") {
    constexpr std::array kFloats{Element::kFp16, Element::kBf16, Element::kFp32};
    problem_.element =
        element(field, kFloats, kernels::pool_name(problem_.operation)).value_or(problem_.element);
  }
  if (key == "acc" && choice(field, kSumTypes) == 1)
    set_unsupported("the pooling kernels compute in fp32");
}

std::optional<PoolProblem> PoolFields::finish(int end_column) {
  require(kPoolNeeded, end_column);
  if (!complaints().empty()) return std::nullopt;
  if (!was_given("stride_h")) problem_.stride_h = problem_.r;
  if (!was_given("stride_w")) problem_.stride_w = problem_.s;
  const std::string_view name = kernels::pool_name(problem_.operation);
  if (const std::string reason = why_not_a_pool(problem_); !reason.empty())
    complain(end_column, name, reason);
  else if (std::max(problem_.h * problem_.w, problem_.p() * problem_.q()) >
           kLargestTensor / problem_.c / problem_.n)
    set_unsupported("a tensor has more than 2^31 elements");
  if (!complaints().empty()) return std::nullopt;
  return problem_;
}

std::string pool_text(const PoolProblem& problem) {
  std::string text = std::string(kernels::pool_name(problem.operation)) + ":";
  const std::vector<std::string_view> keys = keys_of(problem.operation);
  for (const Extent<PoolProblem>& extent : kPoolExtents)
    if (std::ranges::find(keys, extent.key) != keys.end())
      text += std::string(extent.key) + "=" + std::to_string(problem.*extent.field) + ",";
  if (problem.has_ceiling) text += "ceil=1,";
  if (!problem.counts_padding) text += "count_pad=0,";
  return text + "dtype=" + std::string(element_name(problem.element));
}

}  // namespace tcsim::workload
