#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <vector>

#include "sim/errors/errors.hpp"
#include "tests/cli/tcsim_process.hpp"
#include "tests/sanitizers.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr const char* kDozenSpec =
    "name: dozen\n"
    "machines: [lab-tiny, {name: half, base: lab-tiny, set: {l2.bytes: 256 KiB}}]\n"
    "workloads: [\"gemm:m={n},n=64,k={k}\"]\n"
    "axes: {n: [32, 64, 96], k: [64, 128]}\n"
    "plots: [{kind: curves, name: c, x: n, y: tflops, series: k, where: {machine: half}}]\n";

class SweepCommand : public testing::Test {
 protected:
  static void write(const char* file, const std::string& text) { std::ofstream(file) << text; }
  static fs::path only_file(const fs::path& folder) {
    return fs::directory_iterator(folder)->path();
  }

  TemporaryHome home_;
};

TEST_F(SweepCommand, KillsAtTenMomentsDoNotChangeTheTable) {
  write("spec.yaml", kDozenSpec);
  const auto start = Clock::now();
  ASSERT_EQ(tcsim({"sweep", "run", "spec.yaml", "-o", "whole", "-j", "2", "-q"}).status, kDone);
  const auto whole = Clock::now() - start;
  std::mt19937 random(9);
  int killed = 0;
  for (int i = 0; i < 10; ++i) {
    const auto end = Clock::now() + whole * (random() % 90 + 5) / 1000;
    const ChildResult result = tcsim({"sweep", "run", "spec.yaml", "-o", "killed", "-j", "2", "-q"},
                                     [end] { return Clock::now() >= end ? SIGKILL : 0; });
    killed += result.signal == SIGKILL ? 1 : 0;
  }
  EXPECT_GE(killed, 5);
  EXPECT_EQ(tcsim({"sweep", "run", "spec.yaml", "-o", "killed", "-j", "2", "-q"}).status, kDone);
  EXPECT_FALSE(text_of("whole/sweep.csv").empty());
  EXPECT_EQ(text_of("whole/sweep.csv"), text_of("killed/sweep.csv"));
  for (const auto& entry : fs::recursive_directory_iterator("killed"))
    EXPECT_EQ(entry.path().string().find(".writing-"), std::string::npos) << entry.path();
}

constexpr const char* kNetworkSpec =
    "name: nets\n"
    "machines: [lab-tiny]\n"
    "workloads: [\"net:mine.yaml\"]\n"
    "axes: {batch: [1, 2], tokens: [16, 32], precision: [fp16, fp32]}\n"
    "options: {batch: \"{batch}\", tokens: \"{tokens}\", precision: \"{precision}\"}\n";

TEST_F(SweepCommand, RunsNetworksOverBatchTokensAndPrecision) {
  write("spec.yaml", kNetworkSpec);
  write("mine.yaml",
        "name: mine\ninput: {tokens: 8, c: 64}\nlayers:\n  - {name: l, op: linear, out: 64}\n");
  const ChildResult result = tcsim({"sweep", "run", "spec.yaml", "-o", "out", "-q"});
  ASSERT_EQ(result.status, kDone) << result.errors;
  std::istringstream table(text_of("out/totals.csv"));
  std::string header;
  std::getline(table, header);
  EXPECT_THAT(header, HasSubstr(",tokens_per_s"));
  EXPECT_THAT(header, testing::Not(HasSubstr("effective_machine")));
  int rows = 0;
  for (std::string line; std::getline(table, line); ++rows) EXPECT_THAT(line, HasSubstr(",yes,"));
  EXPECT_EQ(rows, 8);
  // A point is the run of the command line.
  const ChildResult run =
      tcsim({"run", "net:mine.yaml", "-m", "lab-tiny", "--batch", "2", "--tokens", "32",
             "--precision", "fp32", "--no-files", "-q", "-f", "json"});
  const std::string time = run.output.substr(run.output.find("\"time_us\": ") + 11, 8);
  EXPECT_THAT(text_of("out/totals.csv"), HasSubstr(time));
}

