#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

/// Each test runs in an empty directory of its own. lab-tiny has one SM, so runs take milliseconds.
class Run : public ::testing::Test {
 protected:
  static Json json_of(const fs::path& path) { return Json::parse(text_of(path)); }

  TemporaryHome home_;
};

TEST_F(Run, PrintsOneScreenAndWritesTheFiles) {
  const ChildResult result = tcsim({"run", "gemm:128", "-m", "lab-tiny"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_THAT(result.output, StartsWith("gemm 128x128x128 fp16->fp32"));
  EXPECT_THAT(result.output, HasSubstr("= 100.0 %"));
  EXPECT_THAT(result.output,
              HasSubstr("\nrun-0001/  report.html  report.md  stats.json  stats.csv  kernels.csv  "
                        "manifest.json\n"));
  for (const char* file :
       {"manifest.json", "stats.json", "stats.csv", "kernels.csv", "report.html", "report.md"}) {
    EXPECT_TRUE(fs::exists(fs::path("run-0001") / file)) << file;
  }
  EXPECT_EQ(std::distance(fs::directory_iterator("run-0001"), fs::directory_iterator()), 6);
  EXPECT_EQ(json_of("run-0001/manifest.json")["complete"], true);
}

TEST_F(Run, ThePeaksOfTheMachineAreThoseOfTheRun) {
  ASSERT_EQ(tcsim({"run", "gemm:64", "-m", "h100", "--set", "gpu.sms=2", "--set",
                   "gpu.sms_per_gpc=[2]", "-o", "out", "-q"})
                .status,
            0);
  const Json stats = json_of("out/stats.json");
  EXPECT_EQ(stats["machine_card"]["published_tensor_mhz"], 1830);
  int compared = 0;
  for (const Json& rate : stats["machine_card"]["rates"]) {
    if (rate["unit"] != "tensor" || rate["dtype"] != "fp16" || rate["acc"] != "fp32" ||
        rate["sparse"] != false)
      continue;
    ++compared;
    EXPECT_DOUBLE_EQ(rate["tera_ops_per_s"].get<double>(),
                     stats["facts"]["peak_tflops"]["value"].get<double>());
  }
  EXPECT_EQ(compared, 1);
}

TEST_F(Run, SaysHowManyCtasHaveNoTile) {
  const auto told = [](const char* workload) {
    return tcsim({"run", workload, "-m", "lab-tiny", "--tile", "64x64", "--no-files"}).output;
  };
  EXPECT_THAT(told("gemm:m=64,n=960,k=64"), HasSubstr("no tile and end at once: 1\n"));
  EXPECT_THAT(told("gemm:m=64,n=1024,k=64"), Not(HasSubstr("no tile")));
}

TEST_F(Run, TakesATileThatFitsWhereNoneOfTheMenuDoes) {
  const auto with_tile = [](const char* tile) {
    return tcsim({"run", "gemm:128", "-m", "lab-tiny", "--set",
                  "sm.shared_memory.max_bytes_per_cta=32768", "--tile", tile, "--no-files", "-q"});
  };
  const ChildResult result = with_tile("32x32x32_s2_w2x2");
  EXPECT_EQ(result.status, 0) << result.errors;
  const ChildResult large = with_tile("128x128x32_s3_w4x2");
  EXPECT_EQ(large.status, 3);
  EXPECT_THAT(large.errors, HasSubstr("tile '128x128x32_s3_w4x2': needs 49152 bytes of shared"));
}

TEST_F(Run, TellsWhatItWouldTakeAndSimulatesNothing) {
  const ChildResult text = tcsim({"run", "gemm:128", "-m", "lab-tiny", "--dry-run", "-j", "1"});
  EXPECT_EQ(text.status, 0) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("gemm 128x128x128 fp16->fp32"));
  EXPECT_THAT(text.output, HasSubstr("nothing was simulated; "));
  EXPECT_THAT(text.output, HasSubstr(" with --fidelity sampled; as requested, "));
  EXPECT_THAT(text.output,
              testing::ContainsRegex("of wall time with 1 thread, and [0-9]+ MiB of memory\n"));
  const ChildResult list =
      tcsim({"run", "gemm:128,dtype=bf16", "-m", "v100", "-m", "a100", "--dry-run", "-f", "json"});
  EXPECT_EQ(list.status, 0) << list.errors;
  const Json json = Json::parse(list.output);
  EXPECT_EQ(json["runs"].size(), 2U);
  EXPECT_GT(json["runs"][1]["expected_s"].get<double>(), 0);
  EXPECT_GT(json["runs"][1]["expected_sampled_s"].get<double>(), 0);
  EXPECT_GT(json["runs"][1]["expected_memory_mib"].get<double>(), 1);
  EXPECT_GE(json["expected_memory_mib"], json["runs"][1]["expected_memory_mib"]);
  EXPECT_EQ(json["warp_instructions"], json["runs"][0].value("warp_instructions", 0) +
                                           json["runs"][1].value("warp_instructions", 0));
  std::ofstream("uneven.csv") << "op,dtype_in,dtype_acc,params\n"
                                 "gemm,fp16,fp32,m=64;n=64;k=64\n"
                                 "gemm,fp16,fp32,m=4096;n=4096;k=4096\n";
  const Json uneven = Json::parse(
      tcsim({"run", "csv:uneven.csv", "-m", "v100", "--dry-run", "-j", "2", "-f", "json"}).output);
  EXPECT_GE(uneven["expected_wall_s"], uneven["runs"][1]["expected_s"]);
  fs::remove("uneven.csv");
  const ChildResult network = tcsim({"run", "net:lenet", "-m", "a100", "--dry-run", "-f", "csv"});
  EXPECT_THAT(network.output, StartsWith("workload,machine,kernels,CTAs,"));
  EXPECT_THAT(network.output, Not(HasSubstr("\"")));  // digits in groups would need quotes
  EXPECT_TRUE(fs::is_empty("."));
  const ChildResult both = tcsim({"run", "gemm:128", "-m", "a100", "--dry-run", "-o", "x"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.errors, HasSubstr("--dry-run writes no files"));
}

TEST_F(Run, DrawsRooflineAndTimelineInTheTerminalOnRequest) {
  const ChildResult result =
      tcsim({"run", "gemm:128", "-m", "lab-tiny", "--no-files", "--plot", "ascii"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("\nRoofline\n========\n"));
  EXPECT_THAT(result.output, HasSubstr("  tensor pipes     |"));
  const ChildResult wrong = tcsim({"run", "gemm:128", "-m", "lab-tiny", "--plot", "png"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("--plot: 'png' is not ascii"));
}

TEST_F(Run, CountsExactlyTheMmasOfTheProduct) {
  const ChildResult result =
      tcsim({"run", "gemm:256", "-m", "lab-tiny", "-f", "json", "--no-files"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["instructions"]["mma"], 256 * 256 * 256 / (16 * 8 * 16));
  EXPECT_EQ(json["flop"], 2.0 * 256 * 256 * 256);
}

TEST_F(Run, TakesTheTileOfAKernelsNameAndSaysWhatItLacks) {
  const auto run = [](const std::string& name) {
    return tcsim({"run", "gemm:m=256,n=256,k=1024", "-m", "h100", "--tile", name, "-f", "json",
                  "--no-files"});
  };
  const auto tile_of = [&](const std::string& name) {
    const ChildResult result = run(name);
    EXPECT_EQ(result.errors, "");
    return result.status == 0 ? Json::parse(result.output)["kernels"][0]["tile"] : Json();
  };
  const std::string cutlass3 =
      "cutlass3x_sm90_tensorop_s64x128x16gemm_f16_f16_f32_f16_f16_128x128x64_2x1x1_0_tnn_align8";
  EXPECT_EQ(tile_of(cutlass3 + "_warpspecialized_pingpong_epi_tma"),
            "128x128x64_s6_w8x1_pingpong_c1x2");
  // On no menu.
  EXPECT_EQ(tile_of("cutlass3x_sm90_tensorop_s64x256x16gemm_f16_f16_f32_f16_f16_256x128x64_2x2x1_0_"
                    "tnn_align8_warpspecialized_cooperative_epi_tma"),
            "128x256x64_s4_w8x1_coop_c2x2");
  const ChildResult split = run("nvjet_hsh_64x64_64x13_2x1_v_bz_splitK_TNT");
  ASSERT_EQ(split.status, 0) << split.errors;
  EXPECT_THAT(split.errors, HasSubstr("note: the name of the kernel does not state into how many "
                                      "slices k is cut; it runs with k undivided"));
  EXPECT_THAT(run("sm80_xmma_sparse_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_stage3_"
                  "warpsize2x2x1_sptensor16x8x32_kernel")
                  .errors,
              HasSubstr("has a 2:4 sparse A; this run uses its tile with a dense A"));
  const ChildResult one_group = run(cutlass3 + "_warpspecialized_epi_tma");
  EXPECT_EQ(one_group.status, 2);
  EXPECT_THAT(one_group.errors, HasSubstr("neither pingpong nor cooperative"));
  const ChildResult blackwell = run("nvjet_sm100_tst_128x256_64x6_2x1_2cta_v_bz_TNT");
  EXPECT_EQ(blackwell.status, 2);
  EXPECT_THAT(blackwell.errors, HasSubstr("it is of sm_100"));
}

TEST_F(Run, SaysOfASetKeyThatItCannotActAndWhichOneBinds) {
  const auto run = [](const std::vector<std::string>& more) {
    std::vector<std::string> words{
        "run",       "gemm:m=128,n=128,k=256", "-m", "h100", "--tile", "128x128x32", "-f", "json",
        "--no-files"};
    words.insert(words.end(), more.begin(), more.end());
    return tcsim(words);
  };
  const ChildResult plain = run({});
  const ChildResult wide = run({"--set", "sm.tensor.fp16_macs=1024"});
  ASSERT_EQ(wide.status, 0) << wide.errors;
  EXPECT_EQ(plain.errors, "");
  EXPECT_EQ(wide.errors,
            "note: sm.tensor.fp16_macs = 1024 does not bind: sm.tensor.operand_registers_per_cycle "
            "does (HMMA.16816.F32: 6 cycles >= 2)\n");
  const Json before = Json::parse(plain.output);
  const Json after = Json::parse(wide.output);
  EXPECT_EQ(after["cycles"], before["cycles"]);
  EXPECT_EQ(after["peak_tflops"], 2 * before["peak_tflops"].get<double>());
  EXPECT_EQ(after["attainable_tflops"], before["attainable_tflops"]);
  EXPECT_NEAR(before["attainable_tflops"], 132 * 4 * 2048 / 6.0 * 2 * 1980 / 1e6, 1e-6);
  EXPECT_EQ(run({"--set", "sm.tensor.fp16_macs=1024", "-q"}).errors, "");
}

TEST_F(Run, ARateOfProductsOfWarpgroupsThatRunNeedsNoNote) {
  const ChildResult result = tcsim({"run", "gemm:m=64,n=64,k=128,dtype=e4m3", "-m", "h100", "--set",
                                    "sm.tensor.fp8_macs=512", "-f", "json", "--no-files"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
}

TEST_F(Run, NamesTheAttainableRateBesideAPeakThatIsOutOfReach) {
  const auto run = [](const char* machine) {
    return tcsim({"run", "gemm:128", "-m", machine, "--tile", "64x64", "--no-files"}).output;
  };
  EXPECT_THAT(run("h100"), HasSubstr("\n  attainable     713.7 TFLOPS"));
  EXPECT_THAT(run("lab-tiny"), Not(HasSubstr("attainable")));
  // Products of warpgroups of 64 x 16 x 16: 8 cycles, their operands 20.
  const Json narrow = Json::parse(tcsim({"run", "gemm:256,layout=nt", "-m", "h100", "--tile",
                                         "16x64x64_s16_w1x8_pingpong_c4x2_swapped_halfboxes_waited",
                                         "-f", "json", "--no-files"})
                                      .output);
  EXPECT_DOUBLE_EQ(narrow["attainable_tflops"], 0.4 * narrow["peak_tflops"].get<double>());
}

TEST_F(Run, ASparseProductHasHalfTheMmasAndCountsTheDenseOnes) {
  const auto run = [](const std::string& words) {
    const ChildResult result = tcsim({"run", words, "-m", "lab-tiny", "-f", "json", "--no-files"});
    EXPECT_EQ(result.status, 0) << result.errors;
    return Json::parse(result.output);
  };
  for (const std::string format : {"fp16", "int8"}) {
    const Json dense = run("gemm:m=256,n=256,k=2048,dtype=" + format);
    const Json sparse = run("gemm:m=256,n=256,k=2048,sparse=1,dtype=" + format);
    EXPECT_EQ(sparse["flop"], dense["flop"]);
    EXPECT_EQ(sparse["instructions"]["mma"], dense["instructions"]["mma"].get<int>() / 2);
    EXPECT_EQ(sparse["peak_tflops"], 2 * dense["peak_tflops"].get<double>());
    EXPECT_DOUBLE_EQ(sparse["executed_tflops"], sparse["tflops"].get<double>() / 2);
    EXPECT_LT(sparse["cycles"], dense["cycles"]);
    EXPECT_GT(2 * sparse["cycles"].get<int>(), dense["cycles"].get<int>());
  }
}

TEST_F(Run, ChargesEveryCycleOfEverySubCoreToOneReason) {
  const ChildResult result =
      tcsim({"run", "gemm:256", "-m", "lab-tiny", "-f", "json", "--no-files"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json json = Json::parse(result.output);
  std::int64_t sum = 0;
  for (const auto& [reason, cycles] : json["cycles_by_reason"].items())
    sum += cycles.get<std::int64_t>();
  EXPECT_EQ(sum, 4 * json["cycles"].get<std::int64_t>());
}

TEST_F(Run, ColdCodeReadsTheL2) {
  const auto run = [](std::vector<std::string> more) {
    std::vector<std::string> words{"run", "gemm:128", "-m", "lab-tiny", "-f", "json", "--no-files"};
    words.insert(words.end(), more.begin(), more.end());
    const ChildResult result = tcsim(words);
    EXPECT_EQ(result.status, 0) << result.errors;
    return Json::parse(result.output);
  };
  const Json warm = run({});
  const Json cold = run({"--cold-code"});
  EXPECT_GT(cold["cycles"], warm["cycles"]);
  EXPECT_GT(cold["cycles_by_reason"]["instruction_fetch"],
            warm["cycles_by_reason"]["instruction_fetch"]);
}

TEST_F(Run, TimeIsCyclesOverClockAndRateIsOperationsOverTime) {
  const ChildResult result =
      tcsim({"run", "gemm:256", "-m", "lab-tiny", "-f", "json", "--no-files"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json json = Json::parse(result.output);
  const double time_us = json["cycles"].get<double>() / json["clock_mhz"].get<double>();
  EXPECT_DOUBLE_EQ(json["time_us"].get<double>(), time_us);
  EXPECT_NEAR(json["tflops"].get<double>(), json["flop"].get<double>() / time_us / 1e6, 1e-9);
  EXPECT_NEAR(json["peak_fraction"].get<double>(),
              json["tflops"].get<double>() / json["peak_tflops"].get<double>(), 1e-12);
}

TEST_F(Run, GivesTheSameStatisticsTwiceAndForEveryQuantum) {
  ASSERT_EQ(tcsim({"run", "gemm:128", "-m", "lab-tiny", "-o", "first"}).status, 0);
  ASSERT_EQ(tcsim({"run", "gemm:128", "-m", "lab-tiny", "-o", "second"}).status, 0);
  ASSERT_EQ(tcsim({"run", "gemm:128", "-m", "lab-tiny", "-o", "fine", "--quantum", "1"}).status, 0);
  const auto results_of = [](const char* file) {
    Json json = json_of(file);
    json.erase("simulation");  // the host and the quantum
    return json;
  };
  const Json empty = Json::array();
  EXPECT_EQ(Json::diff(results_of("first/stats.json"), results_of("second/stats.json")), empty);
  EXPECT_EQ(Json::diff(results_of("first/stats.json"), results_of("fine/stats.json")), empty);
}

TEST_F(Run, AWarmL2SparesDramWhatTheFirstRunRead) {
  const std::vector<std::string> words{"run", "gemm:256", "-m",        "lab-tiny",
                                       "-f",  "json",     "--no-files"};
  std::vector<std::string> warm_words = words;
  warm_words.emplace_back("--warm-l2");
  const Json cold = Json::parse(tcsim(words).output);
  const Json warm = Json::parse(tcsim(warm_words).output);
  EXPECT_EQ(cold["l2_state"], "cold");
  EXPECT_EQ(warm["l2_state"], "warm");
  EXPECT_GT(cold["memory"]["dram_read_bytes"].get<std::int64_t>(), 0);
  EXPECT_EQ(warm["memory"]["dram_read_bytes"].get<std::int64_t>(), 0);
  EXPECT_LT(warm["cycles"].get<std::int64_t>(), cold["cycles"].get<std::int64_t>());
  EXPECT_EQ(warm["instructions"], cold["instructions"]);
}

TEST_F(Run, AnOverwrittenL2WritesBackWhatItHeldAndHoldsNoCode) {
  const auto result = [](const char* state) {
    return Json::parse(
        tcsim({"run", "gemm:256", "-m", "lab-tiny", state, "-f", "json", "--no-files"}).output);
  };
  const Json cold = result("--cold-code");
  const Json overwritten = result("--overwrite-l2");
  EXPECT_EQ(overwritten["l2_state"], "overwritten");
  const auto dram = [](const Json& run, const char* bytes) {
    return run["memory"][bytes].get<double>();
  };
  EXPECT_EQ(dram(overwritten, "dram_read_bytes"), dram(cold, "dram_read_bytes"));
  EXPECT_GT(dram(overwritten, "dram_write_bytes"), dram(cold, "dram_write_bytes"));
}

/// Parameters of a launch lie on one side of the die or the other: on the same in both runs.
TEST_F(Run, AWarmL2NeverSlowsASmallProduct) {
  for (const char* machine : {"a100", "h100", "v100"})
    for (const char* gemm : {"gemm:16", "gemm:m=64,n=16,k=128", "gemm:128"}) {
      const auto cycles = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all{"run", gemm, "-m", machine, "-f", "json", "--no-files"};
        all.insert(all.end(), more.begin(), more.end());
        return Json::parse(tcsim(all).output)["cycles"].get<std::int64_t>();
      };
      EXPECT_LT(cycles({"--warm-l2"}), cycles({})) << gemm << " on " << machine;
    }
}

TEST_F(Run, RefusesAQuantumThatResultsWouldDependOn) {
  const ChildResult result = tcsim({"run", "gemm:64", "-m", "lab-tiny", "--quantum", "999999"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors,
              ::testing::MatchesRegex("tcsim run: --quantum: 999999 is more than the [0-9]+ cycles "
                                      "under which results are exact on this machine\n"));
  EXPECT_TRUE(fs::is_empty("."));
}

TEST_F(Run, PrintsTheSummaryRowAsCsv) {
  const ChildResult result =
      tcsim({"run", "gemm:128", "-m", "lab-tiny", "-f", "csv", "--no-files"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, StartsWith("row,machine,workload,status,reason,tile,time_us,"));
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 2);
  EXPECT_THAT(result.output, HasSubstr("\n1,lab-tiny,\"gemm:m=128"));
}

TEST_F(Run, WritesTidyStatisticsWithOneUnitPerRow) {
  ASSERT_EQ(tcsim({"run", "gemm:128", "-m", "lab-tiny", "-o", "out"}).status, 0);
  const std::string text = text_of("out/stats.csv");
  EXPECT_THAT(text, StartsWith("run,scope,metric,unit,value,fidelity\nout,run,time_us,us,"));
  EXPECT_THAT(text, HasSubstr("\nout,gpu.sm.sub_core,mma_instructions,"));
  EXPECT_THAT(text, HasSubstr("\nout,run,peak_tflops,TFLOPS,"));
}

TEST_F(Run, LeavesNothingBehindWithNoFiles) {
  EXPECT_EQ(tcsim({"run", "gemm:128", "-m", "lab-tiny", "--no-files"}).status, 0);
  EXPECT_TRUE(fs::is_empty("."));
}

TEST_F(Run, RefusesADirectoryThatHoldsFilesUnlessForced) {
  ASSERT_EQ(tcsim({"run", "gemm:128", "-m", "lab-tiny", "-o", "out"}).status, 0);
  const std::string before = text_of("out/manifest.json");
  const ChildResult refused = tcsim({"run", "gemm:128", "-m", "lab-tiny", "-o", "out"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(
      refused.errors,
      "out: the directory is not empty; choose another with -o, or replace the run with --force\n");
  EXPECT_EQ(text_of("out/manifest.json"), before);
  EXPECT_EQ(tcsim({"run", "gemm:128", "-m", "lab-tiny", "-o", "out", "--force"}).status, 0);
}

TEST_F(Run, CannotWriteBelowAFile) {
  ASSERT_EQ(tcsim({"run", "gemm:128", "-m", "lab-tiny", "-o", "out"}).status, 0);
  const ChildResult result =
      tcsim({"run", "gemm:128", "-m", "lab-tiny", "-o", "out/stats.json/deeper"});
  EXPECT_EQ(result.status, 5);
  EXPECT_EQ(result.errors, "out/stats.json/deeper: cannot make the directory: Not a directory\n");
}

TEST_F(Run, TheCycleLimitKeepsPartialResults) {
  const ChildResult result =
      tcsim({"run", "gemm:1024", "-m", "lab-tiny", "--max-cycles", "20000", "-o", "out"});
  EXPECT_EQ(result.status, 4);
  EXPECT_THAT(result.errors, HasSubstr("tcsim run: stopped by cycle limit after 2"));
  EXPECT_THAT(result.output, HasSubstr("INCOMPLETE     stopped by cycle limit"));
  EXPECT_EQ(json_of("out/manifest.json")["complete"], false);
  EXPECT_EQ(json_of("out/manifest.json")["stopped_by"], "cycle limit");
  EXPECT_TRUE(json_of("out/stats.json")["metrics"]["tflops"]["value"].is_null());
}

TEST_F(Run, TheTimeLimitKeepsPartialResults) {
  const ChildResult result =
      tcsim({"run", "gemm:8192", "-m", "lab-tiny", "--timeout", "0.3", "-o", "out"});
  EXPECT_EQ(result.status, 4);
  EXPECT_THAT(result.errors, HasSubstr("tcsim run: stopped by time limit after"));
  EXPECT_THAT(result.output, HasSubstr("rate           not applicable (the run did not end)"));
  EXPECT_EQ(json_of("out/manifest.json")["stopped_by"], "time limit");
}

/// The signal, once `file` exists.
std::function<int()> signal_after(const std::string& file, int signal) {
  return [file, signal] { return fs::exists(file) ? signal : 0; };
}

TEST_F(Run, AnInterruptKeepsPartialResults) {
  const ChildResult result = tcsim({"run", "gemm:8192", "-m", "lab-tiny", "-o", "out"},
                                   signal_after("out/manifest.json", SIGINT));
  EXPECT_EQ(result.status, 130);
  EXPECT_EQ(result.signal, 0);
  EXPECT_THAT(result.errors, HasSubstr("tcsim run: interrupted after"));
  for (const char* file : {"stats.json", "stats.csv", "kernels.csv"}) {
    EXPECT_TRUE(fs::exists(fs::path("out") / file)) << file;
  }
  EXPECT_EQ(json_of("out/manifest.json")["complete"], false);
  EXPECT_EQ(json_of("out/manifest.json")["stopped_by"], "interrupted");
  EXPECT_EQ(json_of("out/stats.json")["complete"], false);
}

TEST_F(Run, ATerminationIsAnInterrupt) {
  const ChildResult result = tcsim({"run", "gemm:8192", "-m", "lab-tiny", "-o", "out"},
                                   signal_after("out/manifest.json", SIGTERM));
  EXPECT_EQ(result.status, 130);
  EXPECT_EQ(json_of("out/manifest.json")["stopped_by"], "interrupted");
}

TEST_F(Run, VerboseReportsProgressOffTheTerminal) {
  const ChildResult result =
      tcsim({"run", "gemm:8192", "-m", "lab-tiny", "--timeout", "0.5", "--no-files", "-v"});
  EXPECT_THAT(result.errors, HasSubstr(" CTAs  cycle "));
}

TEST_F(Run, CudaCoresRunTheProductAsFp32) {
  const ChildResult result = tcsim(
      {"run", "gemm:128", "-m", "lab-tiny", "--unit", "cuda-core", "-f", "json", "--no-files"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.errors, "note: the CUDA-core kernel computes fp16 operands as fp32 (FFMA)\n");
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["instructions"]["mma"], 0);
  EXPECT_EQ(json["peak_tflops"].get<double>(), 2.0 * 64 * 1410 / 1e6);
}

}  // namespace
}  // namespace tcsim::cli
