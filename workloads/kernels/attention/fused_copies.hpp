#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/fused_plan.hpp"

namespace tcsim::kernels {

/// Which buffer of a fused launch is which; the two behind kLogSum of the paged form only, the last
/// three with scales by blocks.
enum FusedBuffer {
  kQuery,
  kKey,
  kValue,
  kOutput,
  kLogSum,
  kLengths,
  kPageTable,
  kQueryScales = kLengths,
  kKeyScales,
  kValueScales,
};

/// Tokens of a page of the cache in servers and in the measured runs (docs/generated-kernels.md,
/// "The paged form").
inline constexpr int kPageTokens = 64;

/// 32-bit entries that a sequence has in the page table: as many for every key block as it has
/// pages, though a page may lie in two (assumption).
std::int64_t page_entries(const FusedPlan& plan);

/// Paged: the lengths of the CTA's sequence into two registers from `first` on; what depends on
/// them waits.
Instructions sequence_lengths(const FusedPlan& plan, ProgramBuilder& builder, AddressWork& work,
                              int first);

/// The copies of Q, K and V into shared memory by LDGSTS; before Ampere by LDG into registers and,
/// later, STS from there. In the paged form threads look up the
/// page of a row each, and those of a row pass its pointer on by SHFL (FlashAttention-3's paged
/// cache); addresses do not depend on what is looked up, as the pages lie one behind the other.
class FusedCopies {
 public:
  FusedCopies(const FusedPlan& plan, ProgramBuilder& builder, AddressWork& work)
      : plan_(plan), builder_(builder), work_(work) {}

  /// Persistent, by one warp: what the next number of `ctas` CTAs stands for.
  Instructions next_tile(std::int64_t ctas);
  /// The CTA's rows of Q; rows beyond the last become zeros.
  Instructions query();
  /// A block of K or V: where it is copied to behind the panels' base, whether it may reach beyond
  /// the last key; copied where `guard` holds.
  struct KeyBlock {
    isa::Expression number;
    isa::Expression stage{};
    bool may_end = true;
    isa::Guard guard{};
    bool has_pages = false;  ///< looked up for the other of K and V
  };
  Instructions keys(FusedBuffer buffer, const KeyBlock& block);
  /// K or V of the block in place `place` where `guard` holds; keys beyond the last become zeros.
  Instructions keys(FusedBuffer buffer, int place, bool in_loop, const isa::Guard& guard = {});
  /// What query() and keys() have loaded into registers, stored. Before Ampere.
  Instructions staged_query();
  Instructions staged_keys(FusedBuffer buffer);

 private:
  struct Source;
  Instructions copies(const Source& source);
  Instructions stores(const SharedPanels& panels, int first);
  Instructions share_pointers(const SharedPanels& panels);
  Instructions look_up_pages(const KeyBlock& block);

  const FusedPlan& plan_;
  ProgramBuilder& builder_;
  AddressWork& work_;
};

}  // namespace tcsim::kernels
