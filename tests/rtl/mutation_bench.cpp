#include <Vmma_array.h>
#include <Vmma_array_fp8.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include "sim/rtl/mixed_operands.hpp"
#include "sim/rtl/verification.hpp"
#include "sim/rtl/verilated_unit.hpp"
#include "tests/rtl/warp_cases.hpp"

// usage: rtl_mutation_bench array|fp8|volta|ampere|hopper
// Runs the comparison that has to catch a fault of the RTL. Prints one line; status 1 if it was
// caught, by the comparison or by an assertion of the RTL, 0 if it survived.

namespace tcsim::rtl {
namespace {

constexpr UnitInfo kSmallArray{"2x2x8",          2, 2, 128, numerics::Generation::kAmpere, "a100",
                               kAmpereOperations};
/// As the other, of 8x4x16.
constexpr UnitInfo kFp8Array = [] {
  UnitInfo unit = kUnit8x4x16;
  unit.name = "2x2x16";
  unit.rows = 2;
  unit.columns = 2;
  return unit;
}();
constexpr int kRounds = 60;
constexpr int kPassesOfARound = 32;
constexpr int kInstructions = 400;

// A signal handler reads it.
long vectors_so_far = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

/// A failed assertion of the RTL ends in abort().
void report_assertion(int /*signal*/) {
  char line[80];
  const int length =
      std::snprintf(line, sizeof line, "caught: an assertion, after %ld vectors\n", vectors_so_far);
  const auto written = write(STDOUT_FILENO, line, static_cast<std::size_t>(length));
  _exit(written == length ? 1 : 70);
}

int survived() {
  std::printf("survived %ld vectors\n", vectors_so_far);
  return 0;
}

int run_array(MatrixUnit& unit) {
  for (int round = 0; round < kRounds; ++round)
    for (const Operation& operation : unit.info().operations) {
      const auto seed = static_cast<std::uint64_t>(round);
      MixedOperands operands(unit.info(), operation, seed);
      Verification verification(unit, operation, seed);
      const Stalls stalls{round % 3 * 4, round % 4 * 4};
      for (int pass = 0; pass < kPassesOfARound; ++pass)
        verification.push(operands.next(), stalls, "");
      verification.drain();
      vectors_so_far += verification.passes() * unit.info().elements();
      if (!verification.divergence()) continue;
      const auto& found = *verification.divergence();
      std::printf("caught: %s, stage %s, after %ld vectors\n", to_string(operation).c_str(),
                  found.divergence.stage.c_str(), vectors_so_far);
      return 1;
    }
  return survived();
}

int run_warp(WarpUnit& unit, WarpComparison (*compare)(WarpUnit&, int, std::uint64_t),
             std::string (*wrong_interval)(WarpUnit&)) {
  const WarpComparison comparison = compare(unit, kInstructions, /*seed=*/1);
  vectors_so_far = comparison.compared;
  if (comparison.agrees) {
    const std::string wrong = wrong_interval(unit);
    if (wrong.empty()) return survived();
    std::printf("caught: interval of %s\n", wrong.c_str());
    return 1;
  }
  std::printf("caught: a register of D, after %d instructions\n", comparison.compared + 1);
  return 1;
}

int run(const std::string& bench) {
  std::signal(SIGABRT, report_assertion);
  try {
    if (bench == "array") {
      VerilatedUnit<Vmma_array, 256, 256, 128> unit(kSmallArray, "mma_array", "");
      return run_array(unit);
    }
    if (bench == "fp8") {
      VerilatedUnit<Vmma_array_fp8, 512, 512, 128> unit(kFp8Array, "mma_array", "");
      return run_array(unit);
    }
    if (bench == "volta")
      return run_warp(*make_warp_unit_volta(), compare_volta, wrong_interval_volta);
    if (bench == "ampere")
      return run_warp(*make_warp_unit_ampere(), compare_ampere, wrong_interval_ampere);
    if (bench == "hopper")
      return run_warp(*make_warp_unit_hopper(), compare_hopper, wrong_interval_hopper);
  } catch (const std::logic_error& error) {
    std::printf("caught: %s, after %ld vectors\n", error.what(), vectors_so_far);
    return 1;
  }
  std::fprintf(stderr, "rtl_mutation_bench: '%s' is not one of array, fp8, volta, ampere, hopper\n",
               bench.c_str());
  return 2;
}

}  // namespace
}  // namespace tcsim::rtl

int main(int argc, char* argv[]) { return tcsim::rtl::run(argc > 1 ? argv[1] : ""); }
