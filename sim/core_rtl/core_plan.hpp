#pragma once

#include <string>
#include <vector>

#include "models/numerics/instruction.hpp"
#include "models/sm/tensor_core.hpp"
#include "sim/config/machine.hpp"
#include "sim/rtl/unit.hpp"

namespace tcsim::core_rtl {

/// An MMA that the RTL of a machine's tensor cores implements.
struct CoreInstruction {
  isa::Opcode opcode{};
  numerics::MmaInstruction instruction;
  rtl::Operation operation;
  sm::MmaDerivation derived;
};

/// An MMA of the machine that the RTL lacks, and why.
struct LeftOut {
  std::string mnemonic;
  std::string reason;
};

/// A file that Verilator or the compiler reads.
struct SourceFile {
  std::string name;
  std::string text;
};

/// The required RTL of a machine's tensor cores: an array that multiplies what the machine's MMAs
/// need, with the arithmetic of the machine, and the instructions of warp_mma.
struct CorePlan {
  std::string machine;
  numerics::TensorArithmetic arithmetic = numerics::Generation::kAmpere;
  sm::TensorParams tensor;
  std::vector<CoreInstruction> instructions;
  std::vector<LeftOut> left_out;

  // One entry for each operation of these instructions; columns of the array as in rtl::UnitInfo.
  std::vector<rtl::Operation> operations;
  std::vector<int> pass_products;
  std::vector<numerics::Arithmetic> arithmetics;
  int row_bits = 0;
  int slots = 0;  ///< multipliers of a block
  int blocks = 0;
  int grid_fraction_bits = 0;
  int instruction_slots = 0;  ///< MMAs in flight in a warp_mma

  std::vector<SourceFile> own_modules;  ///< replace the files of rtl/ with these names

  /// The array as sim/rtl sees it; refers to this plan.
  [[nodiscard]] rtl::UnitInfo unit() const;
  /// The row of `opcode` in the table of instructions, or -1.
  [[nodiscard]] int row_of(isa::Opcode opcode) const;
  /// Number of cuts of the array, each with a register.
  [[nodiscard]] int full_depth() const { return 4 * blocks + 1; }
};

/// Throws NotCovered with everything that would help: no MMA of the machine has RTL, the numerics
/// do not fit the shape of its cores, or the cores are too large.
CorePlan plan_core(const config::Machine& machine);

/// The most FP16 multiply-adds per cycle and sub-core for which RTL is built.
inline constexpr std::int64_t kMostMultipliers = 8192;

}  // namespace tcsim::core_rtl
