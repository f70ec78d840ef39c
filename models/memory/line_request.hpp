#pragma once

#include <cstdint>

#include "models/isa/cycle.hpp"

namespace tcsim::memory {

enum class LineAccess : std::uint8_t { kRead, kWrite };

/// What one SM asks of the memory side: sectors of one line.
struct LineRequest {
  Cycle cycle = 0;            ///< SM clock at which it leaves the SM
  std::uint64_t address = 0;  ///< of the line
  std::uint32_t tag = 0;      ///< reads: comes back with the response
  std::uint16_t sm = 0;
  std::uint8_t sectors = 0;  ///< bit i: sector i of the line
  LineAccess access = LineAccess::kRead;
  std::uint8_t partial = 0;  ///< writes: sectors of which only some bytes are written
};

/// Where code lies: the last 4 GiB of the physical addresses, above all buffers.
inline constexpr std::uint64_t kCodeMemory = (std::uint64_t{1} << 39) - (std::uint64_t{1} << 32);

/// Tag of the answer to a write: its slice has taken it.
inline constexpr std::uint32_t kWriteDone = ~std::uint32_t{0};

/// Data of one read, or the answer to one write, at the SM.
struct LineResponse {
  Cycle cycle = 0;        ///< SM clock at which the last byte has arrived
  std::uint32_t tag = 0;  ///< of the read, or kWriteDone
};

}  // namespace tcsim::memory
