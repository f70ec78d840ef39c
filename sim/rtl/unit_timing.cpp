#include "sim/rtl/unit_timing.hpp"

#include <stdexcept>

#include "sim/rtl/pass.hpp"

namespace tcsim::rtl {

UnitTiming measure_timing(MatrixUnit& unit, const Operation& operation) {
  constexpr int kPasses = 256;
  constexpr int kPatience = 10 * kPasses;
  const Pass zeros(unit.info(), operation);
  UnitInputs inputs;
  inputs.operation = operation;
  inputs.blocks = blocks_of(unit.info(), operation);
  pack(zeros.a, numerics::bits(operation.input), inputs.a);
  pack(zeros.b, numerics::bits(operation.input), inputs.b);
  pack(zeros.c, /*bits=*/32, inputs.c);

  UnitTiming timing;
  int accepted = 0;
  int finished = 0;
  int last_accepted = 0;
  for (int cycle = 0; finished < kPasses; ++cycle) {
    if (cycle == kPatience) throw std::logic_error("the unit does not answer");
    inputs.valid = accepted < kPasses;
    inputs.tag = static_cast<std::uint8_t>(accepted);
    unit.drive(inputs);
    if (unit.outputs().valid && finished++ == 0) timing.latency_cycles = cycle;
    if (inputs.valid && unit.outputs().ready && ++accepted == kPasses) last_accepted = cycle;
    unit.clock();
  }
  timing.passes_per_cycle = static_cast<double>(kPasses) / (last_accepted + 1);
  return timing;
}

}  // namespace tcsim::rtl
