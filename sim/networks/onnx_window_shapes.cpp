#include <algorithm>
#include <stdexcept>
#include <string>

#include "sim/networks/onnx_attributes.hpp"
#include "sim/networks/onnx_dimensions.hpp"

namespace tcsim::networks {
namespace {

constexpr std::size_t kFirstSpatial = 2;  // behind samples and channels

/// How windows move over an image, by spatial dimension.
struct Windows {
  Dimensions sizes;
  Dimensions strides;
  Dimensions dilations;
  Dimensions pads;  ///< of all dimensions at the start, then at the end
  std::string automatic;
  bool has_ceiling = false;
};

Dimensions filled(const onnx::NodeProto& node, const char* name, std::size_t count,
                  std::int64_t absent, std::int64_t least) {
  Dimensions values = integers_attribute(node, name);
  if (values.empty()) values.assign(count, absent);
  if (values.size() != count)
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(values.size()) +
                                " numbers, not " + std::to_string(count));
  for (const std::int64_t value : values)
    if (value < least || value > kLargestSize)
      throw std::invalid_argument(std::string(name) + " of " + std::to_string(value));
  return values;
}

Windows windows_of(const onnx::NodeProto& node, const Dimensions& sizes) {
  const std::size_t count = sizes.size();
  Windows windows{sizes,
                  filled(node, "strides", count, 1, 1),
                  filled(node, "dilations", count, 1, 1),
                  filled(node, "pads", 2 * count, 0, 0),
                  text_attribute(node, "auto_pad"),
                  integer_attribute(node, "ceil_mode", 0) == 1};
  if (windows.automatic == "VALID") windows.pads.assign(2 * count, 0);
  return windows;
}

/// Windows along dimension `i` of an image with `size` pixels there.
std::int64_t count_along(const Windows& windows, std::size_t i, std::int64_t size) {
  if (size < 0 || windows.sizes[i] < 0) return kUnknown;
  const std::int64_t stride = windows.strides[i];
  if (windows.automatic.starts_with("SAME")) return size / stride + (size % stride != 0 ? 1 : 0);
  if (windows.dilations[i] > kLargestSize / std::max<std::int64_t>(windows.sizes[i], 1))
    throw std::invalid_argument("a window larger than any image");
  const std::int64_t window = windows.dilations[i] * (windows.sizes[i] - 1) + 1;
  const std::int64_t padding = windows.pads[i] + windows.pads[i + windows.sizes.size()];
  const std::int64_t free = size + padding - window;
  if (free < 0)
    throw std::invalid_argument("a window of " + std::to_string(window) + " on " +
                                std::to_string(size + padding) + " padded pixels");
  if (!windows.has_ceiling) return free / stride + 1;
  const std::int64_t count = (free + stride - 1) / stride + 1;
  // As PyTorch and kernels::window_positions: none starts in the padding at the end.
  return (count - 1) * stride < size + windows.pads[i] ? count : count - 1;
}

Dimensions moved_over(const Windows& windows, const Dimensions& x, std::int64_t channels) {
  Dimensions y{x[0], channels};
  for (std::size_t i = 0; i < windows.sizes.size(); ++i)
    y.push_back(count_along(windows, i, x[i + kFirstSpatial]));
  return y;
}

std::int64_t groups_of(const onnx::NodeProto& node) {
  const std::int64_t groups = integer_attribute(node, "group", 1);
  if (groups < 1 || groups > kLargestSize)
    throw std::invalid_argument("groups of " + std::to_string(groups));
  return groups;
}

std::optional<Dimensions> convolution(const OnnxOperands& operands) {
  const Dimensions* const x = operands.shape(0);
  const Dimensions* const w = second_operand(operands);
  if (x == nullptr || w == nullptr) return std::nullopt;
  if (x->size() <= kFirstSpatial || x->size() != w->size())
    throw std::invalid_argument("an image of " + text(*x) + " and filters of " + text(*w));
  const std::int64_t groups = groups_of(operands.node);
  const std::int64_t channels = (*w)[1] < 0 ? kUnknown : product({(*w)[1], groups});
  if (channels >= 0 && (*x)[1] >= 0 && channels != (*x)[1])
    throw std::invalid_argument("filters of " + std::to_string(channels) +
                                " channels on an image of " + std::to_string((*x)[1]));
  const Windows windows = windows_of(operands.node, {w->begin() + kFirstSpatial, w->end()});
  return moved_over(windows, *x, w->front());
}

/// Pixels along dimension `i` of what windows spread to from an image with `size` pixels there.
/// `more` is added at the end. ONNX, ConvTranspose; its automatic padding leaves `size` times the
/// stride, or more where the window is smaller than the stride.
std::int64_t spread_along(const Windows& windows, std::size_t i, std::int64_t size,
                          std::int64_t more) {
  if (size < 0 || windows.sizes[i] < 0) return kUnknown;
  const std::int64_t stride = windows.strides[i];
  if (windows.sizes[i] > kLargestSize / windows.dilations[i] || size > kLargestSize / stride)
    throw std::invalid_argument("a result larger than any image");
  const std::int64_t window = windows.dilations[i] * (windows.sizes[i] - 1) + 1;
  std::int64_t padding = windows.pads[i] + windows.pads[i + windows.sizes.size()];
  if (windows.automatic.starts_with("SAME")) padding = std::max<std::int64_t>(window - stride, 0);
  const std::int64_t result = stride * (size - 1) + window + more - padding;
  if (result < 1)
    throw std::invalid_argument("a result of " + std::to_string(result) +
                                " pixels: the padding of " + std::to_string(padding) +
                                " leaves nothing");
  return result;
}

/// Every pixel spreads to a window of the result.
std::optional<Dimensions> transposed(const OnnxOperands& operands) {
  const Dimensions* const x = operands.shape(0);
  const Dimensions* const w = operands.shape(1);
  if (x == nullptr || w == nullptr) return std::nullopt;
  if (x->size() <= kFirstSpatial || x->size() != w->size())
    throw std::invalid_argument("an image of " + text(*x) + " and filters of " + text(*w));
  const std::int64_t groups = groups_of(operands.node);
  if ((*w)[0] >= 0 && (*x)[1] >= 0 && ((*w)[0] != (*x)[1] || (*x)[1] % groups != 0))
    throw std::invalid_argument("filters of " + std::to_string((*w)[0]) + " channels in " +
                                std::to_string(groups) + " groups on an image of " +
                                std::to_string((*x)[1]));
  const Windows windows = windows_of(operands.node, {w->begin() + kFirstSpatial, w->end()});
  const std::size_t count = windows.sizes.size();
  const Dimensions more = filled(operands.node, "output_padding", count, /*absent=*/0, /*least=*/0);
  Dimensions y{x->front(), product({(*w)[1], groups})};
  if (attribute(operands.node, "output_shape") != nullptr) {
    // Of the image alone, as ONNX has it; some exporters put samples and channels before.
    Dimensions given = integers_attribute(operands.node, "output_shape");
    if (given.size() == x->size()) given.erase(given.begin(), given.begin() + kFirstSpatial);
    if (given.size() != count)
      throw std::invalid_argument("output_shape has " + std::to_string(given.size()) +
                                  " numbers, not " + std::to_string(count));
    for (const std::int64_t size : given)
      if (size < 1 || size > kLargestSize)
        throw std::invalid_argument("output_shape of " + std::to_string(size));
    y.insert(y.end(), given.begin(), given.end());
    return y;
  }
  for (std::size_t i = 0; i < count; ++i)
    y.push_back(spread_along(windows, i, (*x)[i + kFirstSpatial], more[i]));
  return y;
}

std::optional<Dimensions> pool(const OnnxOperands& operands) {
  const Dimensions* const x = operands.shape(0);
  if (x == nullptr) return std::nullopt;
  const Dimensions sizes = integers_attribute(operands.node, "kernel_shape");
  if (x->size() <= kFirstSpatial || sizes.size() + kFirstSpatial != x->size())
    throw std::invalid_argument("windows of " + text(sizes) + " on " + text(*x));
  for (const std::int64_t size : sizes)
    if (size < 1 || size > kLargestSize)
      throw std::invalid_argument("a window of " + std::to_string(size));
  return moved_over(windows_of(operands.node, sizes), *x, (*x)[1]);
}

}  // namespace

std::optional<Dimensions> window_result(const OnnxOperands& operands) {
  const std::string& op = operands.node.op_type();
  if (op == "Conv" || op == "ConvInteger" || op == "QLinearConv") return convolution(operands);
  if (op == "ConvTranspose") return transposed(operands);
  if (op == "MaxPool" || op == "AveragePool" || op == "LpPool") return pool(operands);
  if (operands.shape(0) == nullptr) return std::nullopt;
  Dimensions y = *operands.shape(0);  // a global pool
  if (y.size() <= kFirstSpatial) throw std::invalid_argument("no image but " + text(y));
  std::fill(y.begin() + kFirstSpatial, y.end(), 1);
  return y;
}

}  // namespace tcsim::networks
