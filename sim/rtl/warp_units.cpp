#include "sim/rtl/warp_units.hpp"

#include "sim/rtl/warp_operands.hpp"

namespace tcsim::rtl {
namespace {

class UnitsOfGeneration : public WarpUnits {
 public:
  explicit UnitsOfGeneration(numerics::Generation generation) : generation_(generation) {}

  std::string name() const override {
    return "warp_mma_" + std::string(numerics::name(generation_));
  }
  std::string lack_of(const numerics::MmaInstruction& instruction) const override {
    if (has_instruction(generation_, instruction)) return {};
    return "the RTL unit of " + std::string(numerics::name(generation_)) + " has no " +
           numerics::to_string(instruction.shape) + " with " +
           std::string(numerics::name(instruction.a));
  }
  WarpMma mma_of(const numerics::MmaInstruction& instruction,
                 const numerics::MmaOperands& operands) const override {
    return warp_mma(instruction, operands);
  }
  bool has_steps() const override { return generation_ == numerics::Generation::kVolta; }
  bool interleaves() const override { return false; }
  bool streams() const override { return generation_ == numerics::Generation::kHopper; }
  std::unique_ptr<WarpUnit> make() const override { return make_warp_unit(generation_); }

 private:
  numerics::Generation generation_;
};

}  // namespace

std::shared_ptr<const WarpUnits> warp_units_of(numerics::Generation generation) {
  if (generation != numerics::Generation::kVolta && generation != numerics::Generation::kAmpere &&
      generation != numerics::Generation::kHopper)
    return nullptr;
  return std::make_shared<UnitsOfGeneration>(generation);
}

}  // namespace tcsim::rtl
