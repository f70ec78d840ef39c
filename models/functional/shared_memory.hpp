#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "models/functional/race_detector.hpp"
#include "models/functional/tile_copy.hpp"

namespace tcsim::functional {

/// The bytes that one lane of an LDGSTS copies.
struct Copy {
  Accessor issuer;
  std::int64_t shared_offset = 0;
  int bytes = 0;
  std::array<std::uint8_t, 16> content{};
};

/// Copies into shared memory and boxes out of it that are waited for together.
struct CopyGroup {
  std::vector<Copy> copies;
  std::vector<TileCopy> boxes;  ///< of UTMASTG, UTMAREDG, UBLKCP.G.S and UBLKRED
};

/// The copy groups of one warp.
struct CopyGroups {
  CopyGroup uncommitted;         ///< Not yet in a group.
  std::deque<CopyGroup> groups;  ///< Oldest first.

  [[nodiscard]] bool has_boxes() const;
  /// Turns the uncommitted copies into a group.
  void close();
};

/// The shared memory of one CTA, with a race detector. A copy arrives when its warp waits for it,
/// the latest moment that the hardware may choose: a read that comes too early finds old bytes.
/// Bytes that were never written are ff, a NaN in every format.
class SharedMemory {
 public:
  SharedMemory(std::int64_t cta, int bytes);

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size()); }

  /// All of these require that the range is inside shared memory.
  void read(const Accessor& who, std::int64_t offset, std::span<std::uint8_t> to);
  void write(const Accessor& who, std::int64_t offset, std::span<const std::uint8_t> from);
  /// The bytes that an atomic reads and writes in one step.
  std::span<std::uint8_t> update(const Accessor& who, std::int64_t offset, std::size_t bytes);
  void open(const Copy& copy, CopyGroups& groups);
  /// `copy` has arrived, as a write of its issuer; with mbarriers, at time `since` of the issuer's
  /// clock.
  void land(const Copy& copy, int since);
  /// Waits until at most `may_stay_open` groups are open. Returns the boxes that must now be
  /// stored.
  [[nodiscard]] std::vector<TileCopy> wait(CopyGroups& groups, int may_stay_open);
  /// Raw bytes, for accesses that have been reported to the race detector.
  std::span<std::uint8_t> bytes(std::int64_t offset, std::size_t count) {
    return std::span(bytes_).subspan(static_cast<std::size_t>(offset), count);
  }

  [[nodiscard]] RaceDetector& races() { return races_; }

 private:
  std::vector<std::uint8_t> bytes_;
  RaceDetector races_;
};

}  // namespace tcsim::functional
