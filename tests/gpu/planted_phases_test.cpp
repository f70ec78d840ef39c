// A phase of a kernel that reads DRAM, where the rest of it reads what the L2 holds: it is
// simulated, or the exact time lies within the interval that a sampled run tells.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sim/library/load.hpp"
#include "tests/gpu/result.hpp"
#include "tests/gpu/sampled_kernel.hpp"

namespace tcsim::gpu::test {
namespace {

constexpr double kAsked = 0.02;  // relative, to each side

SamplingOptions sampling_of(const Result& exact) {
  return {kAsked, static_cast<double>(exact.sum("warp_instructions"))};
}

/// The run that `tcsim run --fidelity sampled` makes: again with all of it simulated if it is less
/// sure than was asked for. `exact` is the result of that.
Result run_as_asked(const std::vector<isa::KernelLaunch>& launches, const config::Machine& machine,
                    const Result& exact) {
  Result result = run(launches, {.sampling = sampling_of(exact)}, machine);
  const auto cycles = static_cast<double>(result.outcome.cycles);
  if (result.outcome.sampling.half_width_cycles <= kAsked * cycles) return result;
  return exact;
}

const config::Machine& machine() {
  static const config::Machine tiny = library::load_machine("lab-tiny");
  return tiny;
}

/// Loads at `hot`, which stays in the caches, and `bytes_per_step` further on with every step of
/// `phase`; and MMAs.
std::string loads(const std::string& hot, const std::string& phase, int bytes_per_step,
                  const std::string& guard = "") {
  std::string body = "    LDG.E.128 R8, [R4: A + 16*lane + 512*warp + " + hot +
                     "]\n    LDG.E.128 R12, [R4: A + 16*lane + 512*warp + 1048576 + " +
                     std::to_string(bytes_per_step) + "*" + phase + "]" + guard + "\n";
  for (int mma = 0; mma < 4; ++mma) body += "    HMMA.16816.F32 R16, R8, R12, R16\n";
  return body;
}

/// `variable` from `first` to `last`, and these outside.
std::string between(const std::string& variable, int first, int last) {
  return "((" + variable + " max " + std::to_string(first) + " min " + std::to_string(last) +
         ")/1)";
}

struct Phase {
  const char* name;
  int first;  ///< thousandths of the kernel
  int last;
  /// The interval is too narrow, as gaps are taken to err independently of each other; the time is
  /// still as near to the exact one as was asked for.
  bool is_outside = false;
};

class Planted : public ::testing::TestWithParam<Phase> {
 protected:
  static int part(int of, int thousandths) { return of * thousandths / 1000; }

