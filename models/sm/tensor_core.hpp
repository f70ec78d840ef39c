#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "models/isa/opcode.hpp"
#include "models/sm/params.hpp"
#include "models/sm/tensor_types.hpp"

namespace tcsim::sm {

/// For example "8x4x8".
std::string to_string(const CoreShape& shape);

/// The pass of `core` for operands of which `products` replace one FP16 product. Halves and
/// multiples change k; with less than one product per sum, columns are removed, then rows. Empty if
/// the division is not exact or `products` is 0.
std::optional<CoreShape> pass_shape(const CoreShape& core, double products);

/// What follows from the shape of the tensor cores for one MMA instruction, all in cycles of the
/// SM. The instruction is cut into blocks of one pass: blocks_m x blocks_n blocks of sums, which
/// the cores of the sub-core share, and blocks_k rounds of passes onto each.
///
/// - dot_product: one round after the other, each over all blocks. A round waits for the sums of
///   the previous one (pipeline_cycles); other MMAs use the core meanwhile.
/// - outer_product: the same, but sums stay in the core for the whole MMA. Loading C takes
///   fill_cycles, moving D out takes drain_cycles, and no other MMA uses the core meanwhile.
/// - output_stationary: a systolic array that holds one block of sums for all its rounds.
/// - weight_stationary: a systolic array that holds one block of B, through which the blocks of A
///   stream; changing the block of B takes fill_cycles.
///
/// With two stationary buffers the stationary operand is replaced during the passes, otherwise
/// between them.
struct MmaDerivation {
  CoreShape pass{};  ///< of one core, with the formats of the instruction
  int blocks_m = 0;  ///< of a warp; for an HMMA.884, of one quad pair
  int blocks_n = 0;
  int blocks_k = 0;
  int stationary = 0;  ///< blocks of sums, or of B, that the busiest core holds one after another
  int streamed = 0;    ///< passes onto each of them
  int cycles_per_pass = 1;    ///< fp32_sum_slowdown
  int pass_cycles = 0;        ///< for which the passes keep the cores from starting another MMA
  int operand_registers = 0;  ///< registers of A and B read per lane; mean of the steps
  int operand_cycles = 0;     ///< time to read these, before the first pass
  int least_cycles = 1;       ///< lower bound of the machine on the interval
  int change_cycles = 0;      ///< fill and drain on the critical path of one MMA
  int round_cycles = 0;       ///< first round of passes to the last, or first weights to last
  int block_cycles = 0;       ///< first pass of a round to its last one
  int latency_cycles = 0;     ///< issue to issue of a dependent MMA: operand_, change_, round_ and
                              ///< block_cycles plus the machine's pipeline_ and result_cycles

  /// Issue to issue of an independent MMA, considering only the cores.
  [[nodiscard]] int interval_cycles() const {
    return std::max({pass_cycles, operand_cycles, least_cycles});
  }
};

/// Empty if the machine has no tensor cores, lacks the format of MMA `opcode`, or its formats do
/// not fit the shape.
std::optional<MmaDerivation> derive_mma(isa::Opcode opcode, const TensorParams& tensor);

/// How often MMA `opcode` reads the registers of A and of B: once, or for every pass that
/// multiplies them.
std::array<int, 2> operand_reads(isa::Opcode opcode, const TensorParams& tensor);

/// Dense multiply-adds per cycle of one tensor core: as given in the machine file, or from the
/// shape. 0: the machine lacks the type.
int dense_macs(const TensorType& type, const TensorParams& tensor);

/// Multiply-adds per cycle, including zeros of a sparse A, of a sub-core's tensor cores for MMA
/// `opcode` with its product and sum formats: from the shape, or as given in the machine file.
int tensor_rate(isa::Opcode opcode, const TensorParams& tensor);

}  // namespace tcsim::sm
