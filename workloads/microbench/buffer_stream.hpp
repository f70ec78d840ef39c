#pragma once

#include <cstdint>

#include "models/isa/launch.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::microbench {

/// Arrays of 8-byte elements, one element of each per thread, as in the copy, scale and triad
/// kernels of STREAM.
struct ElementStream {
  int reads = 1;   ///< arrays read
  int writes = 0;  ///< arrays written
  std::int64_t ctas = 1;
  int warps = 32;          ///< per CTA
  std::uint64_t base = 0;  ///< address of the first array, a multiple of 256
  int shared_bytes = 0;    ///< per CTA; keeps other CTAs off its SM
};

/// Bytes of one array of `stream`.
std::int64_t array_bytes(const ElementStream& stream);

isa::KernelLaunch element_stream(const ElementStream& stream, const isa::TimingTable& timing);

/// CTAs that read the same buffer repeatedly (L2), or each its own (L1).
struct RepeatedRead {
  std::int64_t bytes = 0;   ///< size of a buffer, rounded down to whole rounds of a CTA
  bool is_private = false;  ///< every CTA reads its own buffer, from beginning to end
  std::int64_t ctas = 1;
  int warps = 32;           ///< per CTA
  int loads = 2;            ///< loads of a thread in a round, 8 bytes each
  std::int64_t rounds = 1;  ///< rounds of a CTA
  std::uint64_t base = 1 << 20;
};

/// Bytes that a CTA of `read` reads in a round.
std::int64_t bytes_per_round(const RepeatedRead& read);

/// Shared buffers: round r of CTA c reads piece (r * s + c mod s), s = pieces / rounds, so that
/// CTAs working at the same time read different pieces and every piece is read by many CTAs. Shared
/// buffers require bytes >= rounds * bytes_per_round(*this).
isa::KernelLaunch repeated_read(const RepeatedRead& read, const isa::TimingTable& timing);

}  // namespace tcsim::microbench
