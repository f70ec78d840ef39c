#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/isa/program.hpp"

namespace tcsim::isa {

/// The addresses of the lanes of one memory instruction, relative to its first active lane.
struct LanePattern {
  std::array<std::int64_t, 32> offsets{};  ///< bytes; 0 for lanes that do not take part
  int bytes_per_lane = 0;
  int matrices = 0;  ///< LDSM, STSM: matrices moved, each by rows of 16 bytes; else 0

  bool operator==(const LanePattern&) const = default;
};

/// What a TMA copy reads or writes in global memory: pieces in order, restricted to the tensor.
struct RecordedBox {
  struct Piece {
    std::int64_t offset = 0;  ///< bytes, from the start of the first piece
    std::int64_t bytes = 0;
    bool operator==(const Piece&) const = default;
  };
  std::vector<Piece> pieces{};
  int bytes = 0;  ///< size of the whole box, including what is outside

  /// Appends a piece, or extends the last one if `piece` starts where that ends.
  void append(const Piece& piece) {
    if (!pieces.empty() && pieces.back().offset + pieces.back().bytes == piece.offset)
      pieces.back().bytes += piece.bytes;
    else
      pieces.push_back(piece);
  }
  bool operator==(const RecordedBox&) const = default;
};

/// One executed instruction of a recorded warp.
struct RecordedStep {
  /// Value of `pattern` for an instruction whose pattern is in `own_pattern` or `own_box`.
  static constexpr int kOwnPattern = -2;

  int instruction = 0;      ///< index into the instructions of the launch's one program
  std::uint32_t lanes = 0;  ///< bit i: lane i takes part
  /// Memory, SYNCS: index into Recording::patterns(). TMA copies: index into Recording::boxes().
  int pattern = kNoIndex;
  std::int64_t address = 0;   ///< memory: of the first active lane; shared: offset in the CTA's;
                              ///< SYNCS: cluster_address; TMA copies: of the first piece
  std::int64_t barrier = 0;   ///< UTMALDG: byte of the mbarrier in the CTA's shared memory
  std::int64_t value = 0;     ///< SYNCS: BarrierOperand::value. UTMALDG: TileOperand::ranks
  LanePattern own_pattern{};  ///< only if `pattern` is kOwnPattern
  RecordedBox own_box{};      ///< the same
};

/// The steps of one warp, in order. The last one is an EXIT with all lanes; no other EXIT has any
/// lane.
class RecordedWarp {
 public:
  virtual ~RecordedWarp() = default;
  /// Reads the next step. Requires that the previous step was not the last.
  virtual void read(RecordedStep& step) = 0;
};

/// What the warps of a kernel executed, instruction by instruction, as a tracer recorded it. Not
/// held in memory as a whole.
class Recording {
 public:
  virtual ~Recording() = default;

  /// The instruction set of the code: 80 for sm_80.
  [[nodiscard]] virtual int sm_version() const = 0;
  /// Warp `warp` of the CTA at `cta`. Requires that both are within the launch.
  [[nodiscard]] virtual std::unique_ptr<RecordedWarp> open(const std::array<std::int64_t, 3>& cta,
                                                           int warp) const = 0;
  [[nodiscard]] virtual const std::vector<LanePattern>& patterns() const = 0;
  [[nodiscard]] virtual const std::vector<RecordedBox>& boxes() const = 0;
  /// Every pair of instructions, by index, that some warp executed in sequence and that are not
  /// adjacent in the program.
  [[nodiscard]] virtual const std::vector<std::pair<int, int>>& jumps() const = 0;
  /// The address of each instruction of the program in the recorded code; kNoAddress for an EXIT
  /// that the recording lacks.
  static constexpr std::uint64_t kNoAddress = ~std::uint64_t{0};
  [[nodiscard]] virtual const std::vector<std::uint64_t>& addresses() const = 0;
  /// How often each instruction of the program was executed in the whole grid.
  [[nodiscard]] virtual const std::vector<std::int64_t>& executions() const = 0;
  /// Bytes of the boxes that each instruction copied in the whole grid.
  [[nodiscard]] virtual const std::vector<std::int64_t>& box_bytes() const = 0;
};

}  // namespace tcsim::isa
