#include "sim/networks/onnx_importer.hpp"
#include "workloads/networks/shape_inference.hpp"

namespace tcsim::networks {
namespace {

constexpr std::int64_t kMostWindow = 65535;

}  // namespace

void OnnxImporter::read_window(const Node& node, Layer& layer) {
  const std::vector<std::int64_t> strides = integers_attribute(node, "strides");
  std::vector<std::int64_t> pads = integers_attribute(node, "pads");
  const std::vector<std::int64_t> dilations = integers_attribute(node, "dilations");
  if (dilations.size() == 2) {
    layer.dil_h = dilations[0];
    layer.dil_w = dilations[1];
  }
  if (strides.size() == 2) {
    layer.stride_h = strides[0];
    layer.stride_w = strides[1];
  }
  for (const std::int64_t value :
       {layer.r, layer.s, layer.stride_h, layer.stride_w, layer.dil_h, layer.dil_w})
    if (value < 1 || value > kMostWindow)
      refuse(node, "a window, stride or dilation of " + std::to_string(value));
  const std::int64_t window_h = layer.dil_h * (layer.r - 1) + 1;
  const std::int64_t window_w = layer.dil_w * (layer.s - 1) + 1;
  const std::string automatic = text_attribute(node, "auto_pad");
  if (automatic.starts_with("SAME")) {
    const Shape x = image_of(node, node.input(0));
    const bool spreads = layer.kind == LayerKind::kConvTranspose;
    const auto total = [&](std::int64_t size, std::int64_t window, std::int64_t stride) {
      const std::int64_t last = ((size + stride - 1) / stride - 1) * stride;  // start of a window
      return std::max<std::int64_t>(0, spreads ? window - stride : last + window - size);
    };
    const std::int64_t h = total(x.h, window_h, layer.stride_h);
    const std::int64_t w = total(x.w, window_w, layer.stride_w);
    pads = {h / 2, w / 2, h - h / 2, w - w / 2};
  }
  if (pads.size() != 4 || automatic == "VALID") pads = {0, 0, 0, 0};
  for (const std::int64_t pad : pads)
    if (pad < 0 || pad > kMostWindow) refuse(node, "a padding of " + std::to_string(pad));
  layer.pad_h = std::max(pads[0], pads[2]);
  layer.pad_w = std::max(pads[1], pads[3]);
}

int OnnxImporter::image(const Node& node) {
  const std::string& x = node.input(0);
  return viewed(node, x, root_of(x), image_of(node, x));
}

bool OnnxImporter::agrees(const Node& node, const Layer& layer) const {
  const InferredShape inferred = infer_shape(layer, {image_of(node, node.input(0))});
  return inferred.shape && *inferred.shape == image_of(node, node.output(0));
}

void OnnxImporter::conv(const Node& node) {
  const Dimensions w = sizes(node, node.input(1));
  if (w.size() != 4 || layer_of(node.input(1))) return skip(node);
  Layer layer;
  layer.kind = LayerKind::kConv;
  layer.features = w[0];
  layer.r = w[2];
  layer.s = w[3];
  layer.groups = integer_attribute(node, "group", 1);
  layer.has_bias = has_input(node, 2);
  if (layer.groups < 1) refuse(node, "groups of " + std::to_string(layer.groups));
  read_window(node, layer);
  if (!agrees(node, layer)) return skip(node);
  if (layer.groups > 1 && layer.groups == image_of(node, node.input(0)).c) layer.groups = 0;
  layer.inputs = {image(node)};
  add(node, std::move(layer));
}

void OnnxImporter::conv_transpose(const Node& node) {
  const Dimensions w = sizes(node, node.input(1));
  if (w.size() != 4 || layer_of(node.input(1)) || integer_attribute(node, "group", 1) != 1)
    return skip(node);
  Layer layer;
  layer.kind = LayerKind::kConvTranspose;
  layer.features = w[1];
  layer.r = w[2];
  layer.s = w[3];
  layer.has_bias = has_input(node, 2);
  read_window(node, layer);
  const std::vector<std::int64_t> more = integers_attribute(node, "output_padding");
  if (more.size() == 2) {
    layer.more_h = more[0];
    layer.more_w = more[1];
  }
  const bool has_kernel = layer.stride_h * layer.stride_w == 1 || layer.dil_h * layer.dil_w == 1;
  if (!has_kernel || !agrees(node, layer)) return skip(node);
  layer.inputs = {image(node)};
  add(node, std::move(layer));
}

void OnnxImporter::upsample(const Node& node) {
  const std::string mode = text_attribute(node, "mode");
  const Shape x = image_of(node, node.input(0));
  const Shape y = image_of(node, node.output(0));
  const bool is_nearest = mode.empty() || mode == "nearest";
  if (!is_nearest || y.c != x.c || y.h % x.h != 0 || y.w % x.w != 0) return skip(node);
  Layer layer;
  layer.kind = LayerKind::kUpsample;
  layer.r = y.h / x.h;
  layer.s = y.w / x.w;
  layer.inputs = {image(node)};
  add(node, std::move(layer));
}

void OnnxImporter::group_norm(const Node& node) {
  Layer layer;
  layer.kind = LayerKind::kGroupNorm;
  layer.groups = node.op_type() == "InstanceNormalization"
                     ? image_of(node, node.input(0)).c
                     : integer_attribute(node, "num_groups", 1);
  if (layer.groups < 1) refuse(node, "groups of " + std::to_string(layer.groups));
  layer.inputs = {image(node)};
  add(node, std::move(layer));
}

void OnnxImporter::pool(const Node& node) {
  const std::vector<std::int64_t> kernel = integers_attribute(node, "kernel_shape");
  if (kernel.size() != 2) return skip(node);
  Layer layer;
  layer.kind = node.op_type() == "MaxPool" ? LayerKind::kMaxPool : LayerKind::kAveragePool;
  layer.r = kernel[0];
  layer.s = kernel[1];
  layer.has_ceiling = integer_attribute(node, "ceil_mode", 0) == 1;
  read_window(node, layer);
  if (layer.dil_h * layer.dil_w != 1 || !agrees(node, layer)) return skip(node);
  const bool has_padding = layer.pad_h > 0 || layer.pad_w > 0 || layer.has_ceiling;
  if (layer.kind == LayerKind::kAveragePool && has_padding)
    layer.counts_padding = integer_attribute(node, "count_include_pad", 0) == 1;
  layer.inputs = {image(node)};
  add(node, std::move(layer));
}

}  // namespace tcsim::networks
