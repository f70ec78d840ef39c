#include "workloads/import/attention_fields.hpp"

#include <algorithm>
#include <array>

#include "workloads/import/workload.hpp"

namespace tcsim::workload {
namespace {

using kernels::AttentionAlgorithm;
using kernels::AttentionPass;
using kernels::Element;

constexpr std::int64_t kMostSequences = isa::kLargestGrid[1];
constexpr std::int64_t kMostHeads = isa::kLargestGrid[2];
constexpr std::int64_t kLongest = std::int64_t{1} << 24;  // the limit of a GEMM's sides
constexpr std::int64_t kLargestDim = 4096;
constexpr std::array<std::string_view, 3> kAttentionNeeded{"heads", "n", "d"};
constexpr std::array<std::string_view, 3> kAlgorithms{"fused", "unfused", "paged"};
constexpr std::array<std::string_view, 2> kAttentionPasses{"fwd", "bwd"};
constexpr std::array<std::string_view, 3> kScales{"tensor", "block", "head"};

}  // namespace

AttentionFields::AttentionFields()
    : OperatorFields(
          "attn", {"b|batch", "heads", "kvheads", "n|seq", "kv", "d|dim", "causal", "dtype", "acc",
                   "algo", "block", "window", "dim_v", "pass", "cache_write", "scales"}) {}

void AttentionFields::set_element(const Field& field) {
  constexpr std::array kElements{Element::kFp16, Element::kBf16, Element::kTf32, Element::kInt8,
                                 Element::kE4m3};
  problem_.element = element(field, kElements, "attention").value_or(problem_.element);
}

void AttentionFields::set_sums(const Field& field) {
  constexpr std::array kTypes{Element::kFp32, Element::kFp16, Element::kInt32};
  std::array<std::string_view, kTypes.size()> words;
  std::ranges::transform(kTypes, words.begin(), kernels::element_name);
  if (const auto word = choice(field, words)) sums_ = kTypes.at(*word);
}

void AttentionFields::set_block(const Field& field) {
  constexpr std::array<std::string_view, 6> kWords{"64x32",  "64x64",  "64x128",
                                                   "128x32", "128x64", "128x128"};
  constexpr std::array<std::array<int, 2>, 6> kBlocks{
      {{64, 32}, {64, 64}, {64, 128}, {128, 32}, {128, 64}, {128, 128}}};
  const auto& block = kBlocks.at(choice(field, kWords).value_or(0));
  problem_.block_rows = block[0];
  problem_.block_keys = block[1];
}

void AttentionFields::set(const Field& field) {
  const std::string_view key = accept(field);
  if (key == "b") problem_.batch = number(field, 1, kMostSequences);
  if (key == "heads") problem_.heads = number(field, 1, kMostHeads);
  if (key == "kvheads") problem_.kv_heads = number(field, 1, kMostHeads);
  if (key == "n") problem_.queries = number(field, 1, kLongest);
  if (key == "kv") problem_.keys = number(field, 1, kLongest);
  if (key == "d") problem_.dim = number(field, 1, kLargestDim);
  if (key == "dim_v") value_dim_ = number(field, 1, kLargestDim);
  if (key == "causal") problem_.causal = flag(field);
  if (key == "dtype") set_element(field);
  if (key == "acc") set_sums(field);
  if (key == "algo")
    problem_.algorithm = static_cast<AttentionAlgorithm>(choice(field, kAlgorithms).value_or(0));
  if (key == "cache_write") problem_.writes_cache = flag(field);
  if (key == "pass")
    problem_.pass = static_cast<AttentionPass>(choice(field, kAttentionPasses).value_or(0));
  if (key == "block") set_block(field);
  if (key == "scales") {
    const auto scales = choice(field, kScales);
    problem_.has_block_scales = scales == 1;
    problem_.has_head_scales = scales == 2;
  }
  if (key == "window") {
    number(field, 1, kLongest);
    set_unsupported("no attention kernel with a sliding window is generated");
  }
}

bool AttentionFields::has_sizes() const {
  return std::ranges::all_of(kAttentionNeeded,
                             [this](std::string_view key) { return was_given(key); });
}

std::optional<kernels::AttentionProblem> AttentionFields::finish(int end_column) {
  require(kAttentionNeeded, end_column);
  if (!complaints().empty()) return std::nullopt;
  if (!was_given("kvheads")) problem_.kv_heads = problem_.heads;
  if (!was_given("kv")) problem_.keys = problem_.queries;
  if (problem_.heads % problem_.kv_heads != 0)
    complain(end_column, "attn",
             "kvheads=" + std::to_string(problem_.kv_heads) +
                 " does not divide heads=" + std::to_string(problem_.heads));
  const std::string algorithm(kAlgorithms.at(static_cast<std::size_t>(problem_.algorithm)));
  if (problem_.block_rows > 0 && problem_.algorithm != AttentionAlgorithm::kFused)
    complain(end_column, "attn",
             "block applies to the fused kernel; algo=" + algorithm + " has none");
  if (problem_.writes_cache && problem_.keys < problem_.queries)
    complain(end_column, "attn",
             "cache_write=1 adds n=" + std::to_string(problem_.queries) +
                 " keys to a cache of kv=" + std::to_string(problem_.keys));
  if (problem_.block_rows > 0 && problem_.pass == AttentionPass::kBackward)
    complain(end_column, "attn", "block applies to the forward kernel; pass=bwd has none");
  if (sums_ == Element::kInt32 && problem_.element != Element::kInt8)
    complain(end_column, "attn",
             "acc=int32 is the type of the sums of dtype=int8, not of dtype=" +
                 std::string(element_name(problem_.element)));
  if (!complaints().empty()) return std::nullopt;
  if (sums_ == Element::kFp16) set_unsupported("the attention kernels accumulate in fp32");
  if (value_dim_ != 0 && value_dim_ != problem_.dim)
    set_unsupported("no attention kernel with values of another head size is generated");
  return problem_;
}

std::string attention_text(const kernels::AttentionProblem& p) {
  return "attn:b=" + std::to_string(p.batch) + ",heads=" + std::to_string(p.heads) +
         ",kvheads=" + std::to_string(p.kv_heads) + ",n=" + std::to_string(p.queries) +
         ",kv=" + std::to_string(p.keys) + ",d=" + std::to_string(p.dim) +
         ",causal=" + (p.causal ? "1" : "0") + ",dtype=" + std::string(element_name(p.element)) +
         ",algo=" + std::string(kAlgorithms.at(static_cast<std::size_t>(p.algorithm))) +
         (p.writes_cache ? ",cache_write=1" : "") + (p.has_block_scales ? ",scales=block" : "") +
         (p.has_head_scales ? ",scales=head" : "") +
         (p.pass == AttentionPass::kBackward ? ",pass=bwd" : "") +
         (p.block_rows > 0
              ? ",block=" + std::to_string(p.block_rows) + "x" + std::to_string(p.block_keys)
              : "");
}

}  // namespace tcsim::workload
