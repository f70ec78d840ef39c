#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/network.hpp"
#include "models/memory/page_tags.hpp"
#include "models/memory/params.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::memory {

/// Address translation: a TLB per TPC, which the SMs' L1 caches need for misses and writes alone
/// (they go by virtual addresses, ZHA23), a second one for the whole chip, then page walks. Both
/// are fully associative.
class Tlb {
 public:
  Tlb(const TlbParams& params, const Topology& topology, stats::Group& parent);

  /// What translation adds to the way of a request for `address` that leaves `sm` at `now` (L2
  /// clock): 0 where the TPC has the page. Requests behind one that misses go ahead unless they
  /// want the same page. Requires `now` not to go back.
  Cycle delay(int sm, std::uint64_t address, Cycle now);

  /// Puts the pages of [address, address + bytes) into the chip's TLB, as if they had been used
  /// long ago, one behind the other. Of more than it holds twice only the last are looked at:
  /// nothing of the others, nor of what was there, is left in it.
  void install(std::uint64_t address, std::uint64_t bytes);

 private:
  Cycle look_up_chip(std::uint64_t page, Cycle now, Cycle walk);

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
