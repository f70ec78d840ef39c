#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using EnergyJson = nlohmann::ordered_json;

/// Each test runs in an empty directory of its own.
class EnergyRun : public ::testing::Test {
 protected:
  static EnergyJson json_of(const std::filesystem::path& path) {
    return EnergyJson::parse(text_of(path));
  }

  TemporaryHome home_;
};

/// `rate` of `held` is that of its own clock.
void expect_own(const char* rate, const EnergyJson& held, const EnergyJson& boost) {
  const double ratio = held["clock_mhz"].get<double>() / boost["clock_mhz"].get<double>();
  EXPECT_DOUBLE_EQ(held[rate].get<double>(), ratio * boost[rate].get<double>()) << rate;
}

/// All steps draw power, those without products too, and the mean of all settles the clock.
TEST_F(EnergyRun, ANetworkRunsAtTheClockOfItsMeanDraw) {
  const auto run = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "net:mnist_mlp", "--batch", "512", "-m", "a100"});
    words.insert(words.end(), {"--precision", "fp16", "-q", "-f", "json", "--no-files"});
    const ChildResult result = tcsim(words);
    EXPECT_EQ(result.status, 0) << result.errors;
    return EnergyJson::parse(result.output);
  };
  const EnergyJson boost = run({});
  double steps_j = 0;
  for (const EnergyJson& step : boost["steps"]) {
    EXPECT_GT(step["result"]["energy"]["energy_j"], 0.0) << step["title"];
    steps_j += step["result"]["energy"]["energy_j"].get<double>();
  }
  EXPECT_NEAR(boost["energy"]["energy_j"].get<double>(), steps_j, 1e-12);

  const double boost_w = boost["energy"]["power_w"].get<double>();
  EXPECT_LT(boost_w, boost["energy"]["limit_w"].get<double>());
  const EnergyJson free = run({"--clock", "power"});
  EXPECT_EQ(free["cycles"], boost["cycles"]) << "the limit leaves the boost clock";
  const double limit_w = boost_w - 4;
  const EnergyJson held =
      run({"--clock", "power", "--set", fmt::format("energy.limit_w={}", limit_w)});
  EXPECT_EQ(held["energy"]["clock_policy"], "power");
  EXPECT_LE(held["energy"]["power_w"].get<double>(), limit_w);
  EXPECT_LT(held["clock_mhz"], boost["clock_mhz"]);
  EXPECT_GT(held["time_us"], boost["time_us"]);
  expect_own("peak_tflops", held, boost);

  const double tensor_mhz =
      boost["tensor_fraction"].get<double>() * boost["clock_mhz"].get<double>();
  const EnergyJson loaded =
      run({"--clock", "load", "--set", fmt::format("energy.tensor_mhz={}", 0.9 * tensor_mhz)});
  EXPECT_LE(loaded["tensor_fraction"].get<double>() * loaded["clock_mhz"].get<double>(),
            0.9 * tensor_mhz);
  EXPECT_LT(loaded["clock_mhz"], boost["clock_mhz"]);
}

TEST_F(EnergyRun, EnergyIsTheSumOfItsParts) {
  const EnergyJson result = EnergyJson::parse(
      tcsim({"run", "gemm:128", "-m", "lab-tiny", "-f", "json", "--no-files"}).output);
  const EnergyJson& energy = result["energy"];
  EXPECT_DOUBLE_EQ(energy["energy_delay_js"].get<double>(),
                   energy["energy_j"].get<double>() * result["time_us"].get<double>() / 1e6);
  double sum = 0;
  for (const auto& [name, value] : energy.items())
    if (name.ends_with("_energy_j")) sum += value.get<double>();
  EXPECT_NEAR(sum, energy["energy_j"].get<double>(), 1e-15);
  EXPECT_GT(energy["tensor_energy_j"].get<double>(), 0);
  EXPECT_EQ(energy["vector_energy_j"].get<double>(), 0);
}

/// The sum of a column of the table below the line that begins with `header`; columns count from
/// the last, 1.
double printed_sum(const std::string& text, const std::string& header, std::size_t column) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line) && !line.starts_with(header)) continue;
  double sum = 0;
  while (std::getline(lines, line) && !line.empty()) {
    std::istringstream words(line);
    const std::vector<std::string> cells{std::istream_iterator<std::string>(words), {}};
    sum += std::stod(cells.at(cells.size() - column));
  }
  return sum;
}

