#include "models/functional/lane_program.hpp"

#include <vector>

namespace tcsim::functional {

namespace {

/// Removes the lane terms from `terms` and returns their sums.
LaneOffsets take_lane_part(std::vector<isa::Term>& terms) {
  LaneOffsets sums{};
  for (const isa::Term& term : terms)
    if (term.variable == isa::Variable::kLane)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        sums[lane] += isa::evaluate(term, static_cast<std::int64_t>(lane));
  std::erase_if(terms, [](const isa::Term& term) { return term.variable == isa::Variable::kLane; });
  return sums;
}

}  // namespace

LaneExpression::LaneExpression(const isa::Expression& expression)
    : common_{expression.constant, expression.terms, {}},
      lane_part_(take_lane_part(common_.terms)) {
  for (const isa::Quotient& quotient : expression.quotients) {
    isa::Expression sum{quotient.constant, quotient.terms, {}};
    const LaneOffsets lane_part = take_lane_part(sum.terms);
    quotients_.push_back({quotient, std::move(sum), lane_part});
  }
}

LaneOffsets LaneExpression::values(const isa::Bindings& bindings) const {
  const std::int64_t common = isa::evaluate(common_, bindings);
  LaneOffsets values = lane_part_;
  for (std::int64_t& value : values) value += common;
  for (const auto& [quotient, common_sum, lane_part] : quotients_) {
    const std::int64_t sum = isa::evaluate(common_sum, bindings);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      values[lane] += quotient.coefficient * isa::divide(quotient, sum + lane_part[lane]);
  }
  return values;
}

LaneOffsets LaneAddress::offsets(const isa::Bindings& bindings) const {
  LaneOffsets offsets = offset_.values(bindings);
  for (std::int64_t& offset : offsets) offset = swizzle_.apply(offset);
  return offsets;
}

LaneGuard::LaneGuard(const isa::Guard& guard) {
  for (const isa::Bound& bound : guard.bounds)
    bounds_.push_back({LaneExpression(bound.expression), bound.limit});
}

LaneMask LaneGuard::mask(const isa::Bindings& bindings) const {
  LaneMask mask = kAllLanes;
  for (const LaneBound& bound : bounds_) {
    const LaneOffsets values = bound.expression.values(bindings);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      if (values[lane] >= bound.limit) mask &= ~(LaneMask{1} << lane);
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
