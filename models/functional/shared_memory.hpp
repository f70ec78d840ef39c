#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
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
  std::vector<Copy> copies;     ///< that have not arrived
  std::vector<TileCopy> boxes;  ///< of UTMASTG, UTMAREDG, UBLKCP.G.S and UBLKRED
  /// When the issuer first told an mbarrier of the copies, on its clock.
  std::optional<int> told_since;
};

/// The copy groups of one warp.
struct CopyGroups {
  CopyGroup uncommitted;  ///< Not yet in a group.
  /// Oldest first. Mbarriers that have been told of copies share their groups.
  std::deque<std::shared_ptr<CopyGroup>> groups;

  [[nodiscard]] bool has_boxes() const;
  /// Turns the uncommitted copies into a group.
  void close();
};

/// The shared memory of one CTA, with a race detector. A copy arrives when its warp waits for it,
/// or a warp for the phase of an mbarrier that was told of it: the latest moment that the hardware
/// may choose, so a read that comes too early finds old bytes. Bytes that were never written are
/// ff, a NaN in every format.
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
  /// The copies of `group` arrive, as writes of their issuers, unless they have arrived before.
  void land(CopyGroup& group);
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