TEST_F(EnergyRun, PrintedEnergiesOfAShortRunAddUpToo) {
  ASSERT_EQ(tcsim({"run", "gemm:128", "-m", "lab-tiny", "-o", "out", "-q"}).status, 0);
  const double millijoules = 1e3 * json_of("out/stats.json")["energy"]["energy_j"].get<double>();
  const std::string shown = tcsim({"show", "out", "--section", "energy"}).output;
  EXPECT_NEAR(printed_sum(shown, "from cycle", 2), millijoules, 1e-3 * millijoules) << shown;
  const double parts_and_all = 2 * millijoules;
  EXPECT_NEAR(printed_sum(shown, "part ", 3), parts_and_all, 1e-3 * parts_and_all) << shown;
}

/// Of each unit as of all; the tensor cores take none before the first CTA has started.
TEST_F(EnergyRun, EnergyOverTimeAddsUpToTheEnergy) {
  for (const char* workload : {"gemm:256", "gemm:128,dtype=fp32"}) {
    SCOPED_TRACE(workload);
    ASSERT_EQ(tcsim({"run", workload, "-m", "lab-tiny", "-o", "out", "--force", "-q"}).status, 0);
    const EnergyJson energy = json_of("out/stats.json")["energy"];
    const EnergyJson shown = EnergyJson::parse(
        tcsim({"show", "out", "--section", "energy", "-f", "json"}).output)["sections"][0];
    const EnergyJson& table = shown["tables"][1];
    ASSERT_EQ(table["caption"], "Energy over time");
    ASSERT_GT(table["rows"].size(), 1U);
    ASSERT_LE(table["rows"].size(), 32U);
    for (const auto& [column, metric] : {std::pair{"tensor cores mJ", "tensor_energy_j"},
                                         {"CUDA cores mJ", "vector_energy_j"},
                                         {"shared memory/L1 mJ", "l1_energy_j"},
                                         {"L2 mJ", "l2_energy_j"},
                                         {"DRAM mJ", "dram_energy_j"},
                                         {"constant mJ", "constant_energy_j"},
                                         {"all mJ", "energy_j"}}) {
      std::size_t place = 0;
      while (table["columns"][place].get<std::string>() != column) ++place;
      double sum = 0;
      for (const EnergyJson& row : table["rows"]) sum += row[place].get<double>();
      const double millijoules = 1e3 * energy[metric].get<double>();
      EXPECT_NEAR(sum, millijoules, 1e-9 * millijoules) << column;
    }
    EXPECT_EQ(table["rows"][0][2].get<double>(), 0);
  }
}

/// Of a product of `m` x 64 x 64, each m a multiple of the tile, `dtype`.
double tensor_energy(int m, const std::vector<std::string>& more = {},
                     const std::string& dtype = "fp16") {
  std::vector<std::string> all{
      "run",       "gemm:m=" + std::to_string(m) + ",n=64,k=64,dtype=" + dtype,
      "-m",        "lab-tiny",
      "--tile",    "64x64",
      "-f",        "json",
      "--no-files"};
  all.insert(all.end(), more.begin(), more.end());
  return EnergyJson::parse(tcsim(all).output)["energy"]["tensor_energy_j"].get<double>();
}

TEST_F(EnergyRun, TensorEnergyIsThatOfTheMultiplyAdds) {
  const double once = tensor_energy(64);
  EXPECT_GT(once, 0);
  EXPECT_DOUBLE_EQ(tensor_energy(128), 2 * once);
  EXPECT_DOUBLE_EQ(tensor_energy(320), 5 * once);
  EXPECT_DOUBLE_EQ(tensor_energy(1), once);  // padding is multiplied, too
  EXPECT_DOUBLE_EQ(tensor_energy(64, {}, "bf16"), once);
  EXPECT_DOUBLE_EQ(tensor_energy(64, {}, "tf32"), 2 * once);
}

/// Of equal tiles: an H100 draws equal power at twice the rate (tests/validation/own).
TEST_F(EnergyRun, AnFp8ProductTakesHalfTheTensorEnergyOfFp16) {
  const auto energy_of = [](const std::string& dtype) {
    const std::string gemm = "gemm:256,layout=nt,dtype=" + dtype;
    return EnergyJson::parse(tcsim({"run", gemm, "-m", "h100", "-f", "json", "--no-files"})
                                 .output)["energy"]["tensor_energy_j"]
        .get<double>();
  };
  EXPECT_DOUBLE_EQ(energy_of("fp16"), 2 * energy_of("e4m3"));
  EXPECT_DOUBLE_EQ(energy_of("fp16"), 2 * energy_of("e5m2"));
}

