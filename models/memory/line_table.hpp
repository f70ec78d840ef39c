#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tcsim::memory {

/// Places by key, in one word per cell: open addressing with linear probing, at most half full.
class LineTable {
 public:
  static constexpr int kKeyBits = 47;

  /// The place of `key`, which is below 2^kKeyBits.
  [[nodiscard]] std::optional<std::uint16_t> find(std::uint64_t key) const {
    const std::uint64_t cell = cells_[cell_of(key)];
    if (cell == kFree) return {};
    return static_cast<std::uint16_t>(cell);
  }

  /// Sets the place of `key`, which is below 2^kKeyBits, to `place`, replacing any previous one.
  void put(std::uint64_t key, std::uint16_t place) {
    assert(key >> kKeyBits == 0);
    if (2 * (used_ + 1) > cells_.size()) grow();
    std::uint64_t& cell = cells_[cell_of(key)];
    if (cell == kFree) ++used_;
    cell = key << kPlaceBits | place;
  }

  void clear() {
    cells_.assign(cells_.size(), kFree);
    used_ = 0;
  }

 private:
  static constexpr int kPlaceBits = 16;
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  static constexpr int kFewestBits = 5;

  /// The cell of `key`, or the free cell for it. Multiplicative hashing (Knuth, The Art of Computer
  /// Programming, volume 3, 6.4).
  [[nodiscard]] std::size_t cell_of(std::uint64_t key) const {
    constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
    std::size_t cell = key * kGoldenRatio >> unused_bits_;
    while (cells_[cell] != kFree && cells_[cell] >> kPlaceBits != key)
      cell = (cell + 1) & (cells_.size() - 1);
    return cell;
  }

  void grow() {
    const std::vector<std::uint64_t> old = std::move(cells_);
    cells_.assign(2 * old.size(), kFree);
    --unused_bits_;
    for (const std::uint64_t cell : old)
      if (cell != kFree) cells_[cell_of(cell >> kPlaceBits)] = cell;
  }

  std::vector<std::uint64_t> cells_ =
      std::vector<std::uint64_t>(std::size_t{1} << kFewestBits, kFree);
  int unused_bits_ = 64 - kFewestBits;  ///< bits of a hash that are not used
  std::size_t used_ = 0;
};

}  // namespace tcsim::memory
