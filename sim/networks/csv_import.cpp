#include "sim/networks/csv_import.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "sim/networks/layer_reader.hpp"
#include "workloads/import/csv_list.hpp"
#include "workloads/import/workload_size.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::networks {
namespace {

using kernels::VectorOperation;

/// One row as a layer and the shape of its input.
struct Row {
  Shape input;
  std::optional<Shape> second{};  ///< of its second input
  Layer layer;
  std::vector<LayerKind> then;  ///< layers of their own after it
  std::string note;             ///< what changed
  std::string why_not;          ///< why networks have no such layer; empty if they do
};

Row refused(std::string reason) {
  Row row;
  row.why_not = std::move(reason);
  return row;
}

constexpr double kMostOfMatmul = 2147483648;  // elements of a tensor
constexpr const char* kGradient = "gradients come with --pass training";
constexpr const char* kNoSuchLayer = "networks have no such layer";

std::optional<LayerKind> kind_of(VectorOperation operation) {
  switch (operation) {
    case VectorOperation::kSoftmax:
      return LayerKind::kSoftmax;
    case VectorOperation::kLayerNorm:
      return LayerKind::kLayerNorm;
    case VectorOperation::kRmsNorm:
      return LayerKind::kRmsNorm;
    case VectorOperation::kGelu:
      return LayerKind::kGelu;
    case VectorOperation::kSilu:
      return LayerKind::kSilu;
    case VectorOperation::kTanh:
      return LayerKind::kTanh;
    case VectorOperation::kSigmoid:
      return LayerKind::kSigmoid;
    case VectorOperation::kRelu:
      return LayerKind::kRelu;
    case VectorOperation::kSiluAndMul:
      return LayerKind::kSiluAndMultiply;
    case VectorOperation::kAdd:
      return LayerKind::kAdd;
    case VectorOperation::kMultiply:
      return LayerKind::kMultiply;
    case VectorOperation::kScaleBias:
      return LayerKind::kBatchNorm;
    default:
      return std::nullopt;
  }
}

void add_note(Row& row, const std::string& note) {
  row.note += (row.note.empty() ? "" : "; ") + note;
}

/// Notes which of `parts` a row has: no layer has them.
void leave_out(Row& row, std::initializer_list<std::pair<bool, std::string_view>> parts) {
  std::string names;
  for (const auto& [is_there, name] : parts)
    if (is_there) names += (names.empty() ? "" : ", ") + std::string(name);
  if (!names.empty()) add_note(row, names + " left out");
}

void leave_to_batch(Row& row, const char* name, std::int64_t samples) {
  if (samples > 1) add_note(row, name + ("=" + std::to_string(samples)) + " left to --batch");
}

std::string why_not_product(const kernels::GemmProblem& gemm) {
  if (gemm.batch > kMostPixels) return "matmul has at most 65535 products";
  const auto sizes = {std::pair{gemm.m, gemm.k}, {gemm.k, gemm.n}, {gemm.m, gemm.n}};
  const bool is_large = std::ranges::any_of(sizes, [&](const auto& size) {
    return static_cast<double>(size.first) * static_cast<double>(size.second) *
               static_cast<double>(gemm.batch) >
           kMostOfMatmul;
  });
  if (gemm.batch > 1 && is_large) return "matmul has operands of at most 2147483648 elements";
  if (gemm.is_grouped()) return "linear layers have no groups";
  if (gemm.sparse) return "linear layers have no sparse weights";
  return gemm.weights.are_packed() ? "linear layers have no packed weights" : "";
}

Row row_of(const kernels::GemmProblem& gemm) {
  using kernels::Activation;
  if (const std::string reason = why_not_product(gemm); !reason.empty()) return refused(reason);
  Row row;
  const kernels::GemmEpilogue& epilogue = gemm.epilogue;
  const bool has_batch = gemm.batch > 1;
  row.input = {gemm.batch * gemm.m, 1, gemm.k};
  if (has_batch) {
    row.second = Shape{gemm.batch * gemm.k, 1, gemm.n};
    row.layer.kind = LayerKind::kMatmul;
    row.layer.m = gemm.m;
    row.layer.n = gemm.n;
    row.layer.k = gemm.k;
    row.layer.count = gemm.batch;
  } else {
    row.layer.kind = LayerKind::kLinear;
    row.layer.features = gemm.n;
    row.layer.has_bias = epilogue.bias;
  }
  if (epilogue.activation == Activation::kRelu) row.then = {LayerKind::kRelu};
  if (epilogue.activation == Activation::kGelu) row.then = {LayerKind::kGelu};
  if (epilogue.activation == Activation::kSilu) row.then = {LayerKind::kSilu};
  const kernels::GemmProblem usual;
  leave_out(row, {{gemm.layout_a != usual.layout_a || gemm.layout_b != usual.layout_b, "layout"},
                  {gemm.block_scales, "scales"},
                  {has_batch && epilogue.bias, "bias"},
                  {epilogue.scale, "scale"},
                  {epilogue.residual, "residual"}});
  return row;
}

Row row_of(const workload::ConvWork& work) {
  const kernels::ConvProblem& conv = work.problem;
  if (conv.pass != kernels::ConvPass::kForward) return refused(kGradient);
  Row row;
  row.input = {conv.h, conv.w, conv.c};
  row.layer.kind = LayerKind::kConv;
  row.layer.features = conv.k;
  row.layer.r = conv.r;
  row.layer.s = conv.s;
  row.layer.stride_h = conv.stride_h;
  row.layer.stride_w = conv.stride_w;
  row.layer.pad_h = conv.pad_h;
  row.layer.pad_w = conv.pad_w;
  row.layer.dil_h = conv.dil_h;
  row.layer.dil_w = conv.dil_w;
  row.layer.groups = conv.groups;
  row.layer.has_bias = conv.post.bias;
  if (conv.post.relu) row.then = {LayerKind::kRelu};
  leave_to_batch(row, "n", conv.n);
  leave_out(row, {{conv.order != kernels::TensorOrder::kNhwc, "layout"},
                  {work.algorithm.has_value(), "algo"},
                  {conv.post.scale, "scale"},
                  {conv.post.residual, "residual"},
                  {conv.post.pool, "pool"}});
  return row;
}

Row row_of(const kernels::AttentionProblem& attention) {
  if (attention.pass != kernels::AttentionPass::kForward) return refused(kGradient);
  Row row;
  row.input = {attention.queries, 1, (attention.heads + 2 * attention.kv_heads) * attention.dim};
  row.layer.kind = LayerKind::kAttention;
  row.layer.heads = attention.heads;
  row.layer.kv_heads = attention.kv_heads;
  row.layer.keys = attention.keys == attention.queries ? 0 : attention.keys;
  row.layer.is_causal = attention.causal;
  leave_to_batch(row, "b", attention.batch);
  leave_out(row, {{attention.algorithm != kernels::AttentionAlgorithm::kFused, "algo"},
                  {attention.block_rows > 0, "block"},
                  {attention.has_block_scales || attention.has_head_scales, "scales"},
                  {attention.writes_cache, "cache_write"}});
  return row;
}

Row row_of(const kernels::VectorProblem& vector) {
  const std::optional<LayerKind> kind = kind_of(vector.operation);
  if (!kind) return refused(kNoSuchLayer);
  Row row;
  row.input = {vector.rows, 1,
               *kind == LayerKind::kSiluAndMultiply ? 2 * vector.cols : vector.cols};
  row.layer.kind = *kind;
  if (*kind == LayerKind::kAdd || *kind == LayerKind::kMultiply) row.second = row.input;
  return row;
}

Row row_of(const kernels::PoolProblem& pool) {
  Row row;
  row.input = {pool.h, pool.w, pool.c};
  row.layer.r = pool.r;
  row.layer.s = pool.s;
  leave_to_batch(row, "n", pool.n);
  row.layer.kind = LayerKind::kUpsample;
  if (pool.is_upsampling()) return row;
  row.layer.kind = pool.operation == kernels::PoolOperation::kMax ? LayerKind::kMaxPool
                                                                  : LayerKind::kAveragePool;
  row.layer.stride_h = pool.stride_h;
  row.layer.stride_w = pool.stride_w;
  row.layer.pad_h = pool.pad_h;
  row.layer.pad_w = pool.pad_w;
  row.layer.has_ceiling = pool.has_ceiling;
  if (row.layer.kind == LayerKind::kAveragePool) row.layer.counts_padding = pool.counts_padding;
  return row;
}

Row row_of(const workload::Unsupported& unsupported) { return refused(unsupported.reason); }

template <typename Other>
Row row_of(const Other&) {
  return refused(kNoSuchLayer);
}

/// As those of a network are counted: of one image or sequence.
std::optional<double> macs_per_sample(const workload::Workload& workload) {
  const auto flop = workload::useful_flop(workload);
  if (!flop) return std::nullopt;
  return std::min(*flop / 2 / static_cast<double>(workload::samples(workload)), kMostSkippedMacs);
}

void add(Imported& imported, Row row, const std::string& where) {
  Network& network = imported.network;
  std::string reason;
  if (network.layers.empty()) network.input = row.input;
  const int last = static_cast<int>(network.layers.size()) - 1;  // or kNetworkInput
  const int index =
      append(imported, view_of(network, last, row.layer.name + ".input", row.input), reason);
  row.layer.inputs = {index};
  if (row.second && index >= 0) {
    Layer second = view_of(network, index, row.layer.name + ".second", *row.second);
    second.resizes = true;  // other memory than the first
    row.layer.inputs.push_back(append(imported, std::move(second), reason));
    if (row.layer.inputs.back() < 0) throw InputError({where + reason});
  }
  int result = index < 0 ? index : append(imported, row.layer, reason);
  for (const LayerKind kind : row.then) {
    if (result < 0) break;
    Layer next;
    next.kind = kind;
    next.name = row.layer.name + "." + std::string(word(kind));
    next.inputs = {result};
    result = append(imported, std::move(next), reason);
  }
  if (result < 0) throw InputError({where + reason});
}

}  // namespace

