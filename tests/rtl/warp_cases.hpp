#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "models/isa/timing.hpp"
#include "models/numerics/instruction.hpp"
#include "sim/rtl/random.hpp"
#include "sim/rtl/warp_operands.hpp"
#include "sim/rtl/warp_unit.hpp"

namespace tcsim::rtl {

/// An mma.sync that warp_mma_ampere supports.
struct AmpereCase {
  const char* opcode;
  numerics::ElementType input;
  numerics::ElementType accumulator;
  numerics::MmaShape shape;
  bool long_k;
};
std::span<const AmpereCase> ampere_cases();

/// Random registers, and the expected D by models/numerics.
WarpMma random_mma(const AmpereCase& of, Random& random);
Registers model(const AmpereCase& of, const WarpMma& mma);

/// A warp's part of a wgmma that warp_mma_hopper supports.
struct HopperCase {
  numerics::ElementType a;
  numerics::ElementType b;
  numerics::ElementType accumulator;
};
std::span<const HopperCase> hopper_cases();
/// With `n` columns; occasionally the sums are cleared.
WarpMma random_group_mma(const HopperCase& of, int n, Random& random);
Registers model(const HopperCase& of, const WarpMma& mma);

/// A STEP of HMMA.884; the D pair of one, after `first`, the STEP 0 before it.
WarpMma random_step(int step, numerics::ElementType accumulator, Random& random);
Registers model_step(const WarpMma& first, const WarpMma& step);

/// How a comparison of a warp unit with the model ended.
struct WarpComparison {
  int compared = 0;  ///< Instructions with the expected D, before the first other one.
  bool agrees = true;
};

/// `instructions` random ones (Volta: steps of whole HMMA.884) with random stalls at both ends.
WarpComparison compare_ampere(WarpUnit& unit, int instructions, std::uint64_t seed);
WarpComparison compare_volta(WarpUnit& unit, int instructions, std::uint64_t seed);
WarpComparison compare_hopper(WarpUnit& unit, int instructions, std::uint64_t seed);

/// `count` instructions back to back, without stalls.
std::vector<WarpUnit::Result> run_back_to_back(WarpUnit& unit, int count,
                                               const std::function<WarpMma(int)>& make);

/// The first instruction that the unit does not start at the issue interval of the machine file,
/// with both numbers, or "".
std::string wrong_interval_ampere(WarpUnit& unit);
std::string wrong_interval_volta(WarpUnit& unit);
std::string wrong_interval_hopper(WarpUnit& unit);

/// Issue interval and latency of `opcode` on `machine`.
isa::OpTiming machine_timing(const char* machine, const char* opcode);

/// Clocks until everything accepted has left the unit; false if that does not happen.
bool drain(WarpUnit& unit, std::vector<WarpUnit::Result>& results);

}  // namespace tcsim::rtl
