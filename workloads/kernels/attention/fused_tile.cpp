#include "workloads/kernels/attention/fused_tile.hpp"

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/fused_plan.hpp"
#include "workloads/kernels/attention/key_splits.hpp"
#include "workloads/kernels/attention/stream_parts.hpp"
#include "workloads/kernels/attention/warpgroup_forward_plan.hpp"
#include "workloads/kernels/cta_room.hpp"
#include "workloads/kernels/library.hpp"

namespace tcsim::kernels {
namespace {

constexpr std::int64_t kLargestDim = 256;

/// The block that `problem` asks for, with four warps as long as their registers hold the rows.
FusedTile given_tile(const AttentionProblem& problem) {
  constexpr std::int64_t kWidestOfFourWarps = 128;
  const bool wide = problem.block_rows == 128 &&
                    problem.dim * (problem.element == Element::kInt8 ? 2 : 1) > kWidestOfFourWarps;
  return {problem.block_rows, problem.block_keys, wide ? 8 : 4, 1};
}

std::string eight_bit_problem(const AttentionProblem& problem, const Target& target) {
  if (!has_form(target, FusedForm::kWarpgroups))
    return "the fused kernel of e4m3 needs wgmma, which " + target.architecture + " lacks";
  if (problem.block_rows > 0) return "the fused kernel of e4m3 has only its own block";
  return {};
}

/// What else computes `problem`, for messages about its fused kernel; empty if nothing does.
std::string other_algorithm(AttentionProblem problem, const Target& target) {
  problem.algorithm = AttentionAlgorithm::kUnfused;
  return why_no_attention(problem, target).empty() ? " (algo=unfused takes this one)" : "";
}

/// Why no paged kernel is generated.
std::string paged_problem(const AttentionProblem& problem, const Target& target) {
  if (!target.features.has_async_mma())
    return "the paged kernel needs LDGSTS and HMMA.16816, which " + target.architecture + " lacks";
  if (problem.element == Element::kE4m3) {
    std::string reason = eight_bit_problem(problem, target);
    if (!reason.empty()) return reason;
  } else if (!is_16_bit(problem.element)) {
    return has_form(target, FusedForm::kWarpgroups)
               ? "the paged kernel supports fp16, bf16 and e4m3"
               : "the paged kernel supports fp16 and bf16";
  }
  if (problem.block_rows > 0) return "the paged kernel has only its own block";
  return {};
}

/// Why no fused kernel without pages is generated.
std::string unpaged_problem(const AttentionProblem& problem, const Target& target) {
  if (problem.element == Element::kE4m3) return eight_bit_problem(problem, target);
  if (form_of(target) != FusedForm::kAsync && problem.element != Element::kFp16)
    return "the fused kernel of " + target.architecture + " takes fp16";
  if (!is_16_bit(problem.element) && problem.element != Element::kTf32 &&
      problem.element != Element::kInt8)
    return "the fused kernel supports fp16, bf16, tf32 and int8";
  if (!has_fused_mma(target, problem.element))
    return "the fused kernel multiplies by " +
           std::string(isa::opcode_info(fused_mma(form_of(target), problem.element)).mnemonic) +
           ", which the machine lacks";
  if (problem.causal && problem.block_rows > 0)
    return "causal attention supports only the block of FlashAttention-2";
  return {};
}

}  // namespace

std::string FusedTile::text() const {
  std::string text = tile_text(rows, keys, warps);
  if (splits > 1) text += "_splitkv" + std::to_string(splits);
  return text;
}

FusedForm form_of(const Target& target) {
  if (target.features.has_quad_pairs()) return FusedForm::kQuadPairs;
  return target.features.has_async_mma() ? FusedForm::kAsync : FusedForm::kTuring;
}

bool has_form(const Target& target, FusedForm form) {
  return form == FusedForm::kWarpgroups ? target.features.warpgroups : form == form_of(target);
}

isa::Opcode fused_mma(FusedForm form, Element element) {
  switch (element) {
    case Element::kBf16:
      return isa::Opcode::kHmma16816F32Bf16;
    case Element::kTf32:
      return isa::Opcode::kHmma1688F32Tf32;
    case Element::kInt8:
      return isa::Opcode::kImma16832S8;
    default:
      break;
  }
  if (form == FusedForm::kQuadPairs) return isa::Opcode::kHmma884F32Step0;
  return form == FusedForm::kTuring ? isa::Opcode::kHmma1688F32 : isa::Opcode::kHmma16816F32;
}

bool has_fused_mma(const Target& target, Element element) {
  return target.features.has(fused_mma(form_of(target), element));
}

FusedTile choose_fused_tile(const AttentionProblem& problem, const Target& target) {
  if (problem.block_rows > 0) return given_tile(problem);
  return choose_attention(*find_attention(problem, target), problem, target).pick;
}

std::string why_not_fused(const AttentionProblem& problem, const FusedTile& tile,
                          const Target& target) {
  if (tile.has_roles) return why_not_warpgroup_forward(problem, tile, target);
  const FusedPlan plan = plan_fused(problem, tile, target);
  if (problem.has_block_scales && plan.tile.keys != kScaleKeys)
    return "scales of blocks need blocks of " + std::to_string(kScaleKeys) + " keys";
  constexpr int kFewestAddressRegisters = 21;  // of the shipped tiles without pages, dim 128
  if (plan.registers.address_count() <
      (plan.is_paged() ? AddressWork::kFewestRegisters : kFewestAddressRegisters))
    return "the block needs more than 255 registers in a thread; take fewer keys or rows";
  const std::string reason = why_no_room({.registers_per_thread = plan.registers.total,
                                          .shared_bytes = plan.shared_bytes(),
                                          .warps = plan.tile.warps},
                                         target);
  return reason.empty() ? reason : "the tile " + reason;
}

std::string fused_problem(const AttentionProblem& problem, const Target& target) {
  const bool is_paged = problem.algorithm == AttentionAlgorithm::kPaged;
  if (target.features.mma.empty())
    return "the fused kernels need tensor cores, which " + target.architecture + " lacks";
  std::string reason = is_paged ? paged_problem(problem, target) : unpaged_problem(problem, target);
  if (!reason.empty()) return reason;
  const int step = 16 / element_bytes(problem.element);
  if (problem.dim > kLargestDim || problem.dim % step != 0)
    return std::string(is_paged ? "the paged" : "the fused") +
           " kernel needs head sizes that are multiples of " + std::to_string(step) + " up to 256" +
           (is_paged ? "" : other_algorithm(problem, target));
  if (problem.causal && problem.keys < problem.queries)
    return "causal attention needs at least as many keys as queries";
  if (problem.block_rows == 0 && find_attention(problem, target) == nullptr)
    return why_no_attention_family(problem, target);
  return why_not_fused(problem, choose_fused_tile(problem, target), target);
}

}  // namespace tcsim::kernels
