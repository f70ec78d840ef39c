#pragma once

#include <array>
#include <cstdint>

#include "models/memory/params.hpp"

namespace tcsim::memory {

/// Where an address lives: its home slice, and its position among the bytes of that slice.
struct HomeAddress {
  int slice = 0;
  std::uint64_t local = 0;  ///< byte address within the slice, dense
};

/// Spreads blocks of `interleave_bytes` over the slices. Each group of as many consecutive blocks
/// as there are slices holds every slice once, so the map is one to one. The real functions are not
/// public (microarchitecture.md 7.6), only that bad strides spread evenly. Known hashes:
/// - "xor_fold": the group is rotated by a mix of its number, for any slice count;
/// - "polynomial": the group's number without its last bit is divided by an irreducible polynomial
///   over GF(2) and the remainder added to the place in the group (KHA20), so that strides of a
///   power of two spread perfectly. The two groups of a pair lie alike: rows of a matrix with such
///   a pitch meet in a DRAM row. Inferred on V100, which reads 64 bytes of each row 1.7 times as
///   fast with a pitch of 4 or 8 KiB as with others (docs/accuracy.md). Needs 2^n slices;
/// - "modulo": none.
class AddressMap {
 public:
  enum class Hash : std::uint8_t { kNone, kFold, kPolynomial };

  /// Throws std::invalid_argument where the hash cannot serve so many slices.
  explicit AddressMap(const L2Params& params);

  HomeAddress home(std::uint64_t address) const;

 private:
  std::uint64_t slice_of(std::uint64_t block, std::uint64_t group) const;
  std::uint64_t remainder(std::uint64_t polynomial) const;

  std::uint64_t slices_;
  std::uint64_t interleave_;
  Hash hash_;
  std::array<std::uint64_t, 64> remainders_{};  ///< of the powers of x, with kPolynomial
};

}  // namespace tcsim::memory
