#include "models/memory/tlb.hpp"

#include <algorithm>
#include <bit>

namespace tcsim::memory {

Tlb::Tlb(const TlbParams& params, const Topology& topology, stats::Group& parent)
    : params_(params),
      page_bits_(std::bit_width(static_cast<unsigned>(params.page_bytes)) - 1),
      tpc_of_sm_(topology.tpc_of_sm),
      tpcs_(static_cast<std::size_t>(topology.tpcs)),
      group_("tlb", parent),
      misses_(group_, "tlb_misses", "page", "Pages that the TLB of a TPC did not hold."),
      walks_(group_, "tlb_walks", "page", "Of these, pages that the chip's TLB did not hold.") {
  for (TpcTlb& tlb : tpcs_) tlb.entries.resize(static_cast<std::size_t>(params.tpc_entries));
}

Cycle Tlb::delay(int sm, std::uint64_t address, Cycle now) {
  if (params_.tpc_entries == 0) return 0;
  const std::uint64_t page = address >> page_bits_;
  TpcTlb& tlb = tpcs_[static_cast<std::size_t>(tpc_of_sm_[static_cast<std::size_t>(sm)])];
  if (tlb.entries[tlb.latest].page != page) {
    const auto held = std::ranges::find(tlb.entries, page, &Entry::page);
    if (held == tlb.entries.end()) return miss(tlb, page, now);
    tlb.latest = static_cast<std::size_t>(held - tlb.entries.begin());
  }
  Entry& entry = tlb.entries[tlb.latest];
  entry.last_use = ++uses_;
  return std::max<Cycle>(0, entry.ready - now);
}

Cycle Tlb::miss(TpcTlb& tlb, std::uint64_t page, Cycle now) {
  misses_.add();
  const auto oldest = std::ranges::min_element(tlb.entries, {}, &Entry::last_use);
  const Cycle ready =
      look_up_chip(page, now, params_.walk_latency_cycles) + params_.tpc_miss_latency_cycles;
  *oldest = {page, ++uses_, ready};
  tlb.latest = static_cast<std::size_t>(oldest - tlb.entries.begin());
  return ready - now;
}

/// When the chip's TLB has `page`, a walk taking `walk`.
Cycle Tlb::look_up_chip(std::uint64_t page, Cycle now, Cycle walk) {
  const auto [held, is_new] = chip_.try_emplace(page);
  if (is_new) {
    if (walk > 0) walks_.add();
    if (chip_.size() > static_cast<std::size_t>(params_.chip_entries)) {
      chip_.erase(held);
      chip_.erase(std::ranges::min_element(
          chip_, {}, [](const auto& entry) { return entry.second.last_use; }));
      chip_[page] = {page, ++uses_, now + walk};
      return now + walk;
    }
    held->second.ready = now + walk;
  }
  held->second.last_use = ++uses_;
  return std::max(now, held->second.ready);
}

}  // namespace tcsim::memory
