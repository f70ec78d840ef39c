#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

enum class AttentionAlgorithm : std::uint8_t {
  kFused,    ///< one kernel with on-line softmax, as FlashAttention-2; keys may be split
  kUnfused,  ///< product, softmax, product; the scores go through memory
  kPaged,    ///< fused, as FlashAttention-3's kernels for Ampere on sequences of any length in a
             ///< paged cache: heads of a group are rows of one tile
};

enum class AttentionPass : std::uint8_t { kForward, kBackward };

/// The value of 1 in INT8 tensors Q, K and V: `quantize` makes sixteenths (vector.hpp).
inline constexpr double kInt8Step = 1.0 / 16;

/// Number of keys that share a scale, with scales by blocks.
inline constexpr std::int64_t kScaleKeys = 64;

/// O = softmax(Q K^T / sqrt(dim)) V for every batch and head. Layouts: Q and O are
/// [batch][queries][heads][dim], K and V [batch][keys][kv_heads][dim]; for the unfused kernels
/// [batch][heads][queries][dim] and [batch][kv_heads][keys][dim]. Head h reads K and V of head h /
/// (heads / kv_heads). The pages of a cache are contiguous.
struct AttentionProblem {
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;  ///< divides heads; fewer: grouped-query attention
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t dim = 64;
  bool causal = false;  ///< query i sees keys up to i + keys - queries
  /// Of Q, K and V: fp16, bf16, tf32 or int8; on CUDA cores also fp32; fused on Hopper also e4m3.
  Element element = Element::kFp16;
  Unit unit = Unit::kTensor;  ///< CUDA cores run only the unfused forward kernels
  AttentionAlgorithm algorithm = AttentionAlgorithm::kFused;
  AttentionPass pass = AttentionPass::kForward;
  int block_rows = 0;  ///< rows of Q per CTA of the fused kernel, 64 or 128; 0: as FlashAttention-2
  int block_keys = 0;  ///< keys that a CTA processes at once, 32, 64 or 128; 0 with block_rows = 0
  /// INT8, fused forward: an element is multiplied by the FP32 scale, above 0, of its row of Q or
  /// of its kScaleKeys keys of K or V, instead of kInt8Step.
  bool has_block_scales = false;
  /// E4M3: an element is multiplied by the FP32 scale, above 0, of its sequence and head of K.
  bool has_head_scales = false;
  /// A launch before the attention kernel copies the keys and values of the queries' own tokens,
  /// the last of each sequence, into the cache. For fused and paged forward passes of 16-bit
  /// elements.
  bool writes_cache = false;
};

/// Number of blocks of keys with a separate scale, for one head.
std::int64_t scale_blocks(const AttentionProblem& problem);

/// Element type of O: FP32 for TF32 operands, FP16 for INT8, BF16 for E4M3, otherwise that of the
/// operands.
Element attention_result(Element operand);

/// Pairs of a query and a key that it sees, of one head, as measurements are quoted: with a causal
/// mask, queries see (keys - queries + keys) / 2 keys on average (FlashAttention's benchmarks), or
/// half of the keys if there are fewer of them, and queries that see none do not count.
double attention_pairs(const AttentionProblem& problem);

/// Two operations for each multiply-add of the definition: 4 batch heads pairs dim, 2.5 times as
/// many backward.
double attention_flop(const AttentionProblem& problem);

/// `problem`, but unfused if it asks for the fused forward kernels and the machine has no MMA for
/// them; matrix products can take any type.
AttentionProblem as_far_as_mmas_go(AttentionProblem problem, const Target& target);

/// Why there is no kernel for `problem` on `target`, in one sentence; empty if there is one.
std::string why_no_attention(const AttentionProblem& problem, const Target& target);

/// The kernels of `problem` in stream order (control bits not yet set). Buffers with the same
/// address are the same memory. Inputs are "Q", "K", "V"; outputs are "O" and, if fused, "LSE"
/// [batch][heads][queries], the natural logarithm of each row's sum of exponentials, in FP32. If
/// the cache is written it is "K" and "V", from "K_new" and "V_new"
/// [batch][queries][kv_heads][dim]. Scales are "Q_scales" [batch][heads][queries], "K_scales" and
/// "V_scales" [batch][kv_heads][blocks of kScaleKeys]; scales of heads are all [batch][kv_heads].
/// "slots", "lengths" and "page_table" are 32-bit numbers that are read only for their timing. A
/// backward pass has inputs "Q", "K", "V", "O", "LSE" and "dO", outputs "dQ", "dK" and "dV".
/// Requires why_no_attention(...) to be empty.
std::vector<isa::KernelLaunch> make_attention(const AttentionProblem& problem,
                                              const Target& target);

/// One text per launch. Fused: "128x64_w4" for rows of Q and keys per block and warps, "_splitkv8"
/// if keys are split; empty for the launches before and after it. Backward: kept rows x moving
/// rows, on Hopper moving x kept rows. Unfused: GemmTile::text of the products, empty for the other
/// kernels.
std::vector<std::string> attention_tiles(const AttentionProblem& problem, const Target& target);

}  // namespace tcsim::kernels