TEST_F(EnergyRun, TensorEnergyDoesNotDependOnHowLongAnMmaHoldsItsPipe) {
  const double once = tensor_energy(64);
  for (const char* change :
       {"sm.tensor.instructions.HMMA.16816.F32.min_interval_cycles=16", "sm.tensor.fp16_macs=64",
        "sm.tensor.fp16_macs=1024", "sm.tensor.same_warp_extra_cycles=5", "sm.tensor.core=4x4x4",
        "sm.tensor.core=16x16x16", "sm.tensor.operand_buffers=pass"})
    EXPECT_DOUBLE_EQ(tensor_energy(64, {"--set", change}), once) << change;
}

TEST_F(EnergyRun, AWordOfBytesCostsCudaCoresAsMuchAsANumber) {
  const auto vector_energy = [](const std::string& dtype) {
    const std::string result = tcsim({"run", "gemm:m=64,n=64,k=64,dtype=" + dtype, "--unit",
                                      "cuda-core", "-m", "lab-tiny", "-f", "json", "--no-files"})
                                   .output;
    return EnergyJson::parse(result)["energy"]["vector_energy_j"].get<double>();
  };
  EXPECT_GT(vector_energy("int8"), 0);
  EXPECT_DOUBLE_EQ(vector_energy("fp32"), 4 * vector_energy("int8"));
}

TEST_F(EnergyRun, ThePowerClockKeepsToTheLimitAndChangesNothingBelowIt) {
  for (const char* gemm :
       {"gemm:256", "gemm:512"}) {  // the clock of the second is tried on its start
    SCOPED_TRACE(gemm);
    const auto run = [gemm](const std::vector<std::string>& more) {
      std::vector<std::string> all{"run", gemm, "-m", "lab-tiny", "-f", "json", "--no-files"};
      all.insert(all.end(), more.begin(), more.end());
      return EnergyJson::parse(tcsim(all).output);
    };
    const EnergyJson boost = run({"--set", "energy.limit_w=2.5"});
    ASSERT_GT(boost["energy"]["power_w"].get<double>(), 3);
    const EnergyJson limited = run({"--set", "energy.limit_w=2.5", "--clock", "power"});
    EXPECT_LT(limited["clock_mhz"].get<int>(), boost["clock_mhz"].get<int>());
    EXPECT_GT(limited["time_us"].get<double>(), boost["time_us"].get<double>());
    EXPECT_LE(limited["energy"]["power_w"].get<double>(), 2.5);
    EXPECT_GE(limited["energy"]["power_w"].get<double>(), 0.98 * 2.5);
    for (const char* rate : {"peak_tflops", "attainable_tflops"}) expect_own(rate, limited, boost);
    const EnergyJson from_1300 =
        run({"--set", "energy.limit_w=2.5", "--set", "clocks.sm_mhz=1300", "--clock", "power"});
    EXPECT_LT(from_1300["clock_mhz"].get<int>(), 1300);
    const EnergyJson roomy = run({"--set", "energy.limit_w=1000", "--clock", "power"});
    EXPECT_EQ(roomy["cycles"], boost["cycles"]);
  }
}

TEST_F(EnergyRun, ARunAboveTheLimitOfItsBoardSaysSo) {
  const auto told = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "gemm:256", "-m", "lab-tiny", "--no-files"});
    return tcsim(more).output;
  };
  const char* const slower = "a real board would lower its clock: add --clock power to model that";
  EXPECT_THAT(told({"--set", "energy.limit_w=2.5"}), HasSubstr(slower));
  EXPECT_THAT(told({"--set", "energy.limit_w=2.5"}), HasSubstr(" W of 2.5 W"));
  EXPECT_THAT(told({"--set", "energy.limit_w=2.5", "--clock", "power"}),
              Not(HasSubstr("lower its clock")));
  EXPECT_THAT(told({"--set", "energy.limit_w=1000"}), Not(HasSubstr("lower its clock")));
}

