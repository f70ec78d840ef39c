#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "models/isa/opcode.hpp"
#include "models/sm/params.hpp"
#include "models/sm/tensor_types.hpp"

namespace tcsim::sm {

/// "8x4x8"
std::string to_string(const CoreShape& shape);

/// The pass of `core` with operands of which `products` take the place of one FP16 product. Halves
/// and multiples change k; less than one product per sum takes columns away, then rows. Nothing if
/// that does not come out even, or `products` is 0.
std::optional<CoreShape> pass_shape(const CoreShape& core, double products);

/// What follows from the shape of the tensor cores for one MMA instruction, all in cycles of the
/// SM. The instruction is cut into blocks of one pass: blocks_m x blocks_n blocks of sums, which
/// the cores of the sub-core share, and blocks_k rounds of passes onto each.
///
/// - dot_product: rounds one after the other, over all blocks. A round waits for the sums of the
///   one before it (pipeline_cycles); other MMAs pass meanwhile.
/// - outer_product: the same, but sums stay in the core for the whole MMA. It comes with
///   fill_cycles for C and goes with drain_cycles for D, and no other MMA passes meanwhile.
/// - output_stationary: a systolic array that holds one block of sums for all its rounds.
/// - weight_stationary: a systolic array that holds one block of B, through which the blocks of A
///   stream; fill_cycles change it.
///
/// With two stationary buffers what is stationary changes behind the passes, otherwise between
/// them.
struct MmaDerivation {
  CoreShape pass{};  ///< of one core, with the formats of the instruction
  int blocks_m = 0;  ///< of a warp; of one quad pair of an HMMA.884
  int blocks_n = 0;
  int blocks_k = 0;
  int stationary = 0;  ///< blocks of sums, or of B, that the busiest core has one after another
  int streamed = 0;    ///< passes onto each of them
  int cycles_per_pass = 1;    ///< fp32_sum_slowdown
  int pass_cycles = 0;        ///< for which the passes keep the cores from another MMA
  int operand_registers = 0;  ///< of A and B that go in, per lane; the mean of the steps
  int operand_cycles = 0;     ///< that these take, before the first pass
  int least_cycles = 1;       ///< bound of the machine on the interval
  int change_cycles = 0;      ///< fill and drain on the way of one MMA
  int round_cycles = 0;       ///< first round of passes to the last one, or first weights to last
  int block_cycles = 0;       ///< first pass of a round to its last one
  int latency_cycles = 0;     ///< issue to issue of a dependent MMA: the last four with
                              ///< pipeline_cycles and result_cycles of the machine

  /// Issue to issue of an independent MMA, as far as the cores decide.
  [[nodiscard]] int interval_cycles() const {
    return std::max({pass_cycles, operand_cycles, least_cycles});
  }
};

/// Nothing if the machine has no tensor cores, lacks the format of MMA `opcode`, or its formats do
/// not fit the shape.
std::optional<MmaDerivation> derive_mma(isa::Opcode opcode, const TensorParams& tensor);

/// How often MMA `opcode` reads the registers of A and of B: once, or for every pass that
/// multiplies them.
std::array<int, 2> operand_reads(isa::Opcode opcode, const TensorParams& tensor);

/// Dense multiply-adds per cycle of one tensor core: as given, or those of the shape. 0: the
/// machine lacks the type.
int dense_macs(const TensorType& type, const TensorParams& tensor);

/// Multiply-adds per cycle, zeros of a sparse A included, of a sub-core's tensor cores for MMA
/// `opcode`, with the formats of its products and of its sums: those of the shape, or as given.
int tensor_rate(isa::Opcode opcode, const TensorParams& tensor);

}  // namespace tcsim::sm
