#include "sim/rtl/mma_record.hpp"

#include <string>

namespace tcsim::rtl {
namespace {

using isa::Variable;

/// For a STEP of HMMA.884: only its pair of registers, and A and B only where the unit takes them.
RecordedMma step_alone(RecordedMma whole, int step) {
  const std::size_t first = 2 * static_cast<std::size_t>(step);
  const auto pair = [first](Registers& registers) {
    registers = {registers[first], registers[first + 1]};
  };
  whole.mma.step = step;
  pair(whole.mma.c);
  pair(whole.d);
  if (step > 0) {
    whole.mma.a.clear();
    whole.mma.b.clear();
  }
  return whole;
}

}  // namespace

MmaRecord::Key MmaRecord::key(std::int64_t launch, const isa::Bindings& bindings) {
  const auto at = [&](Variable variable) { return bindings[static_cast<std::size_t>(variable)]; };
  return {launch, at(Variable::kCtaX), at(Variable::kCtaY), at(Variable::kCtaZ),
          at(Variable::kWarp)};
}

numerics::Result<std::vector<std::uint32_t>> MmaRecord::execute(
    const numerics::MmaInstruction& instruction, const numerics::MmaOperands& operands,
    const functional::MmaSite& site) {
  if (std::string lack = units_->lack_of(instruction); !lack.empty())
    return numerics::unsupported(std::move(lack));
  if (registers_ >= kMostRegisters)
    return numerics::unsupported("the RTL takes kernels whose matrix instructions have up to " +
                                 std::to_string(kMostRegisters) + " registers");
  if (!executor_ || !(executor_->instruction() == instruction)) {
    auto created = numerics::MmaExecutor::create(instruction, core_);
    if (!created.has_value()) return created.refusal();
    executor_.emplace(created.value());
  }
  auto d = executor_->execute(operands);
  if (!d.has_value()) return d;
  for_each_warp(instruction, operands, [&](int warp, const numerics::MmaOperands& own) {
    RecordedMma recorded{units_->mma_of(instruction, own),
                         registers_of(words_of_warp(instruction, d.value(), warp))};
    if (units_->has_steps()) recorded = step_alone(std::move(recorded), site.step);
    const WarpMma& mma = recorded.mma;
    registers_ +=
        static_cast<std::int64_t>(mma.a.size() + mma.b.size() + mma.c.size() + recorded.d.size());
    isa::Bindings bindings = site.bindings;
    bindings[static_cast<std::size_t>(Variable::kWarp)] += warp;
    warps_[key(site.launch, bindings)].push_back(std::move(recorded));
    ++instructions_;
  });
  return d;
}

const std::vector<RecordedMma>& MmaRecord::of_warp(std::int64_t launch,
                                                   const isa::Bindings& bindings) const {
  static const std::vector<RecordedMma> none;
  const auto found = warps_.find(key(launch, bindings));
  return found == warps_.end() ? none : found->second;
}

}  // namespace tcsim::rtl