TEST_F(SweepCommand, ANetworkIsMeantByItsNameWhateverLiesBesideTheSpec) {
  fs::create_directories("of/lenet");
  write("of/spec.yaml", "name: named\nmachines: [lab-tiny]\nworkloads: [\"net:lenet\"]\n");
  const ChildResult result = tcsim({"sweep", "plan", "of/spec.yaml"});
  EXPECT_EQ(result.status, kDone) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("net:lenet "));
}

TEST_F(SweepCommand, CopiesNetworkFilesWhateverTheirEnding) {
  fs::create_directories("of");
  write("of/spec.yaml", "name: own\nmachines: [lab-tiny]\nworkloads: [\"net:mine.yml\"]\n");
  write("of/mine.yml",
        "name: mine\ninput: {tokens: 8, c: 64}\nlayers:\n  - {name: l, op: linear, out: 64}\n");
  const ChildResult result = tcsim({"sweep", "plan", "of/spec.yaml"});
  EXPECT_EQ(result.status, kDone) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("net:inputs/mine-"));
}

TEST_F(SweepCommand, RunsMachinesThatBuildOnOthersWithLibrariesOfTheirOwn) {
  write("lib.yaml", "base: cuda-cores\nname: mine\n");
  write("m1.yaml", "base: lab-tiny\nname: m1\nlibraries: [cublas-ampere, lib.yaml]\n");
  write("m2.yaml", "base: m1.yaml\nname: m2\n");
  write("spec.yaml",
        "name: own\nmachines: [./m2.yaml]\nworkloads: [\"gemm:m=32,n=32,k=32,dtype=fp32\", "
        "\"net:mine.yaml\"]\noptions: {clock: power}\n");
  write("mine.yaml",
        "name: mine\ninput: {tokens: 8, c: 64}\nlayers:\n  - {name: l, op: linear, out: 64}\n");
  const ChildResult result = tcsim({"sweep", "run", "spec.yaml", "-o", "out", "-q"});
  EXPECT_EQ(result.status, kDone) << result.errors;
  EXPECT_THAT(text_of("out/sweep.csv"), testing::Not(HasSubstr("machine_hash")));
}

TEST_F(SweepCommand, RefusesOptionsOfNetworksForOthersAndUnknownNetworks) {
  write("spec.yaml",
        "name: wrong\nmachines: [lab-tiny]\nworkloads: [\"gemm:64\", \"net:lenett\"]\n"
        "options: {batch: 2}\n");
  const ChildResult result = tcsim({"sweep", "plan", "spec.yaml"});
  EXPECT_EQ(result.status, kUserMistake);
  EXPECT_THAT(result.errors, HasSubstr("spec.yaml:4:18: options.batch: belongs to networks"));
  EXPECT_THAT(result.errors, HasSubstr("spec.yaml:3:24: workloads: "));
  EXPECT_THAT(result.errors, HasSubstr("lenet"));
}

TEST_F(SweepCommand, ShardsGiveTheBytesOfTheLocalEngine) {
  write("spec.yaml", kDozenSpec);
  tcsim({"sweep", "run", "spec.yaml", "-o", "whole", "-q"});
  const ChildResult lines =
      tcsim({"sweep", "submit", "spec.yaml", "-o", "parts", "--engine", "print", "--tasks", "3"});
  EXPECT_THAT(lines.output, HasSubstr(" sweep work "));
  for (const char* shard : {"2/3", "0/3", "1/3"})
    EXPECT_EQ(tcsim({"sweep", "work", "parts", "--shard", shard, "-q"}).status, kDone);
  EXPECT_EQ(tcsim({"sweep", "collect", "parts"}).status, kDone);
  EXPECT_EQ(text_of("whole/sweep.csv"), text_of("parts/sweep.csv"));
  EXPECT_EQ(text_of("whole/totals.csv"), text_of("parts/totals.csv"));
  EXPECT_EQ(text_of("whole/plots/c.svg"), text_of("parts/plots/c.svg"));
}

