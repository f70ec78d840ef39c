#pragma once

#include <cstdint>

namespace tcsim::sm {

/// What is told when a unit has finished something for an instruction. The SM makes the token when
/// the instruction issues; a unit keeps it, gives it back at the right time (CompletionQueue) and
/// knows nothing of what it stands for, which `Sm::complete` does.
struct CompletionToken {
  enum class Kind : std::uint8_t {
    kNone,         ///< nobody: units need not give it back
    kResult,       ///< counter `index` of a warp: results of instruction `value` are in registers
    kSourcesRead,  ///< the same: its sources have been read
    kCopy,         ///< group `index` of a warp: one of its copies is in shared memory
    kArrival,      ///< mbarrier `index` of CTA slot `place`: an arrival, and `value` bytes more
    kBytes,        ///< the same mbarrier: `value` bytes are in shared memory
    kBox,          ///< of CTA slot `place`: all of a box, `value` bytes for mbarrier `index`
    kCluster,      ///< of CTA slot `place`: a CTA has come to the barrier of its cluster
    kOperands,     ///< of a product of a warpgroup: `index` bytes take the data path
    kPeerAnswer,   ///< answer `value` to an access by another SM is due
    kPutTurn,      ///< the port to other SMs has its turn for a copy
    kPeerWritten,  ///< a warp: what one of its stores or atomics writes in the cluster is there
    kUnreachable,  ///< a warp: it has accessed shared memory of rank `index`, which is not there
    kProduct,  ///< group `index` of a warp's products: one of them has its sums in the registers
  };

  Kind kind = Kind::kNone;
  std::uint8_t place = 0;   ///< hardware warp or CTA slot
  std::uint16_t index = 0;  ///< as the kind says, and so is `value`
  std::int32_t value = 0;

  /// True if somebody wants to be told.
  explicit operator bool() const { return kind != Kind::kNone; }
  bool operator==(const CompletionToken&) const = default;
};
static_assert(sizeof(CompletionToken) == 8);

}  // namespace tcsim::sm