Imported import_csv(std::string_view text, const std::string& file) {
  Imported imported;
  std::set<std::string> notes;
  for (const workload::Workload& workload : workload::read_csv_list(text, file)) {
    const std::string name = "row" + std::to_string(workload.row);
    for (const workload::Note& note : workload.notes) notes.insert(note.name);
    Row row = std::visit([](const auto& work) { return row_of(work); }, workload.work);
    if (!row.why_not.empty()) {
      const std::optional<double> macs = macs_per_sample(workload);
      const std::string operation = workload.text.substr(0, workload.text.find(':'));
      const bool is_known = macs || !std::holds_alternative<workload::Unsupported>(workload.work);
      imported.network.skipped.push_back(
          {name, operation, is_known ? std::optional(macs.value_or(0.0)) : std::nullopt});
      imported.changed.push_back(operation + " '" + name + "' is skipped: " + row.why_not);
      continue;
    }
    row.layer.name = name;
    if (!row.note.empty()) imported.changed.push_back(name + ": " + row.note);
    add(imported, std::move(row), file + ":" + std::to_string(workload.line) + ":1: row: ");
  }
  imported.changed.emplace_back("types of the rows are left to --precision");
  std::string names;
  for (const std::string& note : notes) names += (names.empty() ? "" : ", ") + note;
  if (!names.empty()) imported.dropped.push_back("notes: " + names + " (every row is one layer)");
  if (imported.network.layers.empty())
    throw InputError({file + ": no row has an operation that networks have"});
  return imported;
}

}  // namespace tcsim::networks
