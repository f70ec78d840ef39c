#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>

#include "sim/networks/onnx_attributes.hpp"
#include "sim/networks/onnx_dimensions.hpp"

namespace tcsim::networks {
namespace {

using Numbers = std::vector<std::int64_t>;
using Result = std::optional<Dimensions>;

/// Axes given to `operands`, counted from the front of `rank` dimensions, ascending.
std::optional<std::vector<std::size_t>> axes_of(const OnnxOperands& operands, std::size_t rank) {
  const auto given = attribute_or_input(operands, "axes", 1);
  if (!given) return std::nullopt;
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : *given) axes.push_back(axis_from_front(axis, rank));
  std::ranges::sort(axes);
  if (std::ranges::adjacent_find(axes) != axes.end())
    throw std::invalid_argument("an axis is given twice");
  return axes;
}

/// 0 keeps a size, one -1 takes what is left.
Result reshape(const OnnxOperands& operands, const Dimensions& x) {
  const auto wanted = attribute_or_input(operands, "shape", 1);  // an attribute before opset 5
  if (!wanted) return std::nullopt;
  const bool keeps_zero = integer_attribute(operands.node, "allowzero", 0) != 0;
  Dimensions y = *wanted;
  std::ptrdiff_t open = -1;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] < -1 || (y[i] == -1 && open >= 0))
      throw std::invalid_argument("a new shape of " + text(y));
    if (y[i] == -1) open = static_cast<std::ptrdiff_t>(i);
    if (y[i] != 0 || keeps_zero) continue;
    if (i >= x.size()) throw std::invalid_argument("keeps a size that " + text(x) + " has not");
    y[i] = x[i];
  }
  const std::int64_t all = product(x);
  if (open < 0) {
    if (all >= 0 && product(y) >= 0 && product(y) != all)
      throw std::invalid_argument(text(x) + " seen as " + text(y));
    return y;
  }
  y[static_cast<std::size_t>(open)] = 1;
  const std::int64_t rest = product(y);
  if (all >= 0 && rest > 0 && all % rest != 0)
    throw std::invalid_argument(text(x) + " seen in parts of " + std::to_string(rest));
  y[static_cast<std::size_t>(open)] = all < 0 || rest <= 0 ? kUnknown : all / rest;
  return y;
}

Result flatten(const OnnxOperands& operands, const Dimensions& x) {
  const std::int64_t axis = integer_attribute(operands.node, "axis", 1);
  const auto rank = static_cast<std::int64_t>(x.size());
  const std::size_t at = axis == rank ? x.size() : axis_from_front(axis, x.size());
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(at);
  return Dimensions{product({x.begin(), middle}), product({middle, x.end()})};
}

Result transpose(const OnnxOperands& operands, const Dimensions& x) {
  Numbers order = integers_attribute(operands.node, "perm");
  if (order.empty()) {
    order.resize(x.size());
    std::iota(order.rbegin(), order.rend(), 0);
  }
  Numbers sorted = order;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (sorted.size() != x.size() || sorted[i] != static_cast<std::int64_t>(i))
      throw std::invalid_argument("no order of the dimensions of " + text(x));
  Dimensions y;
  for (const std::int64_t from : order) y.push_back(x[static_cast<std::size_t>(from)]);
  return y;
}

Result squeeze(const OnnxOperands& operands, const Dimensions& x) {
  const auto axes = axes_of(operands, x.size());
  if (!axes || (axes->empty() && std::ranges::count(x, kUnknown) > 0)) return std::nullopt;
  Dimensions y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_named = std::ranges::binary_search(*axes, i);
    if (is_named && x[i] > 1) throw std::invalid_argument("drops a dimension of " + text(x));
    if (!is_named && !(axes->empty() && x[i] == 1)) y.push_back(x[i]);
  }
  return y;
}

