// What a verdict advises is tried on ten kernels for which it is given: each must gain. The short
// program tries one of them for each rule, the long one all (TC_ALL_RUNS).

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sim/config/load.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/library/load.hpp"
#include "sim/report/run_record.hpp"
#include "sim/run/prepare/prepare.hpp"
#include "tests/cli/remedy_rules.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::cli {
namespace {

/// A run on lab-tiny in words: workload, unit, tile ("-": chosen), then key=value for --set.
struct AdvisedRun {
  explicit AdvisedRun(const std::string& text) {
    std::istringstream stream(text);
    stream >> workload >> unit >> tile;
    overrides.assign(std::istream_iterator<std::string>(stream), {});
    if (tile == "-") tile.clear();
  }

  /// The run with `options` of a remedy behind it; one of them may replace an override.
  [[nodiscard]] AdvisedRun with(const std::vector<std::string>& options) const {
    AdvisedRun changed = *this;
    for (std::size_t i = 0; i + 1 < options.size(); i += 2) {
      const std::string& value = options[i + 1];
      if (options[i] == "--unit" || options[i] == "--tile") {
        (options[i] == "--unit" ? changed.unit : changed.tile) = value;
        continue;
      }
      const std::string key = value.substr(0, value.find('=') + 1);
      std::erase_if(changed.overrides, [&](const auto& text) { return text.starts_with(key); });
      changed.overrides.push_back(value);
    }
    return changed;
  }

  [[nodiscard]] report::RunRecord record() const {
    const config::MachineFile machine = library::read_machine("lab-tiny", overrides);
    const run::PreparedRun run = run::prepare_run(workload::parse_workload(workload).front(),
                                                  {"lab-tiny", unit, tile, {}}, machine);
    gpu::SimulationOptions options;
    options.threads = 1;
    gpu::Simulation simulation(machine.machine, options);
    const gpu::Outcome outcome = simulation.run(run.launches, {});
    return report::make_record(run.inputs, outcome, simulation.counters(), {});
  }

