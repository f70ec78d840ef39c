#include "workloads/kernels/attention/tile_numbers.hpp"

namespace tcsim::kernels {

using isa::Variable;

isa::Expression number_in_turns(std::int64_t ctas) {
  return {0, {{Variable::kCtaX, 1}, {Variable::kLoop0, ctas}}};
}

isa::Expression trips_in_turns(std::int64_t tiles, std::int64_t ctas) {
  const std::int64_t rest = tiles % ctas;
  isa::Expression count{tiles / ctas};
  if (rest == 0) return count;
  // (rest - 1 - number) / ctas + 1, for CTAs in the order of their tiles.
  count.quotients.push_back({.constant = rest - 1 + ctas,
                             .terms = {{Variable::kCtaX, -1}},
                             .divisor = static_cast<std::uint32_t>(ctas)});
  return count;
}

void ask_for_number(ProgramBuilder& builder, isa::Register number, isa::Register pointer,
                    int buffer, bool in_first_warp) {
  isa::Guard one{{{{0, {{Variable::kLane, 1}}}, 1}}};
  if (in_first_warp) one.bounds.push_back({{0, {{Variable::kWarp, 1}}}, 1});
  builder.append(with_immediate(load(isa::Opcode::kAtomgAdd, number, pointer,
                                     builder.access({.buffer = buffer}), builder.guard(one)),
                                1));
}

}  // namespace tcsim::kernels
