#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

/// Two small runs of the same product, on a machine and on one with slower DRAM.
class StoredRuns : public ::testing::Test {
 protected:
  StoredRuns() {
    run({"run", "gemm:128", "-m", "lab-tiny", "-o", "fast", "-q"});
    run({"run", "gemm:128", "-m", "lab-tiny", "-o", "slow", "-q", "--set",
         "clocks.memory_mhz=300"});
  }
  static std::string run(std::vector<std::string> words) {
    const ChildResult result = tcsim(std::move(words));
    EXPECT_EQ(result.status, 0) << result.errors;
    return result.output;
  }
  static ChildResult refused(std::vector<std::string> words, int status) {
    ChildResult result = tcsim(std::move(words));
    EXPECT_EQ(result.status, status) << result.output;
    EXPECT_EQ(result.output, "");
    return result;
  }
  static void write_list() {
    std::ofstream("list.csv") << "op,dtype_in,dtype_acc,params\n"
                                 "gemm,fp16,fp32,m=64;n=64;k=64;layout=nn\n"
                                 "gemm,fp16,fp32,m=128;n=128;k=128;layout=nn\n";
    run({"run", "csv:list.csv", "-m", "lab-tiny", "-o", "list", "-q"});
  }

  TemporaryHome home_;
};

TEST_F(StoredRuns, AreShownWithoutSimulatingAgain) {
  const std::string text = run({"show", "fast"});
  EXPECT_THAT(text, StartsWith("gemm 128x128x128 fp16->fp32 NT on lab-tiny\n\nVerdict\n=======\n"));
  EXPECT_THAT(text, HasSubstr("\nGlossary\n"));
  EXPECT_EQ(text, run({"show", "fast"}));
}

TEST_F(StoredRuns, ShowOneSectionInEveryFormat) {
  const std::string text = run({"show", "fast", "--section", "memory"});
  EXPECT_THAT(text, HasSubstr("least possible"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("Glossary")));
  const Json json = Json::parse(run({"show", "fast", "--section", "memory", "-f", "json"}));
  ASSERT_EQ(json["sections"].size(), 1U);
  EXPECT_EQ(json["sections"][0]["id"], "memory");
  EXPECT_THAT(run({"show", "fast", "--section", "memory", "-f", "csv"}),
              StartsWith("run,section,table,row,column,value\nfast,memory,1,"));
  EXPECT_THAT(run({"show", "fast", "--section", "memory", "-f", "md"}), HasSubstr("## Memory"));
}

TEST_F(StoredRuns, ShowThePageThatTheRunWrote) {
  EXPECT_EQ(run({"show", "fast", "-f", "html"}), text_of("fast/report.html"));
  EXPECT_EQ(run({"show", "fast", "-f", "md"}), text_of("fast/report.md"));
}

TEST_F(StoredRuns, AreNamedInMistakes) {
  EXPECT_THAT(refused({"show", "fast", "--section", "memry"}, 2).errors,
              HasSubstr("'memry' is not one of verdict"));
  EXPECT_THAT(refused({"show", "fast", "--section", "memry"}, 2).errors,
              HasSubstr("did you mean \"memory\"?"));
  EXPECT_THAT(refused({"show", "nowhere"}, 5).errors,
              HasSubstr("nowhere: there is no such directory or file"));
  EXPECT_THAT(refused({"show", "fast/stats.json"}, 5).errors,
              HasSubstr("fast/stats.json: is not the directory of a run"));
  EXPECT_THAT(refused({"show"}, 2).errors, HasSubstr("which run?"));
  EXPECT_THAT(refused({"compare", "fast"}, 2).errors, HasSubstr("two or more runs"));
}

TEST_F(StoredRuns, AreComparedWithTheWholeDifferenceExplained) {
  const std::string text = run({"compare", "fast", "slow"});
  EXPECT_THAT(text, HasSubstr("clocks.memory_mhz"));
  EXPECT_THAT(text, HasSubstr("slow takes"));
  const Json json = Json::parse(run({"compare", "fast", "slow", "-f", "json"}));
  const Json& rows = json["sections"][1]["tables"][0]["rows"];
  double sum = 0;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) sum += rows[i][3].get<double>();
  const Json fast = Json::parse(text_of("fast/stats.json"));
  const Json slow = Json::parse(text_of("slow/stats.json"));
  const double difference = slow["metrics"]["time_us"]["value"].get<double>() -
                            fast["metrics"]["time_us"]["value"].get<double>();
  EXPECT_GT(difference, 0);
  EXPECT_NEAR(sum, difference, 1e-9);
}

