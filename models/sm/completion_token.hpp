#pragma once

#include <cstdint>

namespace tcsim::sm {

/// What is told when a unit has finished something for an instruction. The SM makes the token when
/// the instruction issues; a unit keeps it, gives it back at the right time (CompletionQueue) and
/// knows nothing of what it stands for, which `Sm::complete` does.
struct CompletionToken {
  enum class Kind : std::uint8_t {
    kNone,         ///< nobody: units need not give it back
    kResult,       ///< a dependence counter of a warp: results are in their registers
    kSourcesRead,  ///< a dependence counter of a warp: sources have been read
    kCopy,         ///< a copy group of a warp: one of its copies is in shared memory
    kArrival,     ///< mbarrier `index` of CTA slot `warp`: an arrival, and `instruction` bytes more
    kBytes,       ///< the same mbarrier: `instruction` bytes are in shared memory
    kBox,         ///< of CTA slot `warp`: all of a box, `instruction` bytes for mbarrier `index`
    kCluster,     ///< of CTA slot `warp`: a CTA has come to the barrier of its cluster
    kOperands,    ///< of a product of a warpgroup: `index` bytes take the data path
    kPeerAnswer,  ///< answer `instruction` to an access by another SM is due
    kPutTurn,     ///< the port to other SMs has its turn for a copy
    kPeerWritten,  ///< a warp: what one of its stores or atomics writes in the cluster is there
    kUnreachable,  ///< a warp: it has accessed shared memory of rank `index`, which is not there
    kProduct,      ///< a group of products of a warp: one of them has its sums in the registers
  };

  Kind kind = Kind::kNone;
  std::uint8_t warp = 0;         ///< hardware warp
  std::uint16_t index = 0;       ///< the counter, or what CopyGroups::add_copy returned
  std::int32_t instruction = 0;  ///< its number in the program of the warp, or bytes

  /// True if somebody wants to be told.
  explicit operator bool() const { return kind != Kind::kNone; }
  bool operator==(const CompletionToken&) const = default;
};
static_assert(sizeof(CompletionToken) == 8);

}  // namespace tcsim::sm
