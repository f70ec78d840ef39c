#include "sim/networks/onnx_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/networks/onnx_attributes.hpp"
#include "sim/networks/onnx_checks.hpp"
#include "sim/networks/onnx_dimensions.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::networks {
namespace {

constexpr std::size_t kMostDimensions = 64;
constexpr std::size_t kMostNumbers = 64;  // lists that compute shapes are short

Dimensions declared_dimensions(const onnx::TensorShapeProto& shape) {
  Dimensions sizes;
  for (const auto& dimension : shape.dim())
    sizes.push_back(dimension.has_dim_value() ? within_limits(dimension.dim_value()) : kUnknown);
  return sizes;
}

bool has_shape(const onnx::ValueInfoProto& info) {
  return info.type().has_tensor_type() && info.type().tensor_type().has_shape();
}

template <typename Number>
std::vector<Number> raw_numbers(const std::string& bytes) {
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

/// `floats` if all of them are whole numbers, as factors of a Resize are; else empty.
std::vector<std::int64_t> whole_floats(const std::vector<float>& floats) {
  constexpr float kMostExact = 16777216;  // 2^24
  const bool are_whole = std::ranges::all_of(floats, [&](float value) {
    return std::abs(value) <= kMostExact && std::trunc(value) == value;
  });
  if (!are_whole) return {};
  return {floats.begin(), floats.end()};
}

/// Values of tensors of whole numbers; empty for others.
std::vector<std::int64_t> whole_numbers(const onnx::TensorProto& tensor) {
  const std::string& raw = tensor.raw_data();
  if (raw.size() > kMostNumbers * sizeof(std::int64_t)) return {};
  if (tensor.data_type() == onnx::TensorProto::INT64) {
    if (!raw.empty()) return raw_numbers<std::int64_t>(raw);
    return {tensor.int64_data().begin(), tensor.int64_data().end()};
  }
  if (tensor.data_type() == onnx::TensorProto::FLOAT)
    return whole_floats(
        !raw.empty() ? raw_numbers<float>(raw)
                     : std::vector<float>(tensor.float_data().begin(), tensor.float_data().end()));
  if (tensor.data_type() != onnx::TensorProto::INT32) return {};
  if (!raw.empty()) {
    const std::vector<std::int32_t> narrow = raw_numbers<std::int32_t>(raw);
    return {narrow.begin(), narrow.end()};
  }
  return {tensor.int32_data().begin(), tensor.int32_data().end()};
}

/// What an attribute of a Constant node holds, as the tensor that the node makes.
onnx::TensorProto tensor_of(const onnx::AttributeProto& value) {
  if (value.has_t()) return value.t();
  onnx::TensorProto tensor;
  if (value.has_sparse_tensor()) {
    *tensor.mutable_dims() = value.sparse_tensor().dims();
    return tensor;
  }
  tensor.set_data_type(value.name().starts_with("value_int") ? onnx::TensorProto::INT64
                                                             : onnx::TensorProto::FLOAT);
  *tensor.mutable_int64_data() = value.ints();
  *tensor.mutable_float_data() = value.floats();
  if (value.has_i()) tensor.add_int64_data(value.i());
  if (value.has_f()) tensor.add_float_data(value.f());
  if (value.name().ends_with('s'))
    tensor.add_dims(value.ints_size() + value.floats_size() + value.strings_size());
  return tensor;
}

/// Throws InputError for a name in `sizes` that no dimension of a tensor has.
void require_symbols(const onnx::GraphProto& graph, const std::string& file,
                     const ImportSizes& sizes) {
  std::vector<std::string_view> symbols;
  for (const auto* infos : {&graph.input(), &graph.value_info(), &graph.output()})
    for (const onnx::ValueInfoProto& info : *infos)
      for (const auto& dimension : info.type().tensor_type().shape().dim())
        if (!dimension.dim_param().empty()) symbols.emplace_back(dimension.dim_param());
  for (const auto& [name, size] : sizes.dimensions)
    if (std::ranges::find(symbols, name) == symbols.end())
      throw InputError({file + ": no tensor has a dimension " + files::shown(name) +
                        files::did_you_mean(name, symbols)});
}

/// Throws InputError if every dimension that the batch could fix has another size by its name.
void require_use_of_batch(const onnx::GraphProto& graph, const std::string& file,
                          const ImportSizes& sizes) {
  if (!sizes.batch) return;
  const std::pair<const std::string, std::int64_t>* other = nullptr;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    const onnx::TensorShapeProto& shape = input.type().tensor_type().shape();
    if (shape.dim_size() == 0 || shape.dim(0).has_dim_value()) continue;
    const auto named = sizes.dimensions.find(shape.dim(0).dim_param());
    if (named == sizes.dimensions.end() || named->second == *sizes.batch) return;
    other = &*named;
  }
  if (other != nullptr)
    throw InputError({file + ": --batch " + std::to_string(*sizes.batch) + " and --dim " +
                      other->first + "=" + std::to_string(other->second) +
                      " contradict each other: the first dimension is " +
                      files::shown(other->first)});
}

/// The values of symbols: those given by name, and the batch for the first ones of inputs.
std::map<std::string, std::int64_t> symbols_of(const onnx::GraphProto& graph,
                                               const ImportSizes& sizes) {
  std::map<std::string, std::int64_t> symbols = sizes.dimensions;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    const onnx::TensorShapeProto& shape = input.type().tensor_type().shape();
    if (shape.dim_size() > 0 && !shape.dim(0).dim_param().empty())
      symbols.emplace(shape.dim(0).dim_param(), sizes.batch.value_or(1));
  }
  return symbols;
}

}  // namespace

