#include "sim/core_rtl/core_units.hpp"

#include <algorithm>
#include <utility>

#include "sim/core_rtl/core_library.hpp"
#include "sim/core_rtl/loaded_warp.hpp"
#include "sim/rtl/warp_operands.hpp"

namespace tcsim::core_rtl {
namespace {

class CoreUnits : public rtl::WarpUnits {
 public:
  CoreUnits(CorePlan plan, const BuiltCore& built)
      : plan_(std::move(plan)),
        library_(std::make_shared<const CoreLibrary>(built.folder / "warp.so")) {}

  std::string name() const override { return "warp_mma of " + plan_.machine; }
  std::string lack_of(const numerics::MmaInstruction& instruction) const override {
    if (place_of(instruction) != plan_.instructions.end()) return {};
    return "the RTL of " + plan_.machine + " has no " + numerics::to_string(instruction.shape) +
           " with " + std::string(numerics::name(instruction.a)) +
           "; tcsim rtl build says what it has";
  }
  rtl::WarpMma mma_of(const numerics::MmaInstruction& instruction,
                      const numerics::MmaOperands& operands) const override {
    rtl::WarpMma mma = rtl::warp_mma(instruction, operands);
    mma.row = static_cast<int>(place_of(instruction) - plan_.instructions.begin());
    return mma;
  }
  bool has_steps() const override { return false; }
  /// Passes of other MMAs may come between those of an MMA, or their fills and drains between its
  /// own.
  bool interleaves() const override {
    return plan_.tensor.organisation == "dot_product" || plan_.tensor.stationary_buffers > 1;
  }
  std::unique_ptr<rtl::WarpUnit> make() const override { return make_warp_unit(plan_, library_); }

 private:
  std::vector<CoreInstruction>::const_iterator place_of(
      const numerics::MmaInstruction& instruction) const {
    return std::ranges::find(plan_.instructions, instruction, &CoreInstruction::instruction);
  }

  CorePlan plan_;
  std::shared_ptr<const CoreLibrary> library_;
};

}  // namespace

std::shared_ptr<const rtl::WarpUnits> core_units(const CorePlan& plan, const BuiltCore& built) {
  return std::make_shared<CoreUnits>(plan, built);
}

}  // namespace tcsim::core_rtl
