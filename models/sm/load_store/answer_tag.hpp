#pragma once

#include <cstdint>

#include "models/memory/line_request.hpp"

namespace tcsim::sm {

/// The recipient of an answer from the memory side.
enum class AnswerKind : std::uint8_t {
  kLine,         ///< line `number` of the L1: its `sectors`
  kPastCache,    ///< memory operation `number`, which takes `bytes` of the line
  kWrite,        ///< CTA `number`, one of whose stores or reductions has been accepted
  kTile,         ///< box `number`: `bytes` of it have been read, written or prefetched
  kClusterLine,  ///< `bytes` of a box for several CTAs, for 8-byte word `number` of their memory
  kCode,         ///< line `number` of code memory
};

/// Layout of the 32 bits of a tag, from the highest down. The memory side sets kWriteDone, the two
/// highest bits, in answers without data; requests of kWrite do not have them set.
///
///     11 0  number                        kWrite
///     11 1  number, 8 bits: bytes - 1     kTile, written or prefetched
///     10    number, 10 bits: bytes        kPastCache
///     01    number                        kCode
///     00 11 number, 8 bits: bytes - 1     kClusterLine
///     00 10 number, 8 bits: bytes - 1     kTile
///     00 0  number, 8 bits: sectors       kLine
struct AnswerTag {
  AnswerKind kind = AnswerKind::kLine;
  std::uint32_t number = 0;
  int bytes = 0;
  std::uint8_t sectors = 0;  ///< a bit each

  /// The tag of the request. Requires that `number` fits into its bits; bytes <= 1023 for
  /// kPastCache, 1 to 256 for boxes.
  [[nodiscard]] constexpr std::uint32_t encoded() const {
    switch (kind) {
      case AnswerKind::kPastCache:
        return kPastCacheBit | number << kOperationShift | static_cast<std::uint32_t>(bytes);
      case AnswerKind::kTile:
        return kTileBit | number << kBoxShift | static_cast<std::uint32_t>(bytes - 1);
      case AnswerKind::kClusterLine:
        return kTileBit | kClusterBit | number << kBoxShift | static_cast<std::uint32_t>(bytes - 1);
      case AnswerKind::kCode:
        return kCodeBit | number;
      case AnswerKind::kLine:
        return number << kSectorBits | sectors;
      default:
        return number;
    }
  }

  /// Decodes the `tag` of an answer.
  static constexpr AnswerTag of(std::uint32_t tag) {
    const std::uint32_t rest = tag & ~memory::kWriteDone;
    const bool is_tile = (tag & kTileBit) != 0;
    switch (tag & memory::kWriteDone) {
      case kCodeBit:
        return {AnswerKind::kCode, rest};
      case kPastCacheBit:
        return {AnswerKind::kPastCache, rest >> kOperationShift,
                static_cast<int>(rest & ((1U << kOperationShift) - 1))};
      case 0:
        if (!is_tile)
          return {AnswerKind::kLine, rest >> kSectorBits, 0, static_cast<std::uint8_t>(rest)};
        if ((tag & kClusterBit) != 0) return of_box(AnswerKind::kClusterLine, rest & ~kClusterBit);
        return of_box(AnswerKind::kTile, rest);
      default:
        return is_tile ? of_box(AnswerKind::kTile, rest) : AnswerTag{AnswerKind::kWrite, rest};
    }
  }

 private:
  static constexpr std::uint32_t kPastCacheBit = std::uint32_t{1} << 31;
  static constexpr std::uint32_t kCodeBit = std::uint32_t{1} << 30;
  static constexpr std::uint32_t kTileBit = std::uint32_t{1} << 29;
  static constexpr std::uint32_t kClusterBit = std::uint32_t{1} << 28;
  static constexpr int kOperationShift = 10;
  static constexpr int kBoxShift = 8;
  static constexpr int kSectorBits = 8;
  static_assert(memory::kWriteDone == (kPastCacheBit | kCodeBit));

  static constexpr AnswerTag of_box(AnswerKind kind, std::uint32_t rest) {
    const std::uint32_t number = (rest & ~kTileBit) >> kBoxShift;
    return {kind, number, static_cast<int>(rest & ((1U << kBoxShift) - 1)) + 1};
  }
};

}  // namespace tcsim::sm
