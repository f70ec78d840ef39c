#include "models/sm/lane_values.hpp"

#include <cstddef>

namespace tcsim::sm {

void bind_warp(const DecodedProgram& program, const isa::Bindings& bindings,
               std::vector<std::int64_t>& values) {
  values.clear();
  values.reserve(static_cast<std::size_t>(program.fixed_values));
  for (const DecodedAccess& access : program.accesses) {
    values.push_back(access.global.constant + isa::evaluate(access.global.fixed, bindings));
    values.push_back(access.shared.constant + isa::evaluate(access.shared.fixed, bindings));
  }
  for (const auto& guard : program.guards) {
    for (const DecodedBound& bound : guard) {
      values.push_back(bound.expression.constant + isa::evaluate(bound.expression.fixed, bindings));
    }
  }
  for (const DecodedQuotient& quotient : program.quotients) {
    const std::int64_t fixed = quotient.sum.constant + isa::evaluate(quotient.sum.fixed, bindings);
    if (!quotient.sum.looping.empty()) {
      values.push_back(fixed);
      continue;
    }
    for (const std::int64_t lane : quotient.sum.lane)
      values.push_back(isa::divide(quotient.quotient, fixed + lane));
  }
}

const LaneValues& lane_values(const DecodedProgram& program, const SplitExpression& expression,
                              const std::int64_t* values, const isa::Bindings& loops,
                              LaneValues& room) {
  if (expression.quotients.empty()) return expression.lane;
  room = expression.lane;
  for (const QuotientUse& use : expression.quotients) {
    const DecodedQuotient& quotient = program.quotients[static_cast<std::size_t>(use.quotient)];
    const std::int64_t* value = values + quotient.value_index;
    if (quotient.sum.looping.empty()) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) room[lane] += use.coefficient * value[lane];
      continue;
    }
    const std::int64_t uniform = *value + isa::evaluate(quotient.sum.looping, loops);
    if (quotient.sum.lane_min == quotient.sum.lane_max) {
      const std::int64_t same =
          use.coefficient * isa::divide(quotient.quotient, uniform + quotient.sum.lane_min);
      for (std::int64_t& lane : room) lane += same;
      continue;
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      room[lane] +=
          use.coefficient * isa::divide(quotient.quotient, uniform + quotient.sum.lane[lane]);
  }
  return room;
}

std::uint32_t active_lanes(const DecodedProgram& program, int guard, const std::int64_t* values,
                           const isa::Bindings& loops) {
  if (guard == isa::kNoIndex) return kAllLanes;
  const auto& bounds = program.guards[static_cast<std::size_t>(guard)];
  const std::int64_t* value = values + program.guard_value_index[static_cast<std::size_t>(guard)];
  std::uint32_t lanes = kAllLanes;
  for (const DecodedBound& bound : bounds) {
    const std::int64_t uniform = *value++ + isa::evaluate(bound.expression.looping, loops);
    if (bound.expression.quotients.empty()) {
      if (uniform + bound.expression.lane_max < bound.limit) continue;
      if (uniform + bound.expression.lane_min >= bound.limit) return 0;
    }
    LaneValues room;
    const LaneValues& offsets = lane_values(program, bound.expression, values, loops, room);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (uniform + offsets[static_cast<std::size_t>(lane)] >= bound.limit) {
        lanes &= ~(std::uint32_t{1} << lane);
      }
    }
  }
  return lanes;
}

}  // namespace tcsim::sm
