#include "sim/sweep/points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/config/error.hpp"
#include "sim/run/forecast.hpp"
#include "tests/support/refusal.hpp"
#include "tests/sweep/sweep_samples.hpp"

namespace tcsim::sweep {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kPointsHead = "name: a\nmachines: [lab-tiny]\nworkloads: [\"gemm:{n}\"]\n";

std::vector<std::string> labels(const std::string& rest) {
  const Spec spec = spec_of(kPointsHead + rest);
  std::vector<std::string> texts;
  for (const Configuration& configuration : configurations_of(spec))
    texts.push_back(
        label_of({configuration.parameters.begin() + 2, configuration.parameters.end()}));
  return texts;
}

std::vector<std::string> mistakes(const std::string& rest) {
  try {
    labels(rest);
  } catch (const config::ConfigError& error) {
    return error.messages();
  }
  return {};
}

TEST(Points, TheLastAxisIsTheFastest) {
  EXPECT_THAT(labels("axes: {n: [1, 2], l2.ways: [8, 16]}\n"),
              ElementsAre("n=1 l2.ways=8", "n=1 l2.ways=16", "n=2 l2.ways=8", "n=2 l2.ways=16"));
}

TEST(Points, ZippedAxesAdvanceTogether) {
  EXPECT_THAT(labels("axes: {n: [1, 2], l2.ways: [8, 16]}\nzip: [[n, l2.ways]]\n"),
              ElementsAre("n=1 l2.ways=8", "n=2 l2.ways=16"));
}

TEST(Points, AGridThatIsTooLargeIsRefusedWithItsProduct) {
  const std::string thousand = "{from: 1, to: 1000, step: 1}";
  EXPECT_THAT(
      mistakes("axes: {n: " + thousand + ", l2.ways: " + thousand + ", l2.bytes: [1024, 2048]}\n"),
      ElementsAre("s.yaml:1:1: axes: 1 machines x 1 workloads x 1000 n x 1000 l2.ways x 2 "
                  "l2.bytes = 2e+06: more than 1000000 combinations"));
  EXPECT_THAT(
      mistakes("axes: {n: " + thousand + ", l2.ways: {from: 1, to: 51, step: 1}}\n"),
      ElementsAre("s.yaml:1:1: axes: 1 machines x 1 workloads x 1000 n x 51 l2.ways = 51000: more "
                  "than 50000 of them are left, the most that a sweep may have"));
  EXPECT_EQ(labels("axes: {n: " + thousand +
                   ", l2.ways: {from: 1, to: 60, step: 1}}\n"
                   "where: [\"n == 7\"]\n")
                .size(),
            60U);
}

TEST(Points, ConditionsAndExclusionsLeavePointsOut) {
  EXPECT_THAT(labels("axes: {n: [1, 2, 3, 4]}\nwhere: [\"mod(n, 2) == 0\"]\nexclude: [{n: 4}]\n"),
              ElementsAre("n=2"));
}

TEST(Points, DerivedValuesFollowFromTheAxes) {
  const Spec spec = spec_of(std::string(kPointsHead) +
                            "axes: {n: [1], ways: [8, 16]}\n"
                            "derived: {kib: 32 * ways}\n"
                            "set: {l2.bytes: \"{kib} KiB\", l2.ways: \"{ways}\"}\n");
  const auto configurations = configurations_of(spec);
  EXPECT_THAT(configurations[1].overrides, ElementsAre("l2.bytes=512 KiB", "l2.ways=16"));
}

TEST(Points, AreasMayStandInConditionsAndDerivedValues) {
  const Spec spec = spec_of(
      "name: a\nmachines: [v100]\nworkloads: [\"gemm:512\"]\naxes: {mib: [6, 24, 72]}\n"
      "derived: {fewer: \"32 - rint((mib - 6) * mm2.cache_mib / mm2.sm)\"}\n"
      "set: {l2.bytes: \"{mib} MiB\", l2.ways: \"{mib}\", sm.residency.max_ctas: \"{fewer}\"}\n"
      "where: [\"area_mm2 < 900\"]\n");
  std::vector<std::string> shown;
  for (const Configuration& configuration : configurations_of(spec))
    shown.push_back(
        label_of({configuration.parameters.begin() + 2, configuration.parameters.end()}));
  EXPECT_THAT(shown, ElementsAre("mib=6 fewer=32", "mib=24 fewer=26"));
}

TEST(Points, AnAreaThatDependsOnALaterValueIsAMistake) {
  const auto refusal = [](const std::string& derived) {
    return test::refusal([&] {
      configurations_of(spec_of("name: a\nmachines: [v100]\nworkloads: [\"gemm:512\"]\nderived: {" +
                                derived + "}\nset: {gpu.sms: \"{sms}\"}\n"));
    });
  };
  EXPECT_EQ(refusal("sms: \"area_mm2 > 0 ? 80 : 72\""),
            "s.yaml:4:16: derived.sms: 'area_mm2 > 0 ? 80 : 72': area_mm2 is not known before sms, "
            "which gpu.sms uses (at machine=v100 workload=gemm:512)");
  EXPECT_THAT(refusal("more: area_mm2 / 10, sms: rint(more)"),
              HasSubstr("derived.more: 'area_mm2 / 10': area_mm2 is not known before sms"));
}

TEST(Points, UnitsAreOfTheMachineWithoutChangesWhateverElseIsAsked) {
  const Spec spec = spec_of(
      "name: a\nmachines: [{name: b, base: v100, set: {sm.residency.registers: 32768}}]\n"
      "workloads: [\"gemm:512\"]\nderived: {alone: mm2.sm, beside: mm2.sm + 0 * area_mm2}\n"
      "where: [\"alone == beside\"]\n");
  const std::vector<Configuration> configurations = configurations_of(spec);
  ASSERT_EQ(configurations.size(), 1U);
  EXPECT_EQ(value_of(configurations[0].parameters, "alone"),
            value_of(configurations[0].parameters, "beside"));
}

TEST(Points, AConditionOnTheAreaOfNoChipIsAMistake) {
  EXPECT_THAT(mistakes("axes: {n: [1]}\nwhere: [\"area_mm2 < 900\"]\n"),
              Contains(AllOf(HasSubstr("s.yaml:5:9: where: "),
                             HasSubstr("; no areas are known for the chip of lab-tiny (at "))));
}

TEST(Points, WhatTheyTakeIsThatOfADryRun) {
  const Plan plan = plan_of(
      "name: a\nmachines: [v100]\nworkloads: [\"gemm:m=512,n=512,k={k}\"]\naxes: {k: [64, "
      "8192]}\noptions: {warm-l2: true}\n");
  run::RunRequest request;
  request.machines = {"v100"};
  request.warm_l2 = true;
  const auto told = run::forecast(request, workload::parse_workload("gemm:m=512,n=512,k=8192"));
  const Expected& deep = plan.points[1].expected.value();
  EXPECT_DOUBLE_EQ(deep.seconds, told[0].seconds);
  EXPECT_DOUBLE_EQ(deep.sampled_s, told[0].sampled_s);
  EXPECT_DOUBLE_EQ(deep.memory_mib, told[0].memory_mib);
  EXPECT_GT(deep.seconds, plan.points[0].expected.value().seconds);
}

TEST(Points, NetworksTakeWhatTheStepsOfTheirDryRunsTake) {
  const Plan plan = plan_of(
      "name: a\nmachines: [{name: half, base: lab-tiny, set: {l2.bytes: 256 KiB}}]\nworkloads: "
      "[\"net:lenet\"]\noptions: {batch: \"{batch}\"}\naxes: {batch: [1, 64]}\n");
  run::RunRequest request;
  request.workload = "net:lenet";
  request.machines = {"lab-tiny"};
  request.overrides = {"l2.bytes=256 KiB"};
  request.batch = 64;
  double seconds = 0;
  double sampled_s = 0;
  double memory_mib = 0;
  for (const run::Forecast& step : run::forecast_network(request)) {
    seconds += step.seconds;
    sampled_s += step.sampled_s;
    memory_mib = std::max(memory_mib, step.memory_mib);
  }
  const Expected& large = plan.points[1].expected.value();
  EXPECT_DOUBLE_EQ(large.seconds, seconds);
  EXPECT_DOUBLE_EQ(large.sampled_s, sampled_s);
  EXPECT_DOUBLE_EQ(large.memory_mib, memory_mib);
  EXPECT_GT(large.seconds, plan.points[0].expected.value().seconds);
}

TEST(Points, SampledOnesAreExpectedToTakeWhatThatTakes) {
  const Plan plan = plan_of(
      "name: a\nmachines: [v100]\nworkloads: [\"gemm:m=512,n=512,k=65536\"]\noptions: {fidelity: "
      "sampled}\n");
  const Expected& expected = plan.points[0].expected.value();
  EXPECT_EQ(expected.seconds, expected.sampled_s);
}

TEST(Points, WhatCannotRunIsAPointWithoutExpectation) {
  const Plan plan = plan_of(
      "name: a\nmachines: [v100, lab-tiny]\nworkloads: [\"gemm:128,dtype={type}\"]\noptions: "
      "{unit: "
      "tensor, tile: 64x64x64}\naxes: {type: [fp16, bf16]}\n");
  ASSERT_EQ(plan.points.size(), 4U);
  EXPECT_FALSE(plan.points[0].expected);  // no such tile
  EXPECT_FALSE(plan.points[1].expected);  // no such type
  EXPECT_TRUE(plan.points[2].expected);
}

TEST(Points, ATileThatNoPointCanHaveIsAMistakeOfThePlan) {
  try {
    plan_of(std::string(kPointsHead) +
            "axes: {n: [16, 32], t: [64x64x32, 7x7x7]}\noptions: {tile: \"{t}\"}\n");
    FAIL();
  } catch (const config::ConfigError& error) {
    EXPECT_THAT(
        error.messages(),
        ElementsAre(testing::AllOf(
            testing::StartsWith("s.yaml:5:17: options.tile: no tile '7x7x7' on the menu; of "),
            HasSubstr("n=16 t=7x7x7)"))));
  }
}

TEST(Points, ConditionsAndPlotsUseDerivedValues) {
  const std::string derived = "axes: {n: [32, 64]}\nderived: {half: n / 2, bytes: half * 4}\n";
  EXPECT_THAT(labels(derived + "where: [\"bytes < 100\"]\n"), ElementsAre("n=32 half=16 bytes=64"));
  for (const char* plot :
       {"{kind: curves, x: bytes, y: tflops}", "{kind: heatmap, x: n, y: bytes, value: tflops}",
        "{kind: pareto, x: time_us, y: tflops, series: bytes}",
        "{kind: parallel, axes: [bytes, time_us]}",
        "{kind: curves, x: n, y: tflops, where: {bytes: 64}}"})
    EXPECT_THAT(mistakes(derived + "plots: [" + plot + "]\n"), ElementsAre()) << plot;
  EXPECT_THAT(mistakes(derived), ElementsAre("s.yaml:5:17: derived.half: has no effect: nothing "
                                             "uses {half}",
                                             "s.yaml:5:31: derived.bytes: has no effect: nothing "
                                             "uses {bytes}"));
}

TEST(Points, NamedPointsStandBesideTheGrid) {
  EXPECT_THAT(labels("axes: {n: [1]}\npoints: [{name: big, n: 512}]\n"),
              ElementsAre("n=1", "n=512"));
}

TEST(Points, RefusesSettingsWithoutEffectAndContradictions) {
  EXPECT_THAT(mistakes("axes: {n: [1], q: [2]}\n"), Contains(HasSubstr("axes.q: has no effect")));
  EXPECT_THAT(mistakes("axes: {n: [1], q: [2]}\nderived: {w: \"sqrt(n)\"}\nset: {l2.ways: "
                       "\"{w}\"}\n"),
              ElementsAre(HasSubstr("s.yaml:4:16: axes.q: has no effect: no workload, option or ")))
      << "a letter of a function";
  EXPECT_THAT(mistakes("axes: {n: [1], q: [2]}\nderived: {half: q / 2}\nwhere: [\"half > 0\"]\n"),
              ElementsAre(HasSubstr("axes.q: has no effect")))
      << "a condition on values that change no point";
  EXPECT_THAT(mistakes("axes: {m: [1]}\n"), Contains(HasSubstr("{n} is not an axis")));
  EXPECT_THAT(mistakes("axes: {n: [1], l2.ways: [8]}\nset: {l2.ways: 16}\n"),
              Contains("s.yaml:5:16: set.l2.ways: is an axis too"));
  EXPECT_THAT(mistakes("axes: {n: [1]}\nwhere: [\"n > 1\"]\n"),
              Contains("s.yaml:5:9: where: the conditions leave no point"));
  EXPECT_THAT(mistakes("axes: {n: [1]}\nexclude: [{n: 1}]\n"),
              Contains("s.yaml:5:11: exclude: the conditions leave no point"));
  EXPECT_THAT(mistakes("axes: {n: [1]}\nexclude: [{n: 3}]\n"),
              Contains(HasSubstr("excludes nothing")));
  EXPECT_THAT(mistakes("axes: {n: [1]}\noptions: {unit: tensr}\n"),
              Contains(HasSubstr("'tensr' is not one of tensor, cuda-core")));
}

TEST(Points, AValueThatNoMachineCanHaveIsToldWhereItStands) {
  const auto first_of = [](const std::string& text) -> std::string {
    try {
      plan_of(text);
    } catch (const config::ConfigError& error) {
      return error.messages().front();
    }
    return "accepted";
  };
  const std::string head =
      "name: a\nmachines: [lab-tiny, {name: b, base: lab-tiny, set: {l2.ways: ";
  EXPECT_THAT(first_of(head + "8}}]\nworkloads: [\"gemm:64\"]\naxes: {dram.channels: [4, none]}\n"),
              testing::StartsWith("s.yaml:4:8: axes.dram.channels: expected "));
  EXPECT_THAT(first_of(head + "x}}]\nworkloads: [\"gemm:64\"]\n"),
              testing::StartsWith("s.yaml:2:63: machines.b.l2.ways: expected "));
  EXPECT_THAT(first_of(head + "8}}]\nworkloads: [\"gemm:64\"]\nset: {l2.slices: x}\n"),
              testing::StartsWith("s.yaml:4:18: set.l2.slices: expected "));
}

TEST(Points, AValueThatConditionsLeaveOutIsNoMistake) {
  EXPECT_THAT(labels("axes: {n: [1], l2.ways: [0, 8]}\nexclude: [{l2.ways: 0}]\n"),
              ElementsAre("n=1 l2.ways=8"));
}

TEST(Points, AValueThatFitsNoMachineIsToldWithItsPoint) {
  EXPECT_THAT(
      test::refusal(
          [] { plan_of(std::string(kPointsHead) + "axes: {n: [64], l2.bytes: [1000000]}\n"); }),
      AllOf(testing::StartsWith("s.yaml:4:17: l2.bytes: 1000000 is not a multiple of "),
            testing::EndsWith(" (at machine=lab-tiny workload=gemm:{n} n=64 l2.bytes=1000000)")));
}

TEST(Points, AMistakeOfTheSpecHidesNoneOfItsParts) {
  using testing::StartsWith;
  std::vector<std::string> told;
  try {
    plan_of(
        "name: bad sweep\n"
        "machines: [lab-tiny, a101, {name: x, base: v100, set: {l2.nope: 3, dram.channels: x}}]\n"
        "workloads: [\"net:nope.yaml\", \"gemmm:{n}\"]\n"
        "axes: {batch: [0, 2], n: [64], q: [1]}\n"
        "options: {batch: \"{batch}\", precison: fp16, tile: \"{foo}\"}\n"
        "plots:\n"
        "  - {kind: curvs, x: batch, y: nope}\n"
        "  - {x: n}\n"
        "bogus: 1\n");
  } catch (const config::ConfigError& error) {
    told = error.messages();
  }
  EXPECT_THAT(
      told,
      ElementsAre(StartsWith("s.yaml:1:1: name: 'bad sweep' names a file"),
                  StartsWith("s.yaml:2:22: machines: machine=a101: a101: no such machine; did you "
                             "mean \"a100\"?"),
                  StartsWith("s.yaml:2:65: machines.x.l2.nope: unknown key"),
                  "s.yaml:2:83: machines.x.dram.channels: expected an integer, got 'x'",
                  StartsWith("s.yaml:3:13: workloads: nope.yaml: "),
                  AllOf(StartsWith("s.yaml:3:30: workloads: "), HasSubstr("gemmm")),
                  StartsWith("s.yaml:4:32: axes.q: has no effect"),
                  StartsWith("s.yaml:5:18: options.batch: "),
                  StartsWith("s.yaml:5:39: options.precison: unknown option"),
                  "s.yaml:5:51: options.tile: {foo} is not an axis",
                  StartsWith("s.yaml:7:5: plots.kind: 'curvs' is not one of"),
                  "s.yaml:8:5: plots[1].kind: missing", "s.yaml:9:1: bogus: unknown key"));
}

TEST(Points, APlotOfAKindThatThereIsNotHidesNoOtherMistake) {
  EXPECT_THAT(mistakes("axes: {n: [64]}\noptions: {tle: 1}\nplots:\n"
                       "  - {kind: heat, x: n, y: k, value: tflops}\n"
                       "  - {kind: curves, x: m, y: tflops}\n"),
              ElementsAre(HasSubstr("s.yaml:5:16: options.tle: unknown option"),
                          "s.yaml:7:5: plots.kind: 'heat' is not one of curves, heatmap, "
                          "waterfall, pareto, parallel",
                          HasSubstr("s.yaml:8:5: plots.x: 'm' is not a parameter")));
  EXPECT_THAT(
      mistakes("axes: {n: [64]}\nplots: [{kind: curve, x: n, y: tflops}]\n"),
      ElementsAre(HasSubstr("s.yaml:5:9: plots.kind: 'curve' is not one of curves, heatmap, ")));
  EXPECT_THAT(mistakes("axes: {n: [64]}\nplots: [{kind: curve, x: n, y: tflops}]\n"),
              ElementsAre(HasSubstr("; did you mean \"curves\"?")));
}

TEST(Points, AMetricThatNoResultHasIsAMistakeOfThePlan) {
  EXPECT_THAT(mistakes("axes: {n: [64]}\nplots:\n"
                       "  - {kind: curves, x: n, y: tflopz}\n"
                       "  - {kind: heatmap, x: n, y: machine, value: memory.l2_hit_rat}\n"
                       "  - {kind: pareto, x: tim_us, y: core_gate}\n"
                       "  - {kind: parallel, axes: [n, time_su]}\n"),
              ElementsAre("s.yaml:6:5: plots.y: no metric 'tflopz'; did you mean \"tflops\"?",
                          "s.yaml:7:5: plots.value: no metric 'memory.l2_hit_rat'; did you mean "
                          "\"memory.l2_hit_rate\"?",
                          "s.yaml:8:5: plots.x: no metric 'tim_us'; did you mean \"time_us\"?",
                          "s.yaml:8:5: plots.y: no metric 'core_gate'; did you mean "
                          "\"core_gates\"?",
                          "s.yaml:9:5: plots.axes: no metric 'time_su'; did you mean "
                          "\"time_us\"?"));
  EXPECT_THAT(mistakes("axes: {n: [64]}\nplots:\n"
                       "  - {kind: pareto, name: a, x: area_mm2, y: energy.energy_j}\n"
                       "  - {kind: curves, x: n, y: values.error.norm_bits}\n"
                       "  - {kind: curves, x: n, y: cycles_by_reason.launch}\n"
                       "  - {kind: curves, x: n, y: tokens_per_s}\n"
                       "  - {kind: curves, x: n, y: instructions.mma}\n"),
              ElementsAre());
}

TEST(Points, ATileThatIsNoneIsAMistakeOfThePlanOnce) {
  try {
    plan_of(std::string(kPointsHead) + "axes: {n: [16, 32]}\noptions: {tile: foo}\n");
    FAIL();
  } catch (const config::ConfigError& error) {
    EXPECT_THAT(error.messages(), ElementsAre(HasSubstr("s.yaml:5:17: options.tile: tile 'foo' is "
                                                        "not of the form 128x128x32_s5_w2x2")));
  }
}

TEST(Points, OptionsThatCannotStandTogetherAreAMistakeOfThePlan) {
  const auto told = [](const std::string& rest) {
    return test::refusal([&] { plan_of(kPointsHead + rest); });
  };
  EXPECT_EQ(told("axes: {n: [16, 32], s: [1, 2]}\noptions: {seed: \"{s}\"}\n"),
            "s.yaml:5:17: options.seed: has no effect without --values (at machine=lab-tiny "
            "workload=gemm:{n} n=16 s=1)");
  EXPECT_THAT(told("axes: {n: [16]}\noptions: {warm-l2: true, overwrite-l2: true}\n"),
              HasSubstr("s.yaml:5:20: options.warm-l2: --warm-l2 and --overwrite-l2 contradict"));
  EXPECT_THAT(told("axes: {n: [16], v: [true, false]}\noptions: {values: \"{v}\", seed: 2}\n"),
              "accepted")
      << "the second point becomes a row with its reason";
}

TEST(Points, AMistakeIsToldOnceAtTheKeyThatMakesIt) {
  EXPECT_THAT(mistakes("axes: {n: [1], dram.chanels: [1, 2]}\nset: {l2.wys: 1}\n"),
              ElementsAre("s.yaml:4:16: axes.dram.chanels: unknown key; did you mean "
                          "\"dram.channels\"?",
                          "s.yaml:5:15: set.l2.wys: unknown key; did you mean \"l2.ways\"?"));
  EXPECT_EQ(test::refusal([&] {
              configurations_of(
                  spec_of("name: a\nmachines: [v100]\nworkloads: [\"gemm:m={n},n={n},k={n}\"]\n"));
            }),
            "s.yaml:3:13: workloads: {n} is not an axis");
}

TEST(Points, AMachineThatCannotBeIsAMistakeOfThePlan) {
  EXPECT_THAT(test::refusal([&] {
                plan_of(std::string(kPointsHead) + "axes: {n: [16]}\nset: {l2.wys: 8}\n");
              }),
              HasSubstr("did you mean \"l2.ways\"?"));
}

TEST(Points, KeysFollowTheContentAndNotTheWords) {
  const Plan plan = plan_of(small_spec_text());
  ASSERT_EQ(plan.points.size(), 4U);
  EXPECT_NE(plan.points[0].key, plan.points[1].key);
  EXPECT_NE(plan.points[0].key, plan.points[2].key);
  const Plan same = plan_of(
      "name: other\nmachines: [{name: x, base: lab-tiny, set: {l2.bytes: 512 KiB}}]\n"
      "workloads: [\"gemm:n=32,m=32,k=32\"]\n");
  EXPECT_EQ(plan.points[0].key, same.points[0].key);
}

}  // namespace
}  // namespace tcsim::sweep
