#include "workloads/import/attention_fields.hpp"

#include <array>

#include "workloads/import/workload.hpp"

namespace tcsim::workload {
namespace {

using kernels::AttentionAlgorithm;
using kernels::Element;

constexpr std::int64_t kMostSequences = 65535;            // grid.y, programming guide
constexpr std::int64_t kMostHeads = 65535;                // grid.z
constexpr std::int64_t kLongest = std::int64_t{1} << 24;  // as the sides of a GEMM
constexpr std::int64_t kLargestDim = 4096;

}  // namespace

AttentionFields::AttentionFields()
    : reader_("attn", {"b|batch", "heads", "kvheads", "n|seq", "kv", "d|dim", "causal", "dtype",
                       "acc", "algo", "block", "window", "dim_v"}) {}

void AttentionFields::set_element(const Field& field) {
  constexpr std::size_t kLegal = 2;
  static const std::vector<std::string_view> words{"fp16", "bf16", "fp32", "tf32", "fp8", "int8"};
  const std::size_t index = reader_.choice(field, words);
  if (index == 1) problem_.element = Element::kBf16;
  if (index >= kLegal)
    unsupported_ = "no attention kernel is generated for dtype=" + std::string(words[index]);
}

void AttentionFields::set_block(const Field& field) {
  static const std::vector<std::string_view> words{"64x32",  "64x64",  "64x128",
                                                   "128x32", "128x64", "128x128"};
  constexpr std::array<std::array<int, 2>, 6> kBlocks{
      {{64, 32}, {64, 64}, {64, 128}, {128, 32}, {128, 64}, {128, 128}}};
  const auto& block = kBlocks.at(reader_.choice(field, words));
  problem_.block_rows = block[0];
  problem_.block_keys = block[1];
}

void AttentionFields::set(const Field& field) {
  const bool may_be_empty = field.key == "dtype" || field.key == "acc";
  if (may_be_empty && field.value.empty()) return;
  const std::string_view key = reader_.take(field);
  if (key == "b") problem_.batch = reader_.number(field, kMostSequences);
  if (key == "heads") problem_.heads = reader_.number(field, kMostHeads);
  if (key == "kvheads") problem_.kv_heads = reader_.number(field, kMostHeads);
  if (key == "n") problem_.queries = reader_.number(field, kLongest);
  if (key == "kv") problem_.keys = reader_.number(field, kLongest);
  if (key == "d") problem_.dim = reader_.number(field, kLargestDim);
  if (key == "dim_v") value_dim_ = reader_.number(field, kLargestDim);
  if (key == "causal") problem_.causal = reader_.flag(field);
  if (key == "dtype") set_element(field);
  if (key == "acc" && reader_.choice(field, {"fp32", "fp16"}) == 1)
    unsupported_ = "the attention kernels accumulate in fp32";
  if (key == "algo" && reader_.choice(field, {"fused", "unfused"}) == 1)
    problem_.algorithm = AttentionAlgorithm::kUnfused;
  if (key == "block") set_block(field);
  if (key == "window") {
    reader_.number(field, kLongest);
    unsupported_ = "no attention kernel with a sliding window is generated";
  }
}

std::optional<kernels::AttentionProblem> AttentionFields::finish(int end_column) {
  reader_.require({"heads", "n", "d"}, end_column);
  if (!reader_.complaints().empty()) return std::nullopt;
  if (!reader_.has("kvheads")) problem_.kv_heads = problem_.heads;
  if (!reader_.has("kv")) problem_.keys = problem_.queries;
  if (problem_.heads % problem_.kv_heads != 0)
    reader_.complain(end_column, "attn",
                     "kvheads=" + std::to_string(problem_.kv_heads) +
                         " does not divide heads=" + std::to_string(problem_.heads));
  if (problem_.block_rows > 0 && problem_.algorithm == AttentionAlgorithm::kUnfused)
    reader_.complain(end_column, "attn", "block is of the fused kernel; algo=unfused has none");
  if (!reader_.complaints().empty()) return std::nullopt;
  if (value_dim_ != 0 && value_dim_ != problem_.dim)
    unsupported_ = "no attention kernel with values of another head size is generated";
  return problem_;
}

std::string attention_text(const kernels::AttentionProblem& p) {
  return "attn:b=" + std::to_string(p.batch) + ",heads=" + std::to_string(p.heads) +
         ",kvheads=" + std::to_string(p.kv_heads) + ",n=" + std::to_string(p.queries) +
         ",kv=" + std::to_string(p.keys) + ",d=" + std::to_string(p.dim) +
         ",causal=" + (p.causal ? "1" : "0") + ",dtype=" + std::string(element_name(p.element)) +
         ",algo=" + (p.algorithm == AttentionAlgorithm::kFused ? "fused" : "unfused") +
         (p.block_rows > 0
              ? ",block=" + std::to_string(p.block_rows) + "x" + std::to_string(p.block_keys)
              : "");
}

}  // namespace tcsim::workload
