#include "models/memory/tlb.hpp"

#include <algorithm>
#include <bit>

#include "models/memory/line_request.hpp"

namespace tcsim::memory {

Tlb::Tlb(const TlbParams& params, const Topology& topology, stats::Group& parent)
    : params_(params),
      page_bits_(std::bit_width(static_cast<unsigned>(params.page_bytes)) - 1),
      tpc_of_sm_(topology.tpc_of_sm),
      chip_(params.replacement, params.chip_entries, static_cast<std::uint32_t>(topology.tpcs)),
      group_("tlb", parent),
      misses_(group_, "tlb_misses", "page", "Pages that the TLB of a TPC did not hold."),
      walks_(group_, "tlb_walks", "page", "Of these, pages that the chip's TLB did not hold.") {
  for (int tpc = 0; tpc < topology.tpcs && params.tpc_entries > 0; ++tpc)
    tpcs_.emplace_back(params.replacement, params.tpc_entries, static_cast<std::uint32_t>(tpc));
}

Cycle Tlb::delay(int sm, std::uint64_t address, Cycle now) {
  if (params_.tpc_entries == 0) return 0;
  const std::uint64_t page = address >> page_bits_;
  PageTags& tlb = tpcs_[static_cast<std::size_t>(tpc_of_sm_[static_cast<std::size_t>(sm)])];
  if (const PageTags::Entry* held = tlb.use(page)) return std::max<Cycle>(0, held->ready - now);
  misses_.add();
  const Cycle ready = look_up_chip(page, now) + params_.tpc_miss_latency_cycles;
  tlb.add({page, ready});
  return ready - now;
}

/// When the chip's TLB has `page`.
Cycle Tlb::look_up_chip(std::uint64_t page, Cycle now) {
  if (const PageTags::Entry* held = chip_.use(page)) return std::max(now, held->ready);
  walks_.add();
  const Cycle ready = now + params_.walk_latency_cycles;
  chip_.add({page, ready});
  return ready;
}

void Tlb::install(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = (address + bytes + (std::uint64_t{1} << page_bits_) - 1) >> page_bits_;
  const std::uint64_t most = 2 * static_cast<std::uint64_t>(params_.chip_entries);
  const std::uint64_t physical_pages = std::uint64_t{1} << (kPhysicalBits - page_bits_);
  const std::uint64_t first = address >> page_bits_;
  for (std::uint64_t page = end - first > most ? end - most : first; page < end; ++page)
    if (chip_.use(page % physical_pages) == nullptr) chip_.add({page % physical_pages, 0});
}

}  // namespace tcsim::memory
