#include "models/sm/lane_addresses.hpp"

#include "models/sm/lane_values.hpp"

namespace tcsim::sm {

LaneAddresses lane_addresses(const Warp& warp, const DecodedInstruction& instruction,
                             LaneValues& room) {
  const auto index = static_cast<std::size_t>(instruction.access);
  const DecodedAccess& access =
      warp.recorded ? warp.recorded->access() : warp.program->accesses[index];
  const std::int64_t* fixed =
      warp.recorded ? warp.recorded->addresses() : &warp.fixed_values[2 * index];
  const bool is_global = isa::addresses_global(instruction.effect);
  const SplitExpression& expression = is_global ? access.global : access.shared;
  const std::int64_t base =
      fixed[is_global ? 0 : 1] + isa::evaluate(expression.looping, warp.bindings);
  return {access, base,
          lane_values(*warp.program, expression, warp.fixed_values.data(), warp.bindings, room)};
}

}  // namespace tcsim::sm
