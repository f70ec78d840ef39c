#include "sim/networks/csv_import.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "workloads/import/csv_list.hpp"
#include "workloads/import/workload_size.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::networks {
namespace {

using kernels::VectorOperation;

/// One row as a layer and the shape of its input.
struct Row {
  Shape input;
  Layer layer;
  std::string note;  ///< what changed
};

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
    default:
      return std::nullopt;
  }
}

/// Notes which of `steps` after a row's sums it has: its layer computes none of them.
void leave_out(Row& row, std::initializer_list<std::pair<bool, std::string_view>> steps) {
  std::string names;
  for (const auto& [is_there, name] : steps)
    if (is_there) names += (names.empty() ? "" : ", ") + std::string(name);
  if (names.empty()) return;
  row.note += (row.note.empty() ? "" : "; ") + names + " left out";
}

std::optional<Row> row_of(const kernels::GemmProblem& gemm) {
  using kernels::Activation;
  if (gemm.batch != 1 || gemm.is_grouped() || gemm.sparse || gemm.weights.are_packed())
    return std::nullopt;
  Row row;
  row.input = {gemm.m, 1, gemm.k};
  row.layer.kind = LayerKind::kLinear;
  row.layer.features = gemm.n;
  const kernels::GemmEpilogue& epilogue = gemm.epilogue;
  row.layer.has_bias = epilogue.bias;
  leave_out(row, {{epilogue.scale, "scale"},
                  {epilogue.residual, "residual"},
                  {epilogue.activation == Activation::kRelu, "relu"},
                  {epilogue.activation == Activation::kGelu, "gelu"},
                  {epilogue.activation == Activation::kSilu, "silu"}});
  return row;
}

std::optional<Row> row_of(const workload::ConvWork& work) {
  const kernels::ConvProblem& conv = work.problem;
  if (conv.pass != kernels::ConvPass::kForward) return std::nullopt;
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
  if (conv.n > 1) row.note = "n=" + std::to_string(conv.n) + " left to --batch";
  leave_out(row, {{conv.post.scale, "scale"},
                  {conv.post.residual, "residual"},
                  {conv.post.relu, "relu"},
                  {conv.post.pool, "pool"}});
  return row;
}

std::optional<Row> row_of(const kernels::AttentionProblem& attention) {
  if (attention.pass != kernels::AttentionPass::kForward) return std::nullopt;
  Row row;
  row.input = {attention.queries, 1, (attention.heads + 2 * attention.kv_heads) * attention.dim};
  row.layer.kind = LayerKind::kAttention;
  row.layer.heads = attention.heads;
  row.layer.kv_heads = attention.kv_heads;
  row.layer.keys = attention.keys == attention.queries ? 0 : attention.keys;
  row.layer.is_causal = attention.causal;
  if (attention.batch > 1) row.note = "b=" + std::to_string(attention.batch) + " left to --batch";
  return row;
}

std::optional<Row> row_of(const kernels::VectorProblem& vector) {
  const std::optional<LayerKind> kind = kind_of(vector.operation);
  if (!kind) return std::nullopt;
  Row row;
  row.input = {vector.rows, 1,
               *kind == LayerKind::kSiluAndMultiply ? 2 * vector.cols : vector.cols};
  row.layer.kind = *kind;
  return row;
}

/// As those of a network are counted: of one image or sequence.
std::optional<double> macs_per_sample(const workload::Workload& workload) {
  const auto flop = workload::useful_flop(workload);
  if (!flop) return std::nullopt;
  return std::min(*flop / 2 / static_cast<double>(workload::samples(workload)), kMostSkippedMacs);
}

template <typename Other>
std::optional<Row> row_of(const Other&) {
  return std::nullopt;
}

void add(Imported& imported, Row row, const std::string& where) {
  Network& network = imported.network;
  std::string reason;
  if (network.layers.empty()) network.input = row.input;
  const int last = static_cast<int>(network.layers.size()) - 1;  // or kNetworkInput
  const int index =
      append(imported, view_of(network, last, row.layer.name + ".input", row.input), reason);
  row.layer.inputs = {index};
  if (index < 0 || append(imported, std::move(row.layer), reason) < 0)
    throw InputError({where + reason});
}

}  // namespace

Imported import_csv(std::string_view text, const std::string& file) {
  Imported imported;
  std::set<std::string> formats;
  for (const workload::Workload& workload : workload::read_csv_list(text, file)) {
    const std::string name = "row" + std::to_string(workload.row);
    std::optional<Row> row =
        std::visit([](const auto& work) { return row_of(work); }, workload.work);
    if (!row) {
      const std::optional<double> macs = macs_per_sample(workload);
      const std::string operation = workload.text.substr(0, workload.text.find(':'));
      const bool is_known = macs || !std::holds_alternative<workload::Unsupported>(workload.work);
      imported.network.skipped.push_back(
          {name, operation, is_known ? std::optional(macs.value_or(0.0)) : std::nullopt});
      continue;
    }
    row->layer.name = name;
    if (!row->note.empty()) imported.changed.push_back(name + ": " + row->note);
    add(imported, std::move(*row), file + ":" + std::to_string(workload.line) + ":1: row: ");
  }
  imported.changed.emplace_back("types of the rows are left to --precision");
  if (imported.network.layers.empty())
    throw InputError({file + ": no row has an operation that networks have"});
  return imported;
}

}  // namespace tcsim::networks