Result unsqueeze(const OnnxOperands& operands, const Dimensions& x) {
  const auto given = attribute_or_input(operands, "axes", 1);
  if (!given) return std::nullopt;
  const auto axes = axes_of(operands, x.size() + given->size());
  Dimensions y = x;
  for (const std::size_t axis : *axes) y.insert(y.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  return y;
}

Result concatenate(const OnnxOperands& operands, const Dimensions& x) {
  const std::size_t axis = axis_from_front(integer_attribute(operands.node, "axis", 0), x.size());
  Dimensions y = x;
  for (std::size_t i = 1; i < operands.dimensions.size(); ++i) {
    const Dimensions* const next = operands.shape(i);
    if (next == nullptr) return std::nullopt;
    if (next->size() != x.size())
      throw std::invalid_argument("joins " + text(x) + " and " + text(*next));
    for (std::size_t d = 0; d < x.size(); ++d) {
      if (d == axis)
        y[d] = y[d] < 0 || (*next)[d] < 0 ? kUnknown : std::min(y[d] + (*next)[d], kLargestSize);
      else if (y[d] >= 0 && (*next)[d] >= 0 && y[d] != (*next)[d])
        throw std::invalid_argument("joins " + text(x) + " and " + text(*next));
      else
        y[d] = std::max(y[d], (*next)[d]);
    }
  }
  return y;
}

Result split(const OnnxOperands& operands, const Dimensions& x, int output) {
  const std::size_t axis = axis_from_front(integer_attribute(operands.node, "axis", 0), x.size());
  const auto sizes = attribute_or_input(operands, "split", 1);
  if (!sizes) return std::nullopt;
  const auto parts = static_cast<std::int64_t>(operands.node.output_size());
  if (!sizes->empty() && static_cast<std::int64_t>(sizes->size()) != parts)
    throw std::invalid_argument(std::to_string(sizes->size()) + " sizes for " +
                                std::to_string(parts) + " parts");
  Dimensions y = x;
  if (!sizes->empty())
    y[axis] = (*sizes)[static_cast<std::size_t>(output)];
  else if (x[axis] >= 0)
    y[axis] =
        std::min((x[axis] + parts - 1) / parts,  // the last part may be smaller
                 std::max<std::int64_t>(0, x[axis] - output * ((x[axis] + parts - 1) / parts)));
  return y;
}

Result slice(const OnnxOperands& operands, const Dimensions& x) {
  const auto starts = attribute_or_input(operands, "starts", 1);
  const auto ends = attribute_or_input(operands, "ends", 2);
  auto axes = attribute_or_input(operands, "axes", 3);
  auto steps = attribute_or_input(operands, "steps", 4);
  if (!starts || !ends || !axes || !steps) return std::nullopt;
  if (axes->empty()) {
    axes->resize(starts->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (steps->empty()) steps->assign(starts->size(), 1);
  if (starts->size() != ends->size() || axes->size() != starts->size() ||
      steps->size() != starts->size())
    throw std::invalid_argument("starts, ends, axes and steps differ in number");
  Dimensions y = x;
  for (std::size_t i = 0; i < starts->size(); ++i) {
    std::int64_t& size = y[axis_from_front((*axes)[i], x.size())];
    if (size >= 0) size = slice_range(size, (*starts)[i], (*ends)[i], (*steps)[i]).count;
  }
  return y;
}

Result gather(const OnnxOperands& operands, const Dimensions& x) {
  const Dimensions* const indices = operands.shape(1);
  if (indices == nullptr) return std::nullopt;
  const auto axis = static_cast<std::ptrdiff_t>(
      axis_from_front(integer_attribute(operands.node, "axis", 0), x.size()));
  Dimensions y(x.begin(), x.begin() + axis);
  y.insert(y.end(), indices->begin(), indices->end());
  y.insert(y.end(), x.begin() + axis + 1, x.end());
  return y;
}

Result expand(const OnnxOperands& operands, const Dimensions& x) {
  if (operands.values(1) == nullptr) return std::nullopt;
  return broadcast(x, *operands.values(1));
}

Result tile(const OnnxOperands& operands, const Dimensions& x) {
  const Numbers* const repeats = operands.values(1);
  if (repeats == nullptr) return std::nullopt;
  if (repeats->size() != x.size())
    throw std::invalid_argument(std::to_string(repeats->size()) + " repeats of " + text(x));
  Dimensions y;
  for (std::size_t i = 0; i < x.size(); ++i) y.push_back(product({x[i], (*repeats)[i]}));
  return y;
}

Result pad(const OnnxOperands& operands, const Dimensions& x) {
  const auto pads = attribute_or_input(operands, "pads", 1);
  if (!pads || operands.node.input_size() > 3) return std::nullopt;
  if (pads->size() != 2 * x.size())
    throw std::invalid_argument(std::to_string(pads->size()) + " pads for " + text(x));
  Dimensions y = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (const std::int64_t more : {(*pads)[i], (*pads)[i + x.size()]})
      if (more < -kLargestSize || more > kLargestSize)
        throw std::invalid_argument("a padding of " + std::to_string(more));
    if (x[i] >= 0) y[i] = std::max<std::int64_t>(0, x[i] + (*pads)[i] + (*pads)[i + x.size()]);
  }
  return y;
}

}  // namespace

std::optional<Dimensions> view_result(const OnnxOperands& operands, int output) {
  using Rule = Result (*)(const OnnxOperands&, const Dimensions&);
  static const std::map<std::string, Rule, std::less<>> rules{
      {"Reshape", reshape},    {"Flatten", flatten}, {"Transpose", transpose},
      {"Squeeze", squeeze},    {"Slice", slice},     {"Unsqueeze", unsqueeze},
      {"Concat", concatenate}, {"Gather", gather},   {"Expand", expand},
      {"Tile", tile},          {"Pad", pad}};
  const Dimensions* const x = operands.shape(0);
  if (x == nullptr) return std::nullopt;
  const std::string& op = operands.node.op_type();
  if (op == "Split") return split(operands, *x, output);
  if (output > 0) return std::nullopt;
  return rules.at(op)(operands, *x);
}

}  // namespace tcsim::networks
