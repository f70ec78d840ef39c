#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/network.hpp"
#include "models/memory/page_tags.hpp"
#include "models/memory/params.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::memory {

/// Address translation: a TLB per TPC, a second one for the whole chip, then page walks. The SMs'
/// L1 caches use virtual addresses and need the TLB only for misses and writes (ZHA23). Both TLBs
/// are fully associative.
class Tlb {
 public:
  Tlb(const TlbParams& params, const Topology& topology, stats::Group& parent);

  /// The delay that translation adds to a request for `address` that leaves `sm` at `now` (L2
  /// clock): 0 if the TPC has the page. Requests after one that misses overtake it unless they need
  /// the same page. `now` must not decrease between calls.
  Cycle delay(int sm, std::uint64_t address, Cycle now);

  /// Puts the pages of [address, address + bytes) into the chip's TLB, as if they had been used
  /// long ago, one after the other. If there are more than twice as many as it holds, only the last
  /// ones are processed: nothing of the others, nor of its previous contents, would remain.
  void install(std::uint64_t address, std::uint64_t bytes);

 private:
  Cycle look_up_chip(std::uint64_t page, Cycle now);

  const TlbParams params_;
  const int page_bits_;
  const std::vector<int> tpc_of_sm_;
  std::vector<PageTags> tpcs_;
  PageTags chip_;
  stats::Group group_;
  stats::Counter misses_;
  stats::Counter walks_;
};

}  // namespace tcsim::memory
