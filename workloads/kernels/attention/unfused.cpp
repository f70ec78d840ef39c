#include "workloads/kernels/attention/unfused.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "workloads/kernels/attention/scaled_rows.hpp"
#include "workloads/kernels/buffer_row.hpp"
#include "workloads/kernels/layout/layout_change.hpp"
#include "workloads/kernels/vector/row_kernel.hpp"

namespace tcsim::kernels {
namespace {

bool is_int8(const AttentionProblem& problem) { return problem.element == Element::kInt8; }

/// Element type of the scores and of the second product: INT8 sums stay integers until rows are
/// scaled.
Element product_result(Element element) {
  return element == Element::kInt8 ? Element::kInt32 : attention_result(element);
}

GemmProblem product(const AttentionProblem& problem, std::int64_t n, std::int64_t k, Layout b) {
  GemmProblem gemm;
  gemm.m = problem.heads / problem.kv_heads * problem.queries;
  gemm.n = n;
  gemm.k = k;
  gemm.batch = problem.batch * problem.kv_heads;
  gemm.unit = problem.unit;
  gemm.input = problem.element;
  gemm.output = product_result(problem.element);
  if (is_int8(problem)) gemm.accumulate = Element::kInt32;
  gemm.layout_b = b;
  return gemm;
}

GemmProblem score_product(const AttentionProblem& problem) {
  return product(problem, problem.keys, problem.dim, Layout::kTransposed);
}

/// V lies across k, and LDSM transposes only 16-bit elements, so other elements are transposed
/// before.
bool transposes_values(const AttentionProblem& problem) { return !is_16_bit(problem.element); }

GemmProblem output_product(const AttentionProblem& problem) {
  return product(problem, problem.dim, problem.keys,
                 transposes_values(problem) ? Layout::kTransposed : Layout::kNormal);
}

isa::KernelLaunch value_transpose(const AttentionProblem& problem) {
  const std::int64_t matrices = problem.batch * problem.kv_heads;
  return make_layout_change({.batch = matrices,
                             .stored = matrices,
                             .rows = problem.keys,
                             .columns = problem.dim,
                             .source_pitch = problem.dim,
                             .target_pitch = problem.keys,
                             .element = problem.element},
                            "transpose_values");
}

/// The launches of a product that uses `a`, `b` and `d` instead of its own buffers.
std::vector<isa::KernelLaunch> product_stream(const GemmProblem& problem, const Target& target,
                                              const std::string& name,
                                              const std::array<isa::Buffer, 3>& operands,
                                              BufferRow& row) {
  auto stream = make_gemm_stream(problem, choose_tile_without_turns(problem, target), target);
  isa::Buffer workspace;
  for (isa::KernelLaunch& launch : stream) {
    launch.name = name + "_" + launch.name;
    for (isa::Buffer& buffer : launch.buffers) {
      const bool input = buffer.input;
      if (buffer.name == "workspace" && workspace.bytes == 0)
        workspace = row.place(name + "_workspace", static_cast<std::int64_t>(buffer.bytes), false);
      buffer = buffer.name == "workspace" ? workspace
               : buffer.name == "A"       ? operands[0]
               : buffer.name == "B"       ? operands[1]
                                          : operands[2];
      buffer.input = input;
    }
  }
  return stream;
}

isa::KernelLaunch softmax(const AttentionProblem& problem, const Target& target) {
  const double step = is_int8(problem) ? kInt8Step : 1;
  isa::KernelLaunch launch =
      make_row_kernel({.operation = VectorOperation::kSoftmax,
                       .rows = problem.batch * problem.heads * problem.queries,
                       .cols = problem.keys,
                       .element = product_result(problem.element),
                       .scale = step * step / std::sqrt(static_cast<double>(problem.dim)),
                       .causal_rows = problem.causal ? problem.queries : 0,
                       .quantises = is_int8(problem),
                       .quantised_step = step},
                      vector_unit(target));
  launch.name = problem.causal ? "softmax_causal" : "softmax";
  return launch;
}

}  // namespace

std::vector<isa::KernelLaunch> unfused_stream(const AttentionProblem& problem,
                                              const Target& target) {
  const int bytes = element_bytes(problem.element);
  const std::int64_t heads = problem.batch * problem.heads;
  const std::int64_t query_bytes = heads * problem.queries * problem.dim * bytes;
  const std::int64_t key_bytes =
      problem.batch * problem.kv_heads * problem.keys * problem.dim * bytes;
  const std::int64_t scores = heads * problem.queries * problem.keys;
  const Element wide = product_result(problem.element);
  BufferRow row;
  const isa::Buffer q = row.place("Q", query_bytes, true);
  const isa::Buffer k = row.place("K", key_bytes, true);
  isa::Buffer v = row.place("V", key_bytes, true);
  const isa::Buffer o =
      row.place("O", query_bytes / bytes * element_bytes(attention_result(problem.element)), false);
  const isa::Buffer s = row.place("S", scores * element_bytes(wide), false);
  const isa::Buffer p = row.place("P", scores * bytes, false);
  std::vector<isa::KernelLaunch> stream;
  if (transposes_values(problem)) {
    isa::Buffer transposed = row.place("V_transposed", key_bytes, false);
    stream.push_back(value_transpose(problem));
    stream.back().buffers = {v, transposed};
    transposed.input = true;
    v = transposed;
  }
  auto first = product_stream(score_product(problem), target, "scores", {q, k, s}, row);
  std::ranges::move(first, std::back_inserter(stream));
  isa::KernelLaunch middle = softmax(problem, target);
  middle.buffers = {s, p};
  middle.buffers.front().input = true;
  isa::Buffer sums = o;
  isa::Buffer scales;
  if (is_int8(problem)) {
    sums = row.place("O_sums", query_bytes / bytes * element_bytes(wide), false);
    scales = row.place("row_scales", heads * problem.queries * 4, false);
    middle.buffers.push_back(scales);
  }
  stream.push_back(std::move(middle));
  auto last = product_stream(output_product(problem), target, "output", {p, v, sums}, row);
  std::ranges::move(last, std::back_inserter(stream));
  if (!is_int8(problem)) return stream;
  stream.push_back(scaled_rows(heads * problem.queries, problem.dim, vector_unit(target)));
  sums.input = scales.input = true;
  stream.back().buffers = {sums, scales, o};
  return stream;
}

std::vector<std::string> unfused_tiles(const AttentionProblem& problem, const Target& target) {
  std::vector<std::string> texts;
  const auto add_product = [&](const GemmProblem& product) {
    const GemmTile tile = choose_tile_without_turns(product, target);
    texts.push_back(tile.text());
    if (tile.split_k > 1) texts.emplace_back();
  };
  if (transposes_values(problem)) texts.emplace_back();
  add_product(score_product(problem));
  texts.emplace_back();
  add_product(output_product(problem));
  if (is_int8(problem)) texts.emplace_back();
  return texts;
}

std::string unfused_problem(const AttentionProblem& problem, const Target& target) {
  if (is_int8(problem) && (problem.dim % 4 != 0 || problem.keys % 4 != 0))
    return "the unfused kernels of int8 need head sizes and keys that are multiples of 4";
  if (problem.causal && problem.keys < problem.queries)
    return "causal attention needs at least as many keys as queries";
  if (problem.batch * problem.kv_heads > isa::kLargestGrid[2])
    return "batch times kvheads exceeds the 65535 CTAs of a grid's z";
  if (problem.causal && problem.batch * problem.heads > isa::kLargestGrid[1])
    return "batch times heads exceeds the 65535 CTAs of a grid's y";
  if (problem.keys > kMostColumns)
    return "rows of more than " + std::to_string(kMostColumns) +
           " scores do not fit into the registers of a CTA";
  for (const GemmProblem& product : {score_product(problem), output_product(problem)})
    if (std::string reason = why_no_kernel(product, target); !reason.empty()) return reason;
  return {};
}

}  // namespace tcsim::kernels
