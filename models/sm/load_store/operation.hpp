#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/sm/completion_token.hpp"
#include "models/sm/decode.hpp"
#include "models/sm/observer.hpp"
#include "models/sm/peer_message.hpp"

namespace tcsim::sm {

/// What a 128-byte wavefront moves; also the size of one register of a warp.
inline constexpr int kWavefrontBytes = 128;
inline constexpr int kRegisterBytes = 4 * kLanes;

/// What a memory instruction does in the shared memory of one CTA of the cluster.
struct PeerPart {
  int rank = 0;         ///< rank of the CTA; may be outside the cluster
  int write_bytes = 0;  ///< bytes written there
  PeerMessage::Access access{};
};

/// One memory instruction in the memory pipeline, from its issue to its completion.
struct MemoryOperation {
  const DecodedInstruction* instruction = nullptr;
  IssueId id;
  CompletionToken sources_read;
  CompletionToken done;     ///< results are written, or the copy is in shared memory
  CompletionToken written;  ///< everything that it writes in the cluster is in place
  std::uint16_t cta = 0;    ///< number of WritesUnderWay
  int sub_core = 0;
  int wavefronts = 0;  ///< of shared memory, L1 or constants
  int minimum_wavefronts = 0;
  int wavefront_bytes = 0;  ///< of shared memory, on the data path
  int lanes = 0;
  int bytes = 0;                        ///< moved by the active lanes
  bool flags = false;                   ///< accesses a flag buffer
  std::vector<LineSectors> lines;       ///< of global memory
  std::vector<std::int64_t> constants;  ///< LDC: bytes of the words that its lanes still need
  Cycle constants_ready = 0;            ///< when the constants received so far can be used
  std::vector<PeerPart> peers;          ///< parts in the shared memory of the cluster, by rank
  std::uint16_t cluster = 0;            ///< with `peers`: cluster of its CTA, and rank in it
  std::uint8_t rank = 0;
  int lines_left = 0;  ///< not yet arrived; or the number of `peers` not done
  int next_free = -1;
};

/// The operations of an SM by number. Numbers are reused, and so are the vectors of their
/// operations.
class MemoryOperations {
 public:
  /// The number of a free operation, which still holds what its previous user left.
  int take() {
    ++busy_;
    if (free_ < 0) {
      operations_.emplace_back();
      return static_cast<int>(operations_.size()) - 1;
    }
    const int number = free_;
    free_ = (*this)[number].next_free;
    return number;
  }
  void give_back(int number) {
    --busy_;
    (*this)[number].next_free = free_;
    free_ = number;
  }

  MemoryOperation& operator[](int number) { return operations_[static_cast<std::size_t>(number)]; }
  const MemoryOperation& operator[](int number) const {
    return operations_[static_cast<std::size_t>(number)];
  }

  bool is_empty() const { return busy_ == 0; }

 private:
  std::vector<MemoryOperation> operations_;
  int free_ = -1;
  int busy_ = 0;
};

}  // namespace tcsim::sm
