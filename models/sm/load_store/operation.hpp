#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/sm/completion_token.hpp"
#include "models/sm/decode.hpp"
#include "models/sm/observer.hpp"

namespace tcsim::sm {

/// What a 128-byte wavefront moves, and a register of a warp.
inline constexpr int kWavefrontBytes = 128;
inline constexpr int kRegisterBytes = 4 * kLanes;

/// One memory instruction in the memory pipeline, from its issue to its completion.
struct MemoryOperation {
  const DecodedInstruction* instruction = nullptr;
  IssueId id;
  CompletionToken sources_read;
  CompletionToken done;  ///< results are written, or the copy is in shared memory
  int sub_core = 0;
  int wavefronts = 0;  ///< of shared memory, L1 or constants
  int minimum_wavefronts = 0;
  int lanes = 0;
  int bytes = 0;                        ///< moved by the active lanes
  bool flags = false;                   ///< of a flag buffer
  std::vector<LineSectors> lines;       ///< of global memory
  std::vector<std::int64_t> constants;  ///< LDC: bytes of the words that its lanes want
  int lines_left = 0;                   ///< not here yet
  int next_free = -1;
};

/// The operations of an SM by their numbers, which are used again, and their vectors with them.
class MemoryOperations {
 public:
  /// The number of a free one, which holds what its user before left.
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