// The folder's name has a space, which hints quote.
TEST_F(SweepCommand, TasksOfASecondSubmissionDivideWhatIsLeft) {
  write("spec.yaml", kDozenSpec);
  const auto submit = [] {
    return tcsim(
        {"sweep", "submit", "spec.yaml", "-o", "a b", "--engine", "print", "--tasks", "3"});
  };
  const auto work = [](const char* shard) {
    EXPECT_EQ(tcsim({"sweep", "work", "a b", "--shard", shard, "-q"}).status, kDone);
  };
  submit();
  work("0/3");
  work("1/3");
  submit();
  const auto done = [] {
    return std::distance(fs::directory_iterator("a b/points"), fs::directory_iterator());
  };
  work("0/3");
  EXPECT_EQ(done(), 10);
  work("1/3");
  EXPECT_EQ(done(), 11);
  work("2/3");
  EXPECT_EQ(done(), 12);
  EXPECT_EQ(submit().output, "no point is open; run tcsim sweep collect 'a b'\n");
  EXPECT_THAT(tcsim({"sweep", "status", "c d"}).errors, HasSubstr("SPEC.yaml -o 'c d'"));
}

TEST_F(SweepCommand, NoTaskIsWithoutAPoint) {
  write("spec.yaml", kDozenSpec);
  const ChildResult lines =
      tcsim({"sweep", "submit", "spec.yaml", "-o", "s", "--engine", "print", "--tasks", "13"});
  EXPECT_EQ(lines.status, kDone);
  EXPECT_EQ(
      lines.errors,
      "tcsim sweep submit: --tasks 13: more than the open points of the sweep; taken as 12\n");
  EXPECT_EQ(std::ranges::count(lines.output, '\n'), 12);
  EXPECT_THAT(lines.output, HasSubstr(" --shard 11/12\n"));
}

TEST_F(SweepCommand, ADamagedResultIsRunAgain) {
  write("spec.yaml", kDozenSpec);
  tcsim({"sweep", "run", "spec.yaml", "-o", "s", "-q"});
  const std::string before = text_of("s/sweep.csv");
  fs::resize_file(only_file("s/points"), 100);
  EXPECT_THAT(tcsim({"sweep", "status", "s"}).output,
              HasSubstr("\n1 damaged result file: open again\n"));
  const ChildResult again = tcsim({"sweep", "run", "spec.yaml", "-o", "s"});
  EXPECT_THAT(again.errors, HasSubstr("[1/1]"));
  EXPECT_THAT(again.errors, HasSubstr("1 damaged result file: run again\n"));
  EXPECT_EQ(text_of("s/sweep.csv"), before);
}

TEST_F(SweepCommand, ValuesAreThoseOfTheOperandsAskedFor) {
  write("spec.yaml",
        "name: v\nmachines: [lab-tiny]\nworkloads: [\"gemm:m=64,n=64,k=256,out=fp32\"]\n"
        "axes: {operands: [uniform, wide], draw: [1, 2]}\n"
        "options: {values: true, inputs: \"{operands}\", seed: \"{draw}\"}\n");
  const ChildResult result = tcsim({"sweep", "run", "spec.yaml", "-o", "s", "-q"});
  ASSERT_EQ(result.status, 0) << result.errors;
  std::istringstream table(text_of("s/sweep.csv"));
  std::string line;
  std::getline(table, line);
  const auto fields = [](const std::string& row) {
    std::vector<std::string> all{""};
    bool is_quoted = false;
    for (const char c : row) {
      if (c == '"')
        is_quoted = !is_quoted;
      else if (c == ',' && !is_quoted)
        all.emplace_back();
      else
        all.back() += c;
    }
    return all;
  };
  const auto names = fields(line);
  const auto error = std::ranges::find(names, "values.error.norm_bits") - names.begin();
  const auto gates = std::ranges::find(names, "core_gates") - names.begin();
  ASSERT_LT(std::max(error, gates), std::ssize(names)) << line;
  std::vector<double> bits;
  while (std::getline(table, line)) {
    bits.push_back(std::stod(fields(line).at(error)));
    EXPECT_GT(std::stod(fields(line).at(gates)), 0);
  }
  ASSERT_EQ(bits.size(), 4);
  EXPECT_NE(bits[0], bits[1]) << "the seed changes the operands";
  EXPECT_LT(bits[2], bits[0]) << "operands over many binades lose more of their sums";
}

