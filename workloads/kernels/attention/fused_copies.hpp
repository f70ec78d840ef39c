#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/fused_plan.hpp"

namespace tcsim::kernels {

/// The buffers of a fused launch. The two after kLogSum exist only in the paged form, the last
/// three only with scales by blocks or heads.
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

/// Tokens in a page of the cache, in servers and in the measured runs (docs/generated-kernels.md,
/// "The paged form").
inline constexpr int kPageTokens = 64;

/// 32-bit entries of a sequence in the page table: every key block has an entry for each page it
/// fills, even if a page lies in two blocks (assumption).
std::int64_t page_entries(const FusedPlan& plan);

/// Paged: reads the lengths of the CTA's sequence into two registers from `first` on; instructions
/// that depend on them wait.
Instructions sequence_lengths(const FusedPlan& plan, ProgramBuilder& builder, AddressWork& work,
                              int first);

/// The copies of Q, K and V into shared memory by LDGSTS; before Ampere by LDG into registers and,
/// later, STS from there. In the paged form each thread looks up the page of one row, and the
/// threads of a row exchange its pointer by SHFL (FlashAttention-3's paged cache). Addresses do not
/// depend on what is looked up, because the pages are contiguous.
class FusedCopies {
 public:
  FusedCopies(const FusedPlan& plan, ProgramBuilder& builder, AddressWork& work)
      : plan_(plan), builder_(builder), work_(work) {}

  /// Persistent, by one warp: finds the tile that the next number stands for, with `ctas` CTAs.
  Instructions next_tile(std::int64_t ctas);
  /// Copies the CTA's rows of Q; rows beyond the last become zeros.
  Instructions query();
  /// A block of K or V: where it is copied to, relative to the panels' base, and whether it may
  /// extend beyond the last key. It is copied where `guard` holds.
  struct KeyBlock {
    isa::Expression number;
    isa::Expression stage{};
    bool may_end = true;
    isa::Guard guard{};
    bool has_pages = false;  ///< already looked up for the other of K and V
  };
  Instructions keys(FusedBuffer buffer, const KeyBlock& block);
  /// Copies K or V of the block at place `place` where `guard` holds; keys beyond the last become
  /// zeros.
  Instructions keys(FusedBuffer buffer, int place, bool in_loop, const isa::Guard& guard = {});
  /// Stores what query() and keys() have loaded into registers. Before Ampere.
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
