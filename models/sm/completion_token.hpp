#pragma once

#include <cstdint>

namespace tcsim::sm {

/// Identifies what to update when a unit has finished something for an instruction. The SM makes
/// the token when the instruction issues. A unit keeps it and returns it at the right time
/// (CompletionQueue) without knowing its meaning; `Sm::complete` interprets it.
struct CompletionToken {
  enum class Kind : std::uint8_t {
    kNone,         ///< nothing to update: units need not return it
    kResult,       ///< dependence counter `index` of a warp: results of instruction `value` are in
                   ///< registers
    kSourcesRead,  ///< the same counter: the instruction's sources have been read
    kCopy,         ///< group `index` of a warp: one of its copies is in shared memory
    kArrival,      ///< mbarrier `index` of CTA slot `place`: one arrival, and `value` more bytes
                   ///< expected
    kBytes,        ///< the same mbarrier: `value` bytes are in shared memory
    kBox,          ///< CTA slot `place`: a whole box has arrived, `value` bytes for mbarrier
                   ///< `index`
    kCluster,      ///< CTA slot `place`: a CTA has arrived at the barrier of its cluster
    kOperands,     ///< operands of a warpgroup product: `index` bytes take the data path
    kPeerAnswer,   ///< answer `value` to an access from another SM is due
    kPutTurn,      ///< a copy gets its turn at the port to other SMs
    kPeerWritten,  ///< a warp: one of its stores or atomics in the cluster has been written
    kUnreachable,  ///< a warp: it has accessed shared memory of rank `index`, which does not exist
                   ///< or has ended
    kProduct,  ///< group `index` of a warp's products: the sums of one product are in the registers
  };

  Kind kind = Kind::kNone;
  std::uint8_t place = 0;   ///< hardware warp or CTA slot
  std::uint16_t index = 0;  ///< meaning depends on the kind, as for `value`
  std::int32_t value = 0;

  /// True if there is something to update.
  explicit operator bool() const { return kind != Kind::kNone; }
  bool operator==(const CompletionToken&) const = default;
};
static_assert(sizeof(CompletionToken) == 8);

}  // namespace tcsim::sm