OnnxShapes::OnnxShapes(const onnx::GraphProto& graph, const std::string& file,
                       const ImportSizes& sizes) {
  require_symbols(graph, file, sizes);
  require_use_of_batch(graph, file, sizes);
  const Symbols symbols = symbols_of(graph, sizes);
  for (const auto* infos : {&graph.value_info(), &graph.output()})
    for (const onnx::ValueInfoProto& info : *infos) add_declared(info, symbols);
  for (const onnx::ValueInfoProto& input : graph.input()) fix_input(input, sizes);
  for (const onnx::TensorProto& tensor : graph.initializer()) add_constant(tensor.name(), tensor);
  for (const onnx::NodeProto& node : graph.node()) infer(node, file);
}

const Dimensions* OnnxShapes::dimensions(const std::string& tensor) const {
  const auto found = dimensions_.find(tensor);
  return found == dimensions_.end() ? nullptr : &found->second;
}

const std::vector<std::int64_t>* OnnxShapes::numbers(const std::string& tensor) const {
  const auto found = numbers_.find(tensor);
  return found == numbers_.end() ? nullptr : &found->second;
}

void OnnxShapes::add_constant(const std::string& name, const onnx::TensorProto& tensor) {
  Dimensions sizes;
  for (const std::int64_t size : tensor.dims()) sizes.push_back(within_limits(size));
  const std::vector<std::int64_t> values = whole_numbers(tensor);
  if (!values.empty() && values.size() <= kMostNumbers) numbers_[name] = values;
  if (tensor.data_type() == onnx::TensorProto::FLOAT) floats_.insert(name);
  dimensions_[name] = std::move(sizes);
}

void OnnxShapes::add_declared(const onnx::ValueInfoProto& info, const Symbols& symbols) {
  if (!has_shape(info)) return;
  const onnx::TensorShapeProto& shape = info.type().tensor_type().shape();
  Dimensions by_symbol = declared_dimensions(shape);
  dimensions_[info.name()] = by_symbol;
  for (std::size_t i = 0; i < by_symbol.size(); ++i) {
    const auto named = symbols.find(shape.dim(static_cast<int>(i)).dim_param());
    if (named != symbols.end()) by_symbol[i] = named->second;
  }
  by_symbol_[info.name()] = std::move(by_symbol);
}

void OnnxShapes::fix_input(const onnx::ValueInfoProto& info, const ImportSizes& sizes) {
  if (!has_shape(info)) return;
  const onnx::TensorShapeProto& shape = info.type().tensor_type().shape();
  Dimensions fixed = declared_dimensions(shape);
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    const auto& dimension = shape.dim(static_cast<int>(i));
    if (dimension.has_dim_value()) continue;
    const auto named = sizes.dimensions.find(dimension.dim_param());
    if (named != sizes.dimensions.end())
      fixed[i] = named->second;
    else if (i == 0)
      fixed[i] = sizes.batch.value_or(1);
  }
  dimensions_[info.name()] = std::move(fixed);
}

void OnnxShapes::infer(const onnx::NodeProto& node, const std::string& file) {
  if (node.op_type() == "Constant" && node.output_size() == 1) {
    for (const onnx::AttributeProto& value : node.attribute())
      add_constant(node.output(0), tensor_of(value));  // it has one
    return;
  }
  OnnxOperands operands{node, {}, {}};
  for (const std::string& input : node.input()) {
    operands.dimensions.push_back(dimensions(input));
    operands.numbers.push_back(numbers(input));
    operands.has_floats = operands.has_floats || floats_.contains(input);
  }
  try {
    require_fitting(operands);
    const auto values = result_numbers(operands);
    for (int i = 0; i < node.output_size(); ++i) {
      if (node.output(i).empty()) continue;  // a result that nobody wants
      if (const auto sizes = result_dimensions(operands, i)) merge(node.output(i), *sizes);
    }
    for (const std::string& output : node.output()) use_symbols(output);
    if (values && values->size() <= kMostNumbers && node.output_size() > 0) {
      numbers_[node.output(0)] = *values;
      if (operands.has_floats && node.op_type() != "Cast") floats_.insert(node.output(0));
    }
  } catch (const std::invalid_argument& error) {
    throw InputError({file + ": " + named(node) + ": " + error.what()});
  }
}

void OnnxShapes::use_symbols(const std::string& tensor) {
  const auto declared = by_symbol_.find(tensor);
  if (declared == by_symbol_.end()) return;
  Dimensions& sizes = dimensions_.at(tensor);
  for (std::size_t i = 0; i < std::min(sizes.size(), declared->second.size()); ++i)
    if (sizes[i] < 0) sizes[i] = declared->second[i];
}

void OnnxShapes::merge(const std::string& tensor, const Dimensions& inferred) {
  if (inferred.size() > kMostDimensions)
    throw std::invalid_argument("a result of " + std::to_string(inferred.size()) + " dimensions");
  const auto [place, is_new] = dimensions_.emplace(tensor, inferred);
  if (is_new) return;
  Dimensions& declared = place->second;
  bool agrees = declared.size() == inferred.size();
  for (std::size_t i = 0; agrees && i < inferred.size(); ++i) {
    agrees = declared[i] < 0 || inferred[i] < 0 || declared[i] == inferred[i];
    declared[i] = std::max(declared[i], inferred[i]);
  }
  if (!agrees)
    throw std::invalid_argument("its result '" + tensor + "' is declared with a shape other than " +
                                text(inferred));
}

}  // namespace tcsim::networks