TEST_F(EnergyRun, TheLoadClockKeepsTensorCoresToTheirRateAndNothingElse) {
  const std::vector<std::string> words{"run", "gemm:512", "-m", "lab-tiny", "--no-files"};
  const auto run = [&words](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return tcsim(more).output;
  };
  const auto json = [&run](std::vector<std::string> more) {
    more.insert(more.end(), {"-f", "json"});
    return EnergyJson::parse(run(more));
  };
  const auto tensor_mhz = [](const EnergyJson& result) {
    return result["tensor_fraction"].get<double>() * result["clock_mhz"].get<double>();
  };
  const EnergyJson boost = json({});
  const auto set = [](double mhz) { return "energy.tensor_mhz=" + std::to_string(mhz); };
  const std::string low = set(0.7 * tensor_mhz(boost));
  const EnergyJson loaded = json({"--set", low, "--clock", "load"});
  EXPECT_LE(tensor_mhz(loaded), 0.7 * tensor_mhz(boost));
  EXPECT_GE(tensor_mhz(loaded), 0.98 * 0.7 * tensor_mhz(boost));
  EXPECT_EQ(loaded["energy"]["clock_policy"], "load");
  EXPECT_EQ(json({"--set", set(1.1 * tensor_mhz(boost)), "--clock", "load"})["cycles"],
            boost["cycles"]);
  EXPECT_EQ(json({"--set", "energy.limit_w=2.5", "--clock", "load"})["cycles"], boost["cycles"]);
  EXPECT_EQ(json({"--set", low})["cycles"], boost["cycles"]);
  EXPECT_THAT(run({"--set", low}), HasSubstr("add --clock load"));
  EXPECT_THAT(run({"--set", low, "--clock", "load"}), Not(HasSubstr("add --clock load")));
}

TEST_F(EnergyRun, TheLoadClockCountsMultiplyAddsNotIssueSlots) {
  // mma.sync holds an H100's tensor pipe for six cycles where the peak would take four.
  std::vector<std::string> words{"run",    "gemm:m=256,n=256,k=256", "-m",         "h100",
                                 "--tile", "128x128x32_s4_w2x2",     "--set",      "gpu.sms=2",
                                 "--set",  "gpu.sms_per_gpc=[2]",    "--no-files", "-f",
                                 "json"};
  const EnergyJson plain = EnergyJson::parse(tcsim(words).output);
  const double issue = plain["issue_fraction"];
  const double share = plain["tensor_fraction"];
  EXPECT_NEAR(issue / share, 1.5, 1e-9);
  const double between_mhz = (issue + share) / 2 * plain["clock_mhz"].get<double>();
  words.insert(words.end(),
               {"--set", "energy.tensor_mhz=" + std::to_string(between_mhz), "--clock", "load"});
  EXPECT_EQ(EnergyJson::parse(tcsim(words).output)["cycles"], plain["cycles"]);
}

TEST_F(EnergyRun, ThePowerClockEndsAtOrBelowTheLimitWhateverRuns) {
  for (const char* workload :
       {"gemm:m=256,n=256,k=128", "gemm:m=512,n=512,k=64,dtype=int8", "gemm:m=64,n=64,k=2048",
        "gemm:m=128,n=128,k=512,dtype=tf32", "attn:heads=2,n=256,d=64"})
    for (const double limit_w : {1.7, 2.5, 3.2}) {
      SCOPED_TRACE(std::string(workload) + " at " + std::to_string(limit_w) + " W");
      const EnergyJson run =
          EnergyJson::parse(tcsim({"run", workload, "-m", "lab-tiny", "--set",
                                   "energy.limit_w=" + std::to_string(limit_w), "--clock", "power",
                                   "-f", "json", "--no-files"})
                                .output);
      EXPECT_LE(run["energy"]["power_w"].get<double>(), limit_w);
      if (run["clock_mhz"].get<int>() < 1410) {
        EXPECT_GE(run["energy"]["power_w"].get<double>(), 0.98 * limit_w);
      }
    }
}

TEST_F(EnergyRun, RefusesAPowerLimitThatNoClockKeepsTo) {
  const ChildResult result = tcsim({"run", "gemm:64", "-m", "lab-tiny", "--no-files", "--clock",
                                    "power", "--set", "energy.constant_w=6"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors,
              HasSubstr("no clock meets energy.limit_w = 5 W, because energy.constant_w = 6 W"));
}

TEST_F(EnergyRun, ConstantDataTakeLessEnergyAndTheSameTime) {
  const auto run = [](const char* data) {
    return EnergyJson::parse(
        tcsim({"run", "gemm:128", "-m", "lab-tiny", "--data", data, "-f", "json", "--no-files"})
            .output);
  };
  EXPECT_LT(run("constant")["energy"]["energy_j"].get<double>(),
            run("random")["energy"]["energy_j"].get<double>());
  EXPECT_EQ(run("constant")["cycles"], run("random")["cycles"]);
}

}  // namespace
}  // namespace tcsim::cli
