#include "sim/sweep/spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/error.hpp"
#include "tests/sweep/sweep_samples.hpp"

namespace tcsim::sweep {
namespace {

using testing::ElementsAre;

std::vector<std::string> mistakes_in(const std::string& text) {
  try {
    spec_of(text);
  } catch (const config::ConfigError& error) {
    return error.messages();
  }
  return {};
}

constexpr const char* kSpecHead = "name: a\nmachines: [v100]\nworkloads: [\"gemm:{n}\"]\n";

TEST(Spec, ReadsListsAndRanges) {
  const Spec spec = spec_of(std::string(kSpecHead) +
                            "axes:\n  n: {from: 64, to: 256, step: 64}\n"
                            "  l2.ways: {from: 32, to: 128, factor: 2}\n");
  EXPECT_THAT(spec.axes[0].values, ElementsAre("64", "128", "192", "256"));
  EXPECT_THAT(spec.axes[1].values, ElementsAre("32", "64", "128"));
}

TEST(Spec, ARangeHasTheNumbersThatOneWouldWrite) {
  const auto values = [](const std::string& range) {
    return spec_of(std::string(kSpecHead) + "axes: {n: {" + range + "}}\n").axes[0].values;
  };
  EXPECT_THAT(values("from: 0.1, to: 0.5, step: 0.1"),
              ElementsAre("0.1", "0.2", "0.3", "0.4", "0.5"));
  EXPECT_THAT(values("from: -0.3, to: 0.1, step: 0.1"),
              ElementsAre("-0.3", "-0.2", "-0.1", "0", "0.1"));
  EXPECT_THAT(values("from: 1, to: 1.4, factor: 1.1"), ElementsAre("1", "1.1", "1.21", "1.331"));
  EXPECT_THAT(values("from: 50000, to: 100000, step: 50000"), ElementsAre("50000", "100000"));
  EXPECT_THAT(values("from: 0, to: 0.6666666666666666, step: 0.2222222222222222"),
              ElementsAre("0", "0.22222222222222", "0.44444444444444", "0.66666666666667"));
  EXPECT_THAT(values("from: 7625597484987, to: 7625597484988, step: 1"),
              ElementsAre("7625597484987", "7625597484988"));
  EXPECT_THAT(values("from: 0, to: 0, step: 1"), ElementsAre("0"));
}

TEST(Spec, ARangeEndsBelowTheNextValueHoweverLargeItIs) {
  const auto values = [](const std::string& range) {
    return spec_of(std::string(kSpecHead) + "axes: {n: {" + range + "}}\n").axes[0].values;
  };
  EXPECT_THAT(values("from: 0, to: 9999999999, step: 5000000000"), ElementsAre("0", "5000000000"));
  EXPECT_THAT(values("from: 1, to: 99999999999, factor: 100000"),
              ElementsAre("1", "100000", "10000000000"));
  EXPECT_THAT(values("from: 10000, to: 99999999.99, factor: 10000"), ElementsAre("10000"));
  EXPECT_THAT(mistakes_in(std::string(kSpecHead) +
                          "axes: {n: {from: 999999999999998, to: 1e15, step: 0.5}}\n"),
              ElementsAre("s.yaml:4:11: axes.n: the step is too small to tell numbers of this size "
                          "apart"));
}

TEST(Spec, AMachineTakesOverTheChangesOfTheOneItComesFrom) {
  const Spec spec = spec_of(
      "name: a\nworkloads: [\"gemm:64\"]\nmachines:\n"
      "  - {name: one, base: v100, set: {gpu.sms: 60, l2.ways: 8}}\n"
      "  - {name: two, from: one, set: {gpu.sms: 40}}\n");
  EXPECT_EQ(spec.machines[1].base, "v100");
  ASSERT_EQ(spec.machines[1].set.size(), 2U);
  EXPECT_EQ(spec.machines[1].set[0].name, "l2.ways");
  EXPECT_EQ(spec.machines[1].set[1].text, "40");
}

TEST(Spec, AChangedMachineHasNotTheNameOfAnother) {
  const auto of = [](const std::string& machines) {
    return mistakes_in("name: a\nworkloads: [\"gemm:64\"]\nmachines:\n" + machines);
  };
  EXPECT_THAT(of("  - {name: lab-tiny, base: a100}\n"),
              ElementsAre("s.yaml:4:5: machines[0].name: 'lab-tiny' is a machine that comes with "
                          "tcsim; one with another base needs another name"));
  EXPECT_THAT(of("  - {name: one, base: v100}\n  - {name: t4, from: one}\n"),
              ElementsAre(testing::StartsWith("s.yaml:5:5: machines[1].name: 't4' is a machine")));
  EXPECT_THAT(of("  - {name: v100, base: v100, set: {l2.ways: 8}}\n  - {name: V100, base: v100}\n"),
              testing::IsEmpty());
}

TEST(Spec, SaysWhereEveryMistakeIs) {
  EXPECT_THAT(
      mistakes_in(std::string(kSpecHead) + "machine: x\naxes: {n: [1, 1]}\nlimits: {time_s: -1}\n"),
      ElementsAre(
          "s.yaml:4:1: machine: unknown key; did you mean \"machines\"?",
          "s.yaml:5:15: axes.n: '1' is in the list twice",
          "s.yaml:6:18: limits.time_s: -1 is out of range; allowed are 0.001 to 1000000000"));
}

TEST(Spec, RefusesANumberInTwoSpellings) {
  const auto of = [](const std::string& axis) {
    return mistakes_in(std::string(kSpecHead) + "axes: {" + axis + "}\n");
  };
  EXPECT_THAT(of("n: [1], l2.bytes: [512 KiB, 524288]"),
              ElementsAre("s.yaml:4:36: axes.l2.bytes: '524288' is in the list twice, first as "
                          "'512 KiB'"));
  EXPECT_THAT(of("n: [1000, 1, 1e3]"),
              ElementsAre("s.yaml:4:21: axes.n: '1e3' is in the list twice, first as '1000'"));
}

TEST(Spec, RefusesZippedAxesOfDifferentLengths) {
  EXPECT_THAT(
      mistakes_in(std::string(kSpecHead) +
                  "axes: {n: [1, 2], l2.ways: [8]}\nzip: [[n, l2.ways]]\n"),
      ElementsAre(
          "s.yaml:5:11: zip: 'l2.ways' has 1 values, 'n' has 2: zipped axes need equal lengths"));
}

TEST(Spec, ParallelCoordinatesNeedTwoAxes) {
  const auto messages = mistakes_in(std::string(kSpecHead) +
                                    "axes: {n: [1]}\nplots: [{kind: parallel, axes: [n]}]\n");
  EXPECT_THAT(messages, ElementsAre("s.yaml:5:9: plots[0].axes: expected a list of two or more"));
}

TEST(Spec, AnAxisHasNotTheNameOfAColumn) {
  EXPECT_THAT(
      mistakes_in(std::string(kSpecHead) + "axes: {n: [1], inputs: [2], state: [3]}\n"),
      ElementsAre("s.yaml:4:16: axes.inputs: this name is taken: every sweep has a column with it",
                  "s.yaml:4:29: axes.state: this name is taken: every sweep has a column with it"));
}

TEST(Spec, ADerivedValueHasNotTheNameOfAnAxisOrAColumn) {
  EXPECT_THAT(
      mistakes_in(std::string(kSpecHead) + "axes: {n: [1]}\nderived: {n: \"n*2\", key: \"n*1\"}\n"),
      ElementsAre(
          "s.yaml:5:14: derived.n: this name is taken: every sweep has a column with it",
          "s.yaml:5:26: derived.key: this name is taken: every sweep has a column with it"));
}

TEST(Spec, NamesWhatIsMissing) {
  EXPECT_THAT(mistakes_in("name: a\n"),
              ElementsAre("s.yaml:1:1: machines: missing", "s.yaml:1:1: workloads: missing"));
}

}  // namespace
}  // namespace tcsim::sweep