TEST_F(SweepCommand, AFailedPointIsARowWithTheCommandThatRepeatsIt) {
  write("spec.yaml",
        "name: f\nmachines: [lab-tiny, v100]\nworkloads: [\"gemm:64\"]\noptions: {tile: 64x64x64}\n"
        "plots: [{kind: pareto, name: p, x: time_us, y: tflops, where: {machine: v100}}]\n");
  const ChildResult result = tcsim({"sweep", "run", "spec.yaml", "-o", "s", "-q"});
  EXPECT_EQ(result.status, kCheckFailed);
  EXPECT_THAT(result.errors, HasSubstr("machine=v100 workload=gemm:64: failed: status 2: "));
  EXPECT_THAT(result.errors, HasSubstr("plots: p: no configuration with a result to draw\n"));
  EXPECT_THAT(result.errors, HasSubstr("  repeat: cd s && bin/tcsim-"));
  EXPECT_THAT(text_of("s/sweep.csv"), HasSubstr(",failed,"));
  EXPECT_EQ(tcsim({"plot", "s"}).status, kCheckFailed);
  EXPECT_THAT(tcsim({"plot", "s", "-o", "x.svg"}).errors, HasSubstr("--out: has no effect on"));
  EXPECT_THAT(tcsim({"sweep", "status", "s"}).output, HasSubstr("1 of 2 points done, 1 failed"));
}

/// The process that works in `folder`, a running point; 0 if there is none.
int process_in(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::error_code gone;
    if (fs::read_symlink(entry.path() / "cwd", gone) == folder && !gone) return std::stoi(name);
  }
  return 0;
}

TEST_F(SweepCommand, OneKilledPointIsOneRowAndTheRestGoesOn) {
  write("spec.yaml",
        "name: k\nmachines: [lab-tiny]\nworkloads: [\"gemm:m={n},n={n},k=64\"]\n"
        "axes: {n: [1024, 32, 64]}\n");
  int killed = 0;
  const ChildResult result = tcsim({"sweep", "run", "spec.yaml", "-o", "s", "-j", "1", "-q"}, [&] {
    if (killed == 0) killed = process_in(fs::absolute("s"));
    if (killed > 0) ::kill(killed, SIGKILL);
    return 0;
  });
  ASSERT_GT(killed, 0);
  EXPECT_EQ(result.status, kCheckFailed);
  EXPECT_THAT(result.errors, HasSubstr("n=1024: crashed: ended by signal 9"));
  EXPECT_THAT(tcsim({"sweep", "status", "s"}).output,
              HasSubstr("2 of 3 points done, 1 crashed or over a limit"));
  EXPECT_EQ(tcsim({"sweep", "run", "spec.yaml", "-o", "s", "-q", "--retry-crashed"}).status, kDone);
}

TEST_F(SweepCommand, TheStatusNamesWhatRuns) {
  write("spec.yaml", "name: r\nmachines: [lab-tiny]\nworkloads: [\"gemm:8192\"]\n");
  std::string status;
  tcsim({"sweep", "run", "spec.yaml", "-o", "s", "-q"}, [&] {
    if (process_in(fs::absolute("s")) == 0) return 0;
    status = tcsim({"sweep", "status", "s"}).output;  // it has the mark right after its start
    return status.find("running") == std::string::npos ? 0 : SIGINT;
  });
  EXPECT_THAT(status, HasSubstr("0 of 1 point done, 1 open"));
  EXPECT_THAT(status, HasSubstr("1 of them running"));
  EXPECT_THAT(status, HasSubstr(" s: point 1 machine=lab-tiny"));
  EXPECT_THAT(tcsim({"sweep", "status", "s"}).output, testing::Not(HasSubstr("running")));
}

