#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/isa/opcode.hpp"
#include "models/sm/decode.hpp"
#include "models/sm/params.hpp"
#include "models/sm/pattern_cache.hpp"

namespace tcsim::sm {

/// What accesses of warps come to in lines, sectors and wavefronts. Patterns of full warps are
/// computed once for each access and alignment of its base; host threads may ask at once.
class AccessPatterns {
 public:
  /// Of `accesses` accesses, whose ids count from 0.
  AccessPatterns(const SmParams& params, std::size_t accesses);

  int line_bytes() const { return line_bytes_; }
  int sector_bytes() const { return sector_bytes_; }

  /// Lines and sectors that `lanes` of a global access touch, with uniform byte address `base`, in
  /// order of address. `offsets` are those of the lanes (lane_values). Returns the number of
  /// 128-byte wavefronts that read the data from L1, which has the banks and rules of shared
  /// memory.
  int global_lines(const DecodedAccess& access, std::int64_t base, const LaneValues& offsets,
                   std::uint32_t lanes, isa::Effect effect, std::vector<LineSectors>& lines) const;

  /// Number of wavefronts that `lanes` of a shared access need with uniform byte offset
  /// `base`; `minimum` receives the number without bank conflicts. Lanes of an atomic never share a
  /// word. A wavefront of a load returns one register of each lane. It returns two if every lane
  /// reads the address of its neighbour, lane ^ 1, or every lane that of lane ^ 2: LDS.64 then
  /// takes one wavefront and LDS.128 two (NVIDIA's developer forum, 77228, of compute capability
  /// 7.0 to 7.5; later boards: assumption).
  int shared_wavefronts(const DecodedAccess& access, std::int64_t base, const LaneValues& offsets,
                        std::uint32_t lanes, isa::Effect effect, int& minimum) const;

  /// Bytes that a wavefront of a shared access puts on the data path: what the lanes that are
  /// served together take, a register of 4 bytes at least, but no more than all banks deliver.
  int wavefront_bytes(const DecodedAccess& access) const;

 private:
  struct GlobalPattern {
    std::vector<LineSectors> lines;  ///< relative to the aligned base
    int wavefronts;
  };
  struct SharedPattern {
    int wavefronts;
    int minimum;
  };

  std::vector<LineSectors> compute_lines(const DecodedAccess& access, std::int64_t base,
                                         const LaneValues& offsets, std::uint32_t lanes) const;
  SharedPattern count_wavefronts(const isa::Swizzle& swizzle, const LaneValues& lane_offsets,
                                 std::int64_t base, std::uint32_t lanes, int words, int group,
                                 bool is_atomic) const;
  SharedPattern compute_wavefronts(const DecodedAccess& access, std::int64_t base,
                                   const LaneValues& offsets, std::uint32_t lanes,
                                   isa::Effect effect) const;

  const int line_bytes_;
  const int sector_bytes_;
  const int banks_;
  const int bank_width_;
  // Patterns of full warps by access id and alignment of the base.
  mutable PatternCache<GlobalPattern> global_patterns_;
  mutable PatternCache<SharedPattern> shared_patterns_;
};

}  // namespace tcsim::sm
