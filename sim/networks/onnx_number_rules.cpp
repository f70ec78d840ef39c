#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

#include "sim/networks/onnx_attributes.hpp"
#include "sim/networks/onnx_dimensions.hpp"

namespace tcsim::networks {
namespace {

using Numbers = std::vector<std::int64_t>;
using Result = std::optional<Numbers>;

Result same(const OnnxOperands& operands) {
  if (operands.values(0) == nullptr) return std::nullopt;
  return *operands.values(0);
}

/// Of whole numbers to whole numbers.
Result cast(const OnnxOperands& operands) {
  const std::int64_t type = integer_attribute(operands.node, "to", 0);
  const bool is_whole = type == onnx::TensorProto::INT64 || type == onnx::TensorProto::INT32;
  return is_whole ? same(operands) : std::nullopt;
}

Result shape(const OnnxOperands& operands) {
  const Dimensions* const x = operands.shape(0);
  if (x == nullptr || std::ranges::any_of(*x, [](std::int64_t size) { return size < 0; }))
    return std::nullopt;
  const auto rank = static_cast<std::int64_t>(x->size());
  const SliceRange range = slice_range(rank, integer_attribute(operands.node, "start", 0),
                                       integer_attribute(operands.node, "end", rank), /*step=*/1);
  const auto first = x->begin() + range.first;
  return Numbers(first, first + range.count);
}

/// False if the first operand is a table of numbers, whose rows nothing here knows.
bool is_list(const OnnxOperands& operands) {
  return operands.shape(0) == nullptr || operands.shape(0)->size() <= 1;
}

Result gather(const OnnxOperands& operands) {
  const Numbers* const from = operands.values(0);
  const Numbers* const indices = operands.values(1);
  if (from == nullptr || indices == nullptr || !is_list(operands)) return std::nullopt;
  Numbers picked;
  const auto count = static_cast<std::int64_t>(from->size());
  for (const std::int64_t index : *indices) {
    if (index < -count || index >= count)
      throw std::invalid_argument("index " + std::to_string(index) + " of " +
                                  std::to_string(count) + " numbers");
    picked.push_back((*from)[static_cast<std::size_t>(index < 0 ? index + count : index)]);
  }
  return picked;
}

Result concatenate(const OnnxOperands& operands) {
  Numbers joined;
  for (const Numbers* const part : operands.numbers) {
    if (part == nullptr) return std::nullopt;
    joined.insert(joined.end(), part->begin(), part->end());
  }
  return joined;
}

Result slice(const OnnxOperands& operands) {
  const Numbers* const from = operands.values(0);
  const auto starts = attribute_or_input(operands, "starts", 1);
  const auto ends = attribute_or_input(operands, "ends", 2);
  const auto steps = attribute_or_input(operands, "steps", 4);
  if (from == nullptr || !is_list(operands) || !starts || !ends || !steps || starts->size() != 1 ||
      ends->size() != 1)
    return std::nullopt;
  const SliceRange range = slice_range(static_cast<std::int64_t>(from->size()), starts->front(),
                                       ends->front(), steps->empty() ? 1 : steps->front());
  Numbers picked;
  for (std::int64_t i = 0; i < range.count; ++i)
    picked.push_back((*from)[static_cast<std::size_t>(range.first + i * range.step)]);
  return picked;
}

/// Nothing where the result is none or does not fit.
std::optional<std::int64_t> combined(const std::string& op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (op == "Div") {
    if (b == 0 || (b == -1 && a == INT64_MIN)) return std::nullopt;
    return a / b;
  }
  const bool overflows = op == "Add"   ? __builtin_add_overflow(a, b, &result)
                         : op == "Sub" ? __builtin_sub_overflow(a, b, &result)
                                       : __builtin_mul_overflow(a, b, &result);
  return overflows ? std::nullopt : std::optional(result);
}

Result arithmetic(const OnnxOperands& operands) {
  const Numbers* const a = operands.values(0);
  const Numbers* const b = operands.values(1);
  if (a == nullptr || b == nullptr || a->empty() || b->empty()) return std::nullopt;
  if (a->size() != b->size() && a->size() != 1 && b->size() != 1) return std::nullopt;
  const auto a_at = [a](std::size_t i) { return (*a)[a->size() == 1 ? 0 : i]; };
  const auto b_at = [b](std::size_t i) { return (*b)[b->size() == 1 ? 0 : i]; };
  Numbers result;
  for (std::size_t i = 0; i < std::max(a->size(), b->size()); ++i) {
    const auto value = combined(operands.node.op_type(), a_at(i), b_at(i));
    if (!value) return std::nullopt;
    const bool is_rounded = operands.node.op_type() == "Div" && *value * b_at(i) != a_at(i);
    if (is_rounded && operands.has_floats) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

}  // namespace

std::optional<std::vector<std::int64_t>> result_numbers(const OnnxOperands& operands) {
  using Rule = Result (*)(const OnnxOperands&);
  static const std::map<std::string, Rule, std::less<>> rules{
      {"Identity", same},  {"Cast", cast},      {"Squeeze", same},       {"Unsqueeze", same},
      {"Shape", shape},    {"Gather", gather},  {"Concat", concatenate}, {"Slice", slice},
      {"Add", arithmetic}, {"Sub", arithmetic}, {"Mul", arithmetic},     {"Div", arithmetic}};
  const auto rule = rules.find(operands.node.op_type());
  if (rule == rules.end()) return std::nullopt;
  return rule->second(operands);
}

}  // namespace tcsim::networks
