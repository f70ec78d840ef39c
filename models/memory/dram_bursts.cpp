// Sectors of lines as DRAM bursts, in both directions.

#include "models/memory/memory_system.hpp"

namespace tcsim::memory {
namespace {

// A burst's tag identifies what it fills: place of the line in its slice, slice (14 bits), sector
// (3 bits), and whether it is the last burst of the sector.
constexpr int kSectorBits = 3;
constexpr int kSliceBits = 14;
constexpr int kTagBits = 1 + kSectorBits + kSliceBits;

}  // namespace

void MemorySystem::send_bursts(int slice, int place, std::uint8_t sectors, const dram::Burst& line,
                               Cycle at) {
  const std::uint64_t line_tag =
      ((static_cast<std::uint64_t>(place) << kSliceBits) | static_cast<std::uint64_t>(slice))
      << kSectorBits;
  dram::Burst burst = line;
  const auto sector_bytes = static_cast<std::uint64_t>(l2_.sector_bytes);
  for (unsigned sector = 0; sectors >> sector != 0; ++sector) {
    if (((sectors >> sector) & 1) == 0) continue;
    for (std::uint64_t byte = 0; byte < sector_bytes; byte += burst_bytes_) {
      const bool is_last = byte + burst_bytes_ == sector_bytes;
      burst.tag = ((line_tag | sector) << 1) | (is_last ? 1U : 0U);
      burst.address = line.address + sector * sector_bytes + byte;
      dram_.send(slice, burst, at);
    }
  }
}

void MemorySystem::advance_channels(Cycle until) {
  dram_.begin(until);
  end_channels();
}

void MemorySystem::end_channels() {
  dram_done_.clear();
  dram_.end(dram_done_);
  for (const DramFill& done : dram_done_) {
    const bool is_last = (done.tag & 1) != 0;
    if (!is_last) continue;
    const auto sector = static_cast<int>((done.tag >> 1) & ((1U << kSectorBits) - 1));
    const auto slice =
        static_cast<std::uint16_t>((done.tag >> (1 + kSectorBits)) & ((1U << kSliceBits) - 1));
    const auto place = static_cast<std::uint32_t>(done.tag >> kTagBits);
    const auto sectors = static_cast<std::uint8_t>(done.write ? 0 : 1U << sector);
    dram_fills_.push(done.at_slice, {place, slice, sectors, false});
  }
}

}  // namespace tcsim::memory