TEST_F(SweepCommand, HangsAndMemoryEndAtTheLimitsOfThePoint) {
  write("slow.yaml",
        "name: t\nmachines: [lab-tiny]\nworkloads: [\"gemm:{n}\"]\naxes: {n: [8192, 32]}\n"
        "limits: {time_s: 1}\n");
  const ChildResult slow = tcsim({"sweep", "run", "slow.yaml", "-o", "slow", "-q"});
  EXPECT_EQ(slow.status, kCheckFailed);
  EXPECT_THAT(slow.errors, HasSubstr("n=8192: time limit: took longer than 1 s"));
  EXPECT_THAT(text_of("slow/sweep.csv"), HasSubstr(",done,"));
  if (kHasAddressSanitizer) return;
  write("large.yaml",
        "name: m\nmachines: [v100]\nworkloads: [\"gemm:64\"]\nlimits: {memory_mib: 24}\n");
  const ChildResult large = tcsim({"sweep", "run", "large.yaml", "-o", "large", "-q"});
  EXPECT_EQ(large.status, kCheckFailed);
  EXPECT_THAT(large.errors, HasSubstr("memory limit: needs more than 24 MiB"));
}

TEST_F(SweepCommand, AFullDiskEndsTheWorkAndTheNextRunGoesOn) {
  const std::string mount = "mount -t tmpfs -o size=16k tmpfs ";
  if (command({"/usr/bin/unshare", "-rm", "/bin/sh", "-c", mount + "/mnt"}).status != 0)
    GTEST_SKIP()
        << "this host allows no mount in a user namespace: a container needs CAP_SYS_ADMIN, "
           "a kernel user.max_user_namespaces above 0";
  write("spec.yaml", kDozenSpec);
  tcsim({"sweep", "run", "spec.yaml", "-o", "whole", "-q"});
  tcsim({"sweep", "submit", "spec.yaml", "-o", "s", "--engine", "print"});
  tcsim({"sweep", "work", "s", "--shard", "0/3", "-q"});
  const std::string work = mount + "s/points && exec \"$0\" sweep work s -q";
  const ChildResult full = command({"/usr/bin/unshare", "-rm", "/bin/sh", "-c", work, program()});
  EXPECT_EQ(full.status, kFileTrouble);
  EXPECT_THAT(full.errors, HasSubstr(".json: cannot write: No space left on device"));
  EXPECT_THAT(tcsim({"sweep", "status", "s"}).output, HasSubstr("4 of 12 points done, 8 open"));
  tcsim({"sweep", "run", "spec.yaml", "-o", "s", "-q"});
  EXPECT_EQ(text_of("whole/sweep.csv"), text_of("s/sweep.csv"));
}

TEST_F(SweepCommand, ASecondSweepInTheFolderIsRefused) {
  write("spec.yaml", "name: long\nmachines: [lab-tiny]\nworkloads: [\"gemm:8192\"]\n");
  write("other.yaml", "name: other\nmachines: [lab-tiny]\nworkloads: [\"gemm:64\"]\n");
  ChildResult second;
  ChildResult other;
  tcsim({"sweep", "run", "spec.yaml", "-o", "s", "-q"}, [&] {
    if (process_in(fs::absolute("s")) == 0) return 0;
    second = tcsim({"sweep", "run", "spec.yaml", "-o", "s"});
    return SIGINT;
  });
  EXPECT_EQ(second.status, kUserMistake);
  EXPECT_THAT(second.errors, HasSubstr("s: another tcsim sweep works in this folder"));
  other = tcsim({"sweep", "run", "other.yaml", "-o", "s"});
  EXPECT_EQ(other.status, kUserMistake);
  EXPECT_THAT(other.errors, HasSubstr("s: holds the sweep 'long', not 'other'"));
}

