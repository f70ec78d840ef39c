#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/network.hpp"
#include "models/memory/params.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::memory {

/// Address translation: a TLB per TPC, which the SMs' L1 caches need for misses and writes alone
/// (they go by virtual addresses, ZHA23), a second one for the whole chip, then page walks. Both
/// are fully associative, the least recently used page out first.
class Tlb {
 public:
  Tlb(const TlbParams& params, const Topology& topology, stats::Group& parent);

  /// What translation adds to the way of a request for `address` that leaves `sm` at `now` (L2
  /// clock): 0 where the TPC has the page. Requests behind one that misses go ahead unless they
  /// want the same page. Requires `now` not to go back.
  Cycle delay(int sm, std::uint64_t address, Cycle now);

  /// Puts the page of `address` into the chip's TLB, as if it had been used long ago.
  void install(std::uint64_t address) { look_up_chip(address >> page_bits_, 0, 0); }

 private:
  struct Entry {
    std::uint64_t page = ~std::uint64_t{0};
    std::uint64_t last_use = 0;
    Cycle ready = 0;  ///< L2 clock
  };
  struct TpcTlb {
    std::vector<Entry> entries;
    std::size_t latest = 0;
  };

  Cycle miss(TpcTlb& tlb, std::uint64_t page, Cycle now);
  Cycle look_up_chip(std::uint64_t page, Cycle now, Cycle walk);

  const TlbParams params_;
  const int page_bits_;
  const std::vector<int> tpc_of_sm_;
  std::vector<TpcTlb> tpcs_;
  std::unordered_map<std::uint64_t, Entry> chip_;
  std::uint64_t uses_ = 0;
  stats::Group group_;
  stats::Counter misses_;
  stats::Counter walks_;
};

}  // namespace tcsim::memory