TEST_F(StoredRuns, KeepTheSumsOfTheirActivity) {
  const Json stats = Json::parse(text_of("fast/stats.json"));
  const Json& activity = stats["activity"];
  EXPECT_EQ(activity["cycle"].back(), stats["cycles"]);
  EXPECT_EQ(activity["resident_warps"].back(), 0);
  EXPECT_EQ(activity["dram_read_bytes"].back(), stats["metrics"]["dram_read_bytes"]["value"]);
  EXPECT_EQ(activity["l2_read_bytes"].back(), stats["metrics"]["l2_read_bytes"]["value"]);
  EXPECT_EQ(stats["kernels"][0]["dram_read_bytes"], stats["metrics"]["dram_read_bytes"]["value"]);
  EXPECT_EQ(stats["facts"]["minimum_read_bytes"]["value"], 2 * 128 * 128 * 2);
  EXPECT_EQ(stats["facts"]["minimum_write_bytes"]["value"], 128 * 128 * 2);
}

TEST_F(StoredRuns, OfAListHaveAReportWithARowEach) {
  write_list();
  EXPECT_THAT(text_of("list/report.html"), HasSubstr("href=\"rows/0002-lab-tiny/report.html\""));
  EXPECT_TRUE(fs::exists("list/rows/0002-lab-tiny/report.html"));
  EXPECT_EQ(run({"show", "list", "-f", "html"}), text_of("list/report.html"));
  EXPECT_THAT(run({"compare", "list", "list"}), HasSubstr("1.000 times as fast"));
  EXPECT_THAT(refused({"compare", "list", "fast"}, 2).errors, HasSubstr("cannot be compared"));
}

TEST_F(StoredRuns, AreDrawn) {
  EXPECT_EQ(run({"plot", "fast", "--kind", "roofline", "-o", "roofline.svg"}), "roofline.svg\n");
  EXPECT_THAT(text_of("roofline.svg"), HasSubstr("class=\"ceiling\""));
  EXPECT_THAT(run({"plot", "fast", "--kind", "stalls"}), StartsWith("<svg"));
  EXPECT_THAT(run({"plot", "fast", "--kind", "roofline", "--ascii"}), HasSubstr("A this run"));
  EXPECT_EQ(run({"plot", "fast", "--kind", "stalls", "--ascii"}),
            run({"plot", "fast", "--kind", "stalls", "--plot", "ascii"}));
}

TEST_F(StoredRuns, AreNotDrawnWithOptionsThatTheirKindDoesNotRead) {
  EXPECT_EQ(refused({"plot", "fast", "--kind", "stalls", "-m", "v100", "-o", "x.svg"}, 2).errors,
            "tcsim plot: --machine: has no effect on stalls\n");
  EXPECT_FALSE(fs::exists("x.svg"));
}

TEST_F(StoredRuns, AreDrawnWithTheirMachineAndItsChanges) {
  for (const char* kind : {"roofline", "stalls", "timeline"})
    EXPECT_THAT(run({"plot", "slow", "--kind", kind}),
                HasSubstr(">lab-tiny, clocks.memory_mhz=300</text>"))
        << kind;
}

TEST_F(StoredRuns, OfAListAreDrawn) {
  write_list();
  EXPECT_THAT(run({"plot", "list", "--kind", "flops-vs-n"}), HasSubstr("TFLOPS against N"));
  EXPECT_THAT(run({"plot", "list/rows.csv", "--kind", "heatmap", "--x", "n", "--y", "machine",
                   "--value", "time_us"}),
              HasSubstr("<title>time us</title>"));
  EXPECT_THAT(refused({"plot", "list", "--kind", "heatmap", "--x", "machine", "--y", "machine",
                       "--value", "time_us"},
                      2)
                  .errors,
              HasSubstr("(tcsim plot: --where COLUMN=VALUE)"));
  EXPECT_THAT(run({"plot", "list", "--kind", "heatmap", "--x", "machine", "--y", "machine",
                   "--value", "time_us", "--where", "n=128"}),
              HasSubstr("<title>time us</title>"));
  EXPECT_THAT(refused({"plot", "list", "--kind", "flops-vs-n", "--where", "128"}, 2).errors,
              HasSubstr("--where: '128' is not COLUMN=VALUE"));
  EXPECT_THAT(run({"plot", "list", "--kind", "roofline", "--ascii"}), HasSubstr("  B gemm 128"));
  EXPECT_THAT(refused({"plot", "list", "--kind", "speedup"}, 2).errors,
              HasSubstr("'machine' has only one value, so there is nothing to compare"));
}

TEST_F(StoredRuns, OfAListHaveTheCeilingOfEachUnitAndFormat) {
  std::ofstream("mixed.csv") << "op,dtype_in,dtype_acc,params\n"
                                "gemm,fp32,fp32,m=64;n=64;k=64\n"
                                "gemm,fp16,fp32,m=64;n=64;k=64\n";
  run({"run", "csv:mixed.csv", "-m", "lab-tiny", "-o", "mixed", "-q"});
  const std::string text = run({"plot", "mixed", "--kind", "roofline", "--ascii"});
  EXPECT_THAT(text, HasSubstr("- CUDA cores fp32:"));
  EXPECT_THAT(text, HasSubstr("- tensor fp16:"));
}