TEST_F(SweepCommand, ACopyOfTheProgramReplacedUnderWayRunsNothing) {
  write("spec.yaml",
        "name: p\nmachines: [lab-tiny]\nworkloads: [\"gemm:m={n},n={n},k=64\"]\n"
        "axes: {n: [512, 32, 64, 96]}\n");
  bool replaced = false;
  const ChildResult result = tcsim({"sweep", "run", "spec.yaml", "-o", "s", "-j", "1", "-q"}, [&] {
    if (!replaced && process_in(fs::absolute("s")) != 0) {
      const fs::path binary = only_file("s/bin");
      write("impostor", "#!/bin/sh\necho '{\"time_us\": 1}'\n");
      fs::permissions("impostor", fs::perms::owner_all);
      fs::rename("impostor", binary);
      replaced = true;
    }
    return 0;
  });
  EXPECT_TRUE(replaced);
  EXPECT_EQ(result.status, kDone) << result.errors;
  EXPECT_EQ(tcsim({"sweep", "run", "spec.yaml", "-o", "s", "-q"}).status, kDone);
  EXPECT_GT(fs::file_size(only_file("s/bin")), 1000U);  // the copy is put back
}

TEST_F(SweepCommand, MistakesHaveTheStatusesOfTheHouse) {
  write("bad.yaml", "name: b\nmachines: [v10]\nworkloads: [\"gemm:64\"]\n");
  const ChildResult bad = tcsim({"sweep", "plan", "bad.yaml"});
  EXPECT_EQ(bad.status, kUserMistake);
  EXPECT_THAT(bad.errors, HasSubstr("bad.yaml:2:12: machines: "));
  EXPECT_THAT(bad.errors, HasSubstr("did you mean \"v100\"?"));
  EXPECT_EQ(tcsim({"sweep", "plan", "none.yaml"}).status, kFileTrouble);
  EXPECT_EQ(tcsim({"sweep", "work", "nowhere"}).status, kUserMistake);
  EXPECT_FALSE(fs::exists("nowhere"));
  write("spec.yaml", kDozenSpec);
  EXPECT_EQ(tcsim({"sweep", "submit", "spec.yaml", "-o", "s", "--engine", "pbs"}).status,
            kUserMistake);
  EXPECT_EQ(tcsim({"sweep", "submit", "spec.yaml", "-o", "s", "--engine", "print"}).status, kDone);
  EXPECT_EQ(tcsim({"sweep", "work", "s", "--shard", "3/3"}).status, kUserMistake);
}

TEST_F(SweepCommand, ThePlanTellsTimeAndMemoryAndTheStatusTellsWhatIsLeft) {
  write("spec.yaml", kDozenSpec);
  EXPECT_THAT(tcsim({"sweep", "plan", "spec.yaml"}).output,
              testing::ContainsRegex("sweep dozen: 12 points, about [0-9.]+ s in one process "
                                     "\\([0-9.]+ s with fidelity sampled\\), up to [0-9]+ MiB\n"));
  EXPECT_THAT(tcsim({"sweep", "plan", "spec.yaml", "-f", "json"}).output,
              testing::ContainsRegex("\"expected\": \\{\n *\"s\": "));
  tcsim({"sweep", "submit", "spec.yaml", "-o", "s", "--engine", "print"});
  EXPECT_THAT(tcsim({"sweep", "status", "s"}).output,
              testing::ContainsRegex("12 open \\(about [0-9.]+ s in one process\\)"));
}

TEST_F(SweepCommand, EveryShippedStudyHasAPlan) {
  int studies = 0;
  for (const auto& entry : fs::directory_iterator(TC_STUDIES)) {
    if (entry.path().extension() != ".yaml") continue;
    ++studies;
    const ChildResult result = tcsim({"sweep", "plan", entry.path().string()});
    EXPECT_EQ(result.status, kDone) << entry.path() << result.errors;
  }
  EXPECT_GE(studies, 6);
}

}  // namespace
}  // namespace tcsim::cli