  static void expect_told(const std::vector<isa::KernelLaunch>& launches) {
    const Result exact = run(launches, {}, machine());
    const Result told = run_as_asked(launches, machine(), exact);
    const auto cycles = static_cast<double>(exact.outcome.cycles);
    const double within =
        GetParam().is_outside ? kAsked * cycles : told.outcome.sampling.half_width_cycles;
    EXPECT_NEAR(static_cast<double>(told.outcome.cycles), cycles, within)
        << told.outcome.sampling.gaps << " gaps";
    EXPECT_EQ(told.sum("warp_instructions"), exact.sum("warp_instructions"));
  }
};

class PlantedInTrips : public Planted {
 protected:
  static constexpr int kTrips = 1000;
  static constexpr const char* kHot = "2048*(i0%8) + 16384*ctaid.x";
};

TEST_P(PlantedInTrips, NewAddressesAreSimulatedOrWithinTheInterval) {
  const std::string step =
      between("i0", part(kTrips, GetParam().first), part(kTrips, GetParam().last));
  expect_told(sampled_kernel(machine(), 8, std::to_string(kTrips),
                             loads(kHot, step + " + 2048*ctaid.x", 16384)));
}

TEST_P(PlantedInTrips, LoadsBehindAGuardAreSimulatedOrWithinTheInterval) {
  const std::string guard = " @(i0 < " + std::to_string(part(kTrips, GetParam().last)) +
                            " && 0 - i0 < " + std::to_string(1 - part(kTrips, GetParam().first)) +
                            ")";
  expect_told(sampled_kernel(machine(), 8, std::to_string(kTrips),
                             loads(kHot, "i0 + 2048*ctaid.x", 16384, guard)));
}

INSTANTIATE_TEST_SUITE_P(Phases, PlantedInTrips,
                         ::testing::Values(Phase{"AllOfIt", 0, 1000}, Phase{"TheFirstHalf", 0, 500},
                                           Phase{"TheSecondHalf", 500, 1000},
                                           Phase{"TheMiddleThird", 333, 667},
                                           Phase{"TheLastTenth", 900, 1000, true}),
                         [](const auto& each) { return each.param.name; });

/// CTAs of twenty trips, and some of them read what no other does.
class PlantedInWaves : public Planted {};

TEST_P(PlantedInWaves, NewAddressesAreSimulatedOrWithinTheInterval) {
  constexpr int kCtas = 1200;
  const std::string step =
      between("ctaid.x", part(kCtas, GetParam().first), part(kCtas, GetParam().last));
  expect_told(sampled_kernel(machine(), kCtas, "20", loads("2048*i0", step + " + 2048*i0", 40960)));
}

// A phase in the middle that changes back inside one gap is not seen (docs/sampling.md).
INSTANTIATE_TEST_SUITE_P(Phases, PlantedInWaves,
                         ::testing::Values(Phase{"AllOfThem", 0, 1000},
                                           Phase{"TheFirstHalf", 0, 500},
                                           Phase{"TheSecondHalf", 500, 1000},
                                           Phase{"TheLastThird", 667, 1000, true},
                                           Phase{"TheLastTenth", 900, 1000}),
                         [](const auto& each) { return each.param.name; });

/// Each hot line is read again in every eighth trip, and 128 KiB of others between: the L1 has lost
/// it by then and the L2 has not, unless a gap took the L2 through the others alone.
TEST(Planted, LinesThatAreReadAgainAndAgainStayInTheL2) {
  const auto launches = sampled_kernel(
      machine(), 8, "600", loads("2048*(i0%8) + 16384*ctaid.x", "i0 + 2048*ctaid.x", 16384));
  const Result exact = run(launches, {}, machine());
  const Result told = run(launches, {.sampling = sampling_of(exact)}, machine());
  ASSERT_GT(told.outcome.sampling.gaps, 0);
  const auto bytes = static_cast<double>(exact.sum("read_bytes"));
  EXPECT_NEAR(static_cast<double>(told.sum("read_bytes")), bytes, 0.01 * bytes);
}

/// One CTA waits a little longer in every trip, by less than a trip between two looks: the kernel
/// ends when it does.
TEST(Planted, ACtaThatLagsGoesOnLaggingInGaps) {
  const config::Machine eight = library::load_machine("a100", {"gpu.sms=8", "gpu.sms_per_gpc=[8]"});
  std::string body = loads("2048*(i0%8) + 16384*ctaid.x", "(i0%64) + 2048*ctaid.x", 2048);
  for (int mma = 0; mma < 8; ++mma) body += "    HMMA.16816.F32 R16, R8, R12, R16\n";
  body += "    LDG.E.128 R8, [R4: A + 16*lane + 512*warp + 2048*(i0%8)] @(ctaid.x < 1)\n";
  body += "    HMMA.16816.F32 R16, R8, R12, R16\n";
  const auto launches = sampled_kernel(eight, 8, "4000", body);
  const Result exact = run(launches, {}, eight);
  const Result told = run(launches, {.sampling = sampling_of(exact)}, eight);
  ASSERT_GT(told.outcome.sampling.gaps, 0);
  const auto cycles = static_cast<double>(exact.outcome.cycles);
  EXPECT_NEAR(static_cast<double>(told.outcome.cycles), cycles, 0.01 * cycles);
}

}  // namespace
}  // namespace tcsim::gpu::test