TEST_F(StoredRuns, ThatWereChangedAreRefusedByEveryCommand) {
  Json stats = Json::parse(text_of("fast/stats.json"));
  stats["facts"]["peak_tflops"]["value"] = 0;
  std::ofstream("fast/stats.json") << stats.dump(2);
  const std::vector<std::vector<std::string>> commands{{"show", "fast"},
                                                       {"compare", "fast", "slow"},
                                                       {"compare", "slow", "fast"},
                                                       {"plot", "fast", "--kind", "roofline"},
                                                       {"timeline", "fast"}};
  for (const auto& command : commands)
    EXPECT_THAT(refused(command, 2).errors,
                StartsWith("fast/stats.json: was changed since it was written"));
  Json manifest = Json::parse(text_of("fast/manifest.json"));
  manifest.erase("checksum");  // as a tcsim without checksums would have written it
  std::ofstream("fast/manifest.json") << manifest.dump(2);
  EXPECT_THAT(refused({"plot", "fast", "--kind", "roofline"}, 2).errors,
              StartsWith("fast/stats.json: facts.peak_tflops.value: expected a number from"));
  std::ofstream("fast/stats.json") << std::string(80'000, '[');
  for (const auto& command : commands)
    EXPECT_THAT(refused(command, 2).errors,
                StartsWith("fast/stats.json:1:65: nested deeper than 64 levels"));
}

TEST_F(StoredRuns, CannotBeDrawnAsNobodyKnows) {
  EXPECT_THAT(refused({"plot", "fast"}, 2).errors, HasSubstr("which plot? Add --kind"));
  for (const char* kind : {"", "roofline", "speedup"}) {
    std::vector<std::string> words{"plot", "none"};
    if (*kind != 0) words.insert(words.end(), {"--kind", kind});
    EXPECT_EQ(refused(words, 5).errors, "none: there is no such directory or file\n") << kind;
  }
  EXPECT_EQ(refused({"plot", "rofline"}, 5).errors,
            "rofline: there is no such directory or file; the kind of a plot is an option: --kind "
            "roofline\n");
  EXPECT_THAT(refused({"plot", "fast", "--kind", "rofline"}, 2).errors,
              HasSubstr("did you mean \"roofline\"?"));
  EXPECT_THAT(refused({"plot", "fast", "--kind", "speedup"}, 5).errors,
              HasSubstr("holds no table of results"));
  EXPECT_THAT(refused({"plot", "fast/stats.csv", "--kind", "roofline"}, 2).errors,
              HasSubstr("needs the directory of a run"));
  EXPECT_THAT(refused({"plot", "fast", "--kind", "stalls", "--plot", "txt"}, 2).errors,
              HasSubstr("'txt' is not one of svg, ascii"));
}

TEST(MetricsCommand, ExplainsANameDownToItsCounters) {
  const ChildResult result = tcsim({"metrics", "pipe_active"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, StartsWith("pipe_active  metric, unit 1\n"));
  EXPECT_THAT(result.output, HasSubstr("sub_core.tensor_busy_cycles"));
}

TEST(MetricsCommand, NamesTheNearestForATypo) {
  const ChildResult result = tcsim({"metrics", "pipe_activ"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors,
            "tcsim metrics: no metric 'pipe_activ'; did you mean \"pipe_active\"?\n");
}

void expect_counters(const std::string& all, const Json& scopes) {
  for (const auto& [scope, entry] : scopes.items()) {
    EXPECT_THAT(all, HasSubstr("\n" + scope + ".instances,"));
    for (const auto& [name, counter] : entry["counters"].items())
      EXPECT_THAT(all, HasSubstr("\n" + scope + "." + name + ","));
    expect_counters(all, entry["children"]);
  }
}

TEST(MetricsCommand, HoldsEveryNumberOfARun) {
  const TemporaryHome home;
  const std::string all = tcsim({"metrics", "-f", "csv"}).output;
  for (const char* machine : {"lab-tiny", "h100"}) {
    ASSERT_EQ(tcsim({"run", "gemm:64", "-m", machine, "-o", machine, "-q"}).status, 0);
    const Json stats = Json::parse(text_of(std::string(machine) + "/stats.json"));
    for (const char* group : {"metrics", "facts"})
      for (const auto& [name, entry] : stats[group].items())
        EXPECT_THAT(all, HasSubstr("\n" + name + ","));
    expect_counters(all, stats["counters"]);
  }
}

TEST(MetricsCommand, PrintsTheReferenceOfTheDocumentation) {
  const std::string all = tcsim({"metrics", "-f", "md"}).output;
  EXPECT_THAT(text_of(TCSIM_DOCS "/metrics.md"), HasSubstr(all))
      << "docs/metrics.md is old; write its table anew: tcsim metrics -f md";
}

}  // namespace
}  // namespace tcsim::cli
