#pragma once

#include <string>
#include <vector>

#include "models/numerics/instruction.hpp"
#include "models/sm/tensor_core.hpp"
#include "sim/config/machine.hpp"
#include "sim/rtl/unit.hpp"

namespace tcsim::core_rtl {

/// An MMA that the RTL of a machine's tensor cores has.
struct CoreInstruction {
  isa::Opcode opcode{};
  numerics::MmaInstruction instruction;
  rtl::Operation operation;
  sm::MmaDerivation derived;
};

/// An MMA of the machine that it lacks, and why.
struct LeftOut {
  std::string mnemonic;
  std::string reason;
};

/// A file that Verilator or the compiler reads.
struct SourceFile {
  std::string name;
  std::string text;
};

/// What the RTL of a machine's tensor cores has to be: an array that multiplies what the machine's
/// MMAs need, with the arithmetic of the machine, and the instructions of warp_mma.
struct CorePlan {
  std::string machine;
  numerics::TensorArithmetic arithmetic = numerics::Generation::kAmpere;
  sm::TensorParams tensor;
  std::vector<CoreInstruction> instructions;
  std::vector<LeftOut> left_out;

  // Of every operation of these instructions; columns of the array as rtl::UnitInfo has them.
  std::vector<rtl::Operation> operations;
  std::vector<int> pass_products;
  std::vector<numerics::Arithmetic> arithmetics;
  int row_bits = 0;
  int slots = 0;  ///< multipliers of a block
  int blocks = 0;
  int grid_fraction_bits = 0;
  int instruction_slots = 0;  ///< MMAs that are under way in a warp_mma

  std::vector<SourceFile> own_modules;  ///< in the place of the files of rtl/ with these names

  /// The array as sim/rtl sees it; views of this plan.
  [[nodiscard]] rtl::UnitInfo unit() const;
  /// The row of `opcode` in the table of instructions, or -1.
  [[nodiscard]] int row_of(isa::Opcode opcode) const;
  /// Cuts of the array if each holds a register.
  [[nodiscard]] int full_depth() const { return 4 * blocks + 1; }
};

/// Throws NotCovered with what would help: no MMA of the machine has RTL, numerics that do not fit
/// the shape of its cores, or cores that are too large.
CorePlan plan_core(const config::Machine& machine);

/// Multiply-adds of FP16 per cycle and sub-core up to which RTL is built.
inline constexpr std::int64_t kMostMultipliers = 8192;

}  // namespace tcsim::core_rtl