  std::string workload;
  std::string unit;
  std::string tile;
  std::vector<std::string> overrides;
};

/// What the verdict says binds, without what holds it back.
std::string binding(const report::RunRecord& record) {
  const std::string& phrase = record.verdict.phrase;
  return phrase.substr(0, phrase.find(','));
}

void expect_gain(const RemedyRule& rule, const std::string& text) {
  const AdvisedRun run(text);
  const report::RunRecord before = run.record();
  EXPECT_EQ(binding(before), rule.binding) << text;
  ASSERT_FALSE(before.verdict.options.empty()) << text;
  EXPECT_TRUE(before.verdict.options.at(1).starts_with(rule.option)) << text;
  const report::RunRecord after = run.with(before.verdict.options).record();
  EXPECT_LT(after.metric("time_us"), before.metric("time_us")) << text << "\n"
                                                               << before.verdict.advice;
}

class Remedies : public testing::TestWithParam<RemedyRule> {};

TEST_P(Remedies, MakeEveryRunFasterForWhichTheyAreGiven) {
  const std::vector<std::string>& runs = GetParam().runs;
  EXPECT_GE(runs.size(), 10U);
#ifdef TC_ALL_RUNS
  for (const std::string& run : runs) expect_gain(GetParam(), run);
#else
  expect_gain(GetParam(), runs.front());
#endif
}

INSTANTIATE_TEST_SUITE_P(Rule, Remedies, testing::ValuesIn(remedy_rules()),
                         [](const auto& rule) { return rule.param.name; });

TEST(RemedyRules, CoverEveryRemedy) {
  const config::Machine machine = library::load_machine("lab-tiny");
  for (const char* unit : {"tensor", "cuda-core"}) {
    for (const report::Remedy& remedy :
         report::remedies(machine, {{isa::Opcode::kHmma16816F32}, unit, true, "128x128x32"})) {
      const auto tried = std::ranges::find_if(remedy_rules(), [&](const RemedyRule& rule) {
        return rule.cause == remedy.cause && remedy.options.at(1).starts_with(rule.option);
      });
      EXPECT_NE(tried, remedy_rules().end()) << remedy.cause;
    }
  }
}

/// Such a clock would leave the range of its key, or the others behind.
TEST(RemedyRules, LeaveOutWhatAMachineMayNotHave) {
  const auto has = [](const std::string& base, const std::string& setting, const char* cause) {
    const config::Machine machine = library::load_machine(base, {setting});
    const std::vector<report::Remedy> all = report::remedies(machine, {{}, "cuda-core"});
    return std::ranges::find(all, std::string_view(cause), &report::Remedy::cause) != all.end();
  };
  EXPECT_TRUE(has("lab-tiny", "clocks.l2_mhz=8000", "l2"));
  EXPECT_FALSE(has("lab-tiny", "clocks.l2_mhz=9000", "l2"));
  EXPECT_TRUE(has("h100", "clocks.sm_mhz=1980", "issue_slots"));
  EXPECT_FALSE(has("h100", "clocks.sm_mhz=2376", "issue_slots"));
  EXPECT_FALSE(has("lab-tiny", "launch.overhead_us=0.05", "launch"));
}

/// The FFT has no kernel for tensor cores.
TEST(RemedyRules, AdviseTensorCoresOnlyToThoseWhoAskedForCudaCores) {
  const auto options_of = [](const std::string& workload, const std::string& unit,
                             const std::string& tile = "") {
    const config::MachineFile machine = library::read_machine("lab-tiny", {});
    const std::vector<report::Remedy> all =
        run::prepare_run(workload::parse_workload(workload).front(), {"lab-tiny", unit, tile, {}},
                         machine)
            .inputs.remedies;
    return std::ranges::find(all, std::string_view("cuda_cores"), &report::Remedy::cause)->options;
  };
  using Options = std::vector<std::string>;
  // CUDA cores take fp16 as fp32.
  for (const char* workload : {"gemm:64,dtype=int8", "gemm:64,dtype=fp16",
                               "conv:n=1,hw=8,c=64,k=64,rs=1", "attn:heads=1,n=64,d=64"})
    EXPECT_EQ(options_of(workload, "cuda-core"), (Options{"--unit", "tensor"})) << workload;
  const Options clock{"--set", "clocks.sm_mhz=1692"};
  for (const char* unit : {"", "tensor", "cuda-core"})
    EXPECT_EQ(options_of("conv:n=1,hw=8,c=8,k=8,rs=3,algo=fft", unit), clock) << unit;
  EXPECT_EQ(options_of("gemm:64,dtype=fp32", "cuda-core"), clock);
  EXPECT_EQ(options_of("gemm:64,dtype=fp16", "cuda-core", "32x128x8_s2_w1x4"), clock);
}

TEST(RemedyRules, AdviseTheSwizzleThatATileLacks) {
  const auto options_of = [](const std::string& workload, const std::string& tile) {
    const config::MachineFile machine = library::read_machine("lab-tiny", {});
    const std::vector<report::Remedy> all =
        run::prepare_run(workload::parse_workload(workload).front(), {"lab-tiny", "", tile, {}},
                         machine)
            .inputs.remedies;
    const auto found =
        std::ranges::find(all, std::string_view("bank_conflicts"), &report::Remedy::cause);
    return found == all.end() ? std::vector<std::string>{} : found->options;
  };
  using Options = std::vector<std::string>;
  EXPECT_EQ(options_of("gemm:256", "128x128x32_s4_w2x2_noswizzle"),
            (Options{"--tile", "128x128x32_s4_w2x2"}));
  EXPECT_EQ(options_of("conv:n=1,hw=14,c=64,k=64,rs=3,pad=1", "64x64x32_s4_w2x2_noswizzle"),
            (Options{"--tile", "64x64x32_s4_w2x2"}));
  EXPECT_EQ(options_of("gemm:256", "128x128x32_s4_w2x2"), Options{});
}

TEST(RemedyRules, DoubleTheChannelsOnlyWhereTheSlicesFit) {
  const config::Machine machine = library::load_machine(
      "lab-tiny", {"dram.channels=1", "l2.slices=3", "l2.bytes=393216", "l2.slice_hash=modulo"});
  const std::vector<report::Remedy> all = report::remedies(machine, {{}, "cuda-core"});
  const auto dram = std::ranges::find(all, std::string_view("dram"), &report::Remedy::cause);
  ASSERT_NE(dram, all.end());
  EXPECT_TRUE(dram->options.at(1).starts_with("clocks.memory_mhz=")) << dram->options.at(1);
}

TEST(RemedyRules, AdviseNoFasterPinsWhereTheWayToTheL2Binds) {
  const config::Machine machine =
      library::load_machine("lab-tiny", {"dram.return_bytes_per_cycle=1"});
  for (const report::Remedy& remedy : report::remedies(machine, {{}, "cuda-core"}))
    for (const std::string& option : remedy.options)
      EXPECT_FALSE(option.starts_with("clocks.memory_mhz=")) << remedy.cause << " " << option;
}

/// On any machine: values in their ranges, rules between keys kept.
TEST(RemedyRules, GiveOptionsThatEveryMachineAccepts) {
  for (const std::string& name : config::machine_names()) {
    const config::Machine machine = library::load_machine(name);
    std::set<std::vector<std::string>> given;
    for (const auto& row : machine.sm.tensor.instructions)
      for (const report::Remedy& remedy : report::remedies(machine, {{row.opcode}, "tensor"}))
        given.insert(remedy.options);
    for (const std::vector<std::string>& options : given) {
      std::vector<std::string> overrides;
      for (std::size_t i = 0; i + 1 < options.size(); i += 2) overrides.push_back(options[i + 1]);
      EXPECT_NO_THROW(library::load_machine(name, overrides)) << name << " " << overrides.front();
    }
  }
}

}  // namespace
}  // namespace tcsim::cli
