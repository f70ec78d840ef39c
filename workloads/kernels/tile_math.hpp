#pragma once

#include <vector>

#include "workloads/kernels/operand.hpp"
#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// A lane bit that moves a lane by `weight` rows or columns of its warp tile.
struct LaneBit {
  int bit;
  int weight;
};

/// Consecutive accumulator registers that hold consecutive columns.
struct AccumulatorRun {
  isa::Register first;
  int registers;
  int column;  ///< of the warp tile, for lane 0
};

/// A set of rows of the warp tile, one per combination of the row bits, that passes through shared
/// memory at once.
struct RowGroup {
  int first_row;
  std::vector<AccumulatorRun> runs;
};

/// Where the accumulators of a warp belong in its part of D.
struct AccumulatorMap {
  int element_bytes = 4;          ///< 4: one element per register, 2: two
  std::vector<LaneBit> row_bits;  ///< in the order in which rows are staged
  std::vector<LaneBit> column_bits;
  std::vector<RowGroup> groups;
  bool swapped_pairs = false;  ///< columns 2j and 2j + 1 lie in each other's registers
  int padding_bytes = 0;  ///< per staged row, makes the stores of a group free of bank conflicts
};

/// Registers for the math of a warp. Its fragment buffers are consecutive from `fragments` on.
struct MathRegisters {
  int accumulators = 0;
  int fragments = 0;
  int address_a = 0;  ///< shared addresses of the fragment loads
  int address_b = 0;
};

/// A fragment load for the next k-step into registers that this step still reads: it goes after the
/// step's first `after` multiply-adds.
struct LateLoad {
  int after;
  isa::Instruction load;
};

/// What one warp does with the k-tiles in shared memory: fragment loads and multiply-adds, step by
/// step along k.
class TileMath {
 public:
  virtual ~TileMath() = default;

  /// k-steps of a k-tile; even, because the steps alternate between two fragment buffers.
  [[nodiscard]] virtual int steps() const = 0;
  [[nodiscard]] virtual int accumulator_registers() const = 0;
  [[nodiscard]] virtual int fragment_registers() const = 0;  ///< that a k-step loads
  /// Registers of each lane that one wavefront of those loads fills.
  [[nodiscard]] virtual int registers_per_wavefront() const { return 1; }
  /// Registers of all buffers: two buffers, except for fragments that late_loads loads.
  [[nodiscard]] virtual int buffered_registers() const { return 2 * fragment_registers(); }

  /// Loads of the fragments of step `step` of `tile` into `buffer` (0 or 1).
  virtual Instructions loads(ProgramBuilder& builder, const MathRegisters& registers, int step,
                             int buffer, KTile tile) const = 0;
  /// Loads of the fragments of step `step` of `tile` that have one buffer, in order of
  /// LateLoad::after.
  virtual std::vector<LateLoad> late_loads(ProgramBuilder& /*builder*/,
                                           const MathRegisters& /*registers*/, int /*step*/,
                                           KTile /*tile*/) const {
    return {};
  }
  /// Instructions per k-step that make fragments from the loaded ones.
  [[nodiscard]] virtual int conversions() const { return 0; }
  /// Sets the fragment registers to what they must hold before the first loads.
  [[nodiscard]] virtual Instructions begin(const MathRegisters& /*registers*/) const { return {}; }
  /// Multiply-adds on the fragments in `buffer`, with conversions.
  [[nodiscard]] virtual Instructions math(const MathRegisters& registers, int buffer) const = 0;
  /// Turns the accumulators into sums after the last k-tile; uses the fragment registers.
  [[nodiscard]] virtual Instructions finish(const MathRegisters& /*registers*/) const { return {}; }
  [[nodiscard]] virtual AccumulatorMap accumulators(const MathRegisters& registers) const = 0;
};

/// The warps of a CTA over its tile: warp w of a group computes rows (w mod warps_m) and columns (w
/// div warps_m) of warp tiles. Each group has its part of every k-tile; group 1 follows group 0.
struct WarpGrid {
  int warps_m = 1;
  int warps_n = 1;
  int warp_m = 64;  ///< warp tile
  int warp_n = 64;
  int groups = 1;

  [[nodiscard]] int warps() const { return warps_m * warps_n * groups; }
  void add_row(isa::Expression& sum, std::int64_t weight) const;
  void add_column(isa::Expression& sum, std::int64_t weight) const;
  void add_group(isa::Expression& sum, std::int64_t weight) const;
};

}  // namespace tcsim::kernels
