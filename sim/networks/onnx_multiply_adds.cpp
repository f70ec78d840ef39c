#include "sim/networks/onnx_multiply_adds.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "sim/networks/onnx_attributes.hpp"

namespace tcsim::networks {
namespace {

using Amount = std::optional<double>;
using MaybeSizes = std::optional<Dimensions>;

constexpr double kMostCounted = 4611686018427387904.0;

/// Of the dimensions from `first` on.
Amount elements(const MaybeSizes& sizes, std::size_t first = 0) {
  if (!sizes || sizes->size() < first) return std::nullopt;
  double all = 1;
  for (std::size_t i = first; i < sizes->size(); ++i) {
    if ((*sizes)[i] < 0) return std::nullopt;
    all = std::min(all * static_cast<double>((*sizes)[i]), kMostCounted);
  }
  return all;
}

Amount size_at(const MaybeSizes& sizes, std::size_t index) {
  return sizes && index < sizes->size() ? elements(Dimensions{(*sizes)[index]}) : std::nullopt;
}

Amount last_size(const MaybeSizes& sizes) {
  return sizes && !sizes->empty() ? size_at(sizes, sizes->size() - 1) : std::nullopt;
}

Amount times(const Amount& a, const Amount& b) { return a && b ? Amount(*a * *b) : std::nullopt; }

MaybeSizes operand(const OnnxGraph& graph, const onnx::NodeProto& node, int input) {
  return input < node.input_size() ? graph.dimensions(node.input(input)) : std::nullopt;
}

/// Every vector of the sequences meets all weights: those of the input and those of the state.
Amount recurrent(const MaybeSizes& x, const MaybeSizes& w, const MaybeSizes& r) {
  const Amount input = elements(w);
  const Amount state = elements(r);
  const Amount weights = input && state ? Amount(*input + *state) : std::nullopt;
  return times(times(size_at(x, 0), size_at(x, 1)), weights);
}

/// Notes the sizes of the letters in a term of an equation. Those of an ellipsis are numbered from
/// the back. False if the term has another number of dimensions.
bool read_term(std::string_view term, const Dimensions& d, std::map<int, std::int64_t>& sizes) {
  constexpr std::string_view kEllipsis = "...";
  const std::size_t dots = term.find(kEllipsis);
  const std::size_t letters = term.size() - (dots == term.npos ? 0 : kEllipsis.size());
  if (letters > d.size() || (dots == term.npos && letters != d.size())) return false;
  const std::size_t more = d.size() - letters;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const bool is_named = dots == term.npos || i < dots || i >= dots + more;
    const std::size_t at = i < dots ? i : i - more + kEllipsis.size();
    const int letter = is_named ? term[at] : static_cast<int>(i) - static_cast<int>(dots + more);
    std::int64_t& size = sizes.emplace(letter, d[i]).first->second;
    if (d[i] < 0 || size < 0)
      size = kUnknown;
    else
      size = std::max(size, d[i]);
  }
  return true;
}

/// Of two operands, every combination of indices is a multiply-add. More operands can be taken
/// in several orders.
Amount einsum(const OnnxGraph& graph, const onnx::NodeProto& node) {
  std::string equation = text_attribute(node, "equation");
  std::erase(equation, ' ');
  const std::string terms = equation.substr(0, equation.find("->"));
  if (node.input_size() < 2) return 0.0;
  const std::size_t comma = terms.find(',');
  if (node.input_size() > 2 || comma == terms.npos) return std::nullopt;
  const MaybeSizes a = operand(graph, node, 0);
  const MaybeSizes b = operand(graph, node, 1);
  std::map<int, std::int64_t> sizes;
  if (!a || !b || !read_term(terms.substr(0, comma), *a, sizes) ||
      !read_term(terms.substr(comma + 1), *b, sizes))
    return std::nullopt;
  Dimensions all;
  for (const auto& [letter, size] : sizes) all.push_back(size);
  return elements(all);
}

/// Operators of ONNX that move, compare, map or reduce elements. Those that always become a layer
/// or are dropped are left out.
constexpr const char* kWithoutProducts =
    "Abs Acos Acosh And ArgMax ArgMin Asin Asinh Atan Atanh AveragePool Bernoulli BitShift "
    "BitwiseAnd BitwiseNot BitwiseOr BitwiseXor CastLike Ceil Celu CenterCropPad Col2Im "
    "Compress Concat Cos Cosh CumSum DepthToSpace DynamicQuantizeLinear Equal Exp EyeLike "
    "Floor Gather GatherElements GatherND GlobalAveragePool GlobalLpPool GlobalMaxPool "
    "Greater GreaterOrEqual Hardmax IsInf IsNaN LRN Less LessOrEqual Log LogSoftmax "
    "LpNormalization LpPool Max MaxPool MaxRoiPool MaxUnpool Mean MeanVarianceNormalization "
    "Min Mod Multinomial Neg NonMaxSuppression NonZero Not OneHot Or Pad RandomNormalLike "
    "RandomUniformLike Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax "
    "ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Resize ReverseSequence RoiAlign "
    "Round "
    "Scatter ScatterElements ScatterND Selu Shrink Sign Sin Sinh Size Slice Softmax Softsign "
    "SpaceToDepth Split Tan ThresholdedRelu Tile TopK Trilu Unique Upsample Xor";

bool is_without_products(const std::string& op) {
  static const std::set<std::string> names = [] {
    std::istringstream words(kWithoutProducts);
    return std::set<std::string>(std::istream_iterator<std::string>(words), {});
  }();
  return names.contains(op);
}

}  // namespace

std::optional<double> multiply_adds(const OnnxGraph& graph, const onnx::NodeProto& node) {
  const std::string& op = node.op_type();
  if (node.output_size() == 0) return std::nullopt;
  const auto input = [&](int index) { return operand(graph, node, index); };
  const MaybeSizes y = graph.dimensions(node.output(0));
  // Every element meets the weights of one filter, or is a sum over the columns of the first
  // operand.
  if (op == "Conv" || op == "ConvInteger") return times(elements(y), elements(input(1), 1));
  if (op == "QLinearConv") return times(elements(y), elements(input(3), 1));
  if (op == "ConvTranspose") return times(elements(input(0)), elements(input(1), 1));
  if (op == "MatMul" || op == "MatMulInteger" || op == "QLinearMatMul")
    return times(elements(y), last_size(input(0)));
  if (op == "Gemm") {
    const std::size_t columns = integer_attribute(node, "transA", 0) != 0 ? 0 : 1;
    return times(elements(y), size_at(input(0), columns));
  }
  if (op == "LSTM" || op == "GRU" || op == "RNN") return recurrent(input(0), input(1), input(2));
  if (op == "Einsum") return einsum(graph, node);
  return is_without_products(op) ? Amount(0.0) : std::nullopt;
}

}  // namespace tcsim::networks
