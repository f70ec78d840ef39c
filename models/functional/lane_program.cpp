#include "models/functional/lane_program.hpp"

namespace tcsim::functional {

LaneExpression::LaneExpression(const isa::Expression& expression) {
  common_.constant = expression.constant;
  for (const isa::Term& term : expression.terms) {
    if (term.variable != isa::Variable::kLane) {
      common_.terms.push_back(term);
      continue;
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      lane_part_[lane] += isa::evaluate(term, static_cast<std::int64_t>(lane));
  }
}

LaneOffsets LaneAddress::offsets(const isa::Bindings& bindings) const {
  const std::int64_t common = offset_.common_part(bindings);
  LaneOffsets offsets{};
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    offsets[lane] = swizzle_.apply(common + offset_.lane_part()[lane]);
  return offsets;
}

LaneGuard::LaneGuard(const isa::Guard& guard) {
  for (const isa::Bound& bound : guard.bounds)
    bounds_.push_back({LaneExpression(bound.expression), bound.limit});
}

LaneMask LaneGuard::mask(const isa::Bindings& bindings) const {
  LaneMask mask = kAllLanes;
  for (const LaneBound& bound : bounds_) {
    const std::int64_t room = bound.limit - bound.expression.common_part(bindings);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      if (bound.expression.lane_part()[lane] >= room) mask &= ~(LaneMask{1} << lane);
  }
  return mask;
}

LaneProgram::LaneProgram(const isa::WarpProgram& program) : source_(&program) {
  for (const isa::MemoryAccess& access : program.accesses)
    accesses_.push_back({access.buffer, LaneAddress(access.global), LaneAddress(access.shared),
                         LaneGuard(access.source)});
  for (const isa::Guard& guard : program.guards) guards_.emplace_back(guard);
}

LaneMask LaneProgram::mask_of(const isa::Instruction& instruction,
                              const isa::Bindings& bindings) const {
  if (instruction.guard == isa::kNoIndex) return kAllLanes;
  return guards_[static_cast<std::size_t>(instruction.guard)].mask(bindings);
}

}  // namespace tcsim::functional
