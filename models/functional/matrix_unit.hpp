#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/functional/mma_engine.hpp"
#include "models/functional/register_file.hpp"
#include "models/numerics/execute.hpp"

namespace tcsim::functional {

/// Operands of a warpgroup product: matrices as arrays of bit patterns, register images in the
/// layout of numerics::MmaOperands.
struct GroupOperands {
  std::vector<std::uint32_t> a;        ///< 64 x the stored part of k, unless A is in registers
  std::vector<std::uint32_t> a_image;  ///< A if it is in registers
  std::vector<std::uint32_t> b;        ///< n x k
  std::vector<std::uint32_t> c_image;
  std::vector<std::uint32_t> metadata;  ///< for a sparse A, one register per lane
};

/// Executes HMMA, IMMA and DMMA on the registers of a warp, with the arithmetic of one machine. An
/// HMMA.884 STEP computes what its row in numerics.md 12 states: two registers of the m8n8k4
/// accumulator of each quad pair.
class MatrixUnit {
 public:
  /// With `engine`, which must outlive the unit, D is computed by the engine.
  explicit MatrixUnit(const numerics::TensorArithmetic& core, MmaEngine* engine = nullptr)
      : core_(core), engine_(engine) {}

  /// Launches executed from now on are number `launch` of the stream.
  void begin_launch(std::int64_t launch) { launch_ = launch; }
  /// Executes `instruction` for the warp of `bindings`. Refusal kUnsupported: the generation lacks
  /// the instruction. Requires isa::is_mma(opcode).
  [[nodiscard]] std::optional<numerics::Refusal> execute(const isa::Instruction& instruction,
                                                         const isa::Bindings& bindings,
                                                         RegisterFile& registers);

  /// Prepares for `instruction`, which may be a warpgroup product. Refusal kUnsupported as above.
  [[nodiscard]] std::optional<numerics::Refusal> prepare(const isa::Instruction& instruction);
  /// The register image of D of a warpgroup product. Requires prepare(instruction).
  [[nodiscard]] numerics::Result<std::vector<std::uint32_t>> execute_group(
      const isa::Instruction& instruction, const isa::Bindings& bindings,
      const GroupOperands& operands);

 private:
  static constexpr std::size_t kLayouts = 4;  ///< kColumnMajorA and kRowMajorB of an HMMA.884.
  using Image = std::vector<std::uint32_t>;

  /// The executor of `instruction`, if prepare has created it.
  std::unique_ptr<numerics::MmaExecutor>& executor_of(const isa::Instruction& instruction);

  numerics::TensorArithmetic core_;
  MmaEngine* engine_;
  std::int64_t launch_ = 0;
  /// By opcode and layout; null until first used.
  std::vector<std::unique_ptr<numerics::MmaExecutor>> executors_ =
      std::vector<std::unique_ptr<numerics::MmaExecutor>>(
          static_cast<std::size_t>(isa::opcode_count()) * kLayouts);
  Image a_;
  Image b_;
  Image c_;
  Image metadata_;
};

}  // namespace tcsim::functional
