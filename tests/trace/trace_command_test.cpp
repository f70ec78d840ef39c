#include "sim/cli/trace_command.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/errors/errors.hpp"
#include "tests/cli/tcsim_process.hpp"
#include "workloads/trace/tct.hpp"

namespace tcsim::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(TraceEmit, WritesAnAssembledKernelWithTheWholeProduct) {
  const TemporaryHome home;
  ASSERT_EQ(tcsim({"trace", "emit", "gemm:512", "-m", "a100", "-o", "k.tct"}).status, kDone);
  const ChildResult info = tcsim({"trace", "info", "k.tct", "-f", "json"});
  ASSERT_EQ(info.status, kDone) << info.errors;
  const auto json = nlohmann::json::parse(info.output);
  // 512^3 multiply-adds; one HMMA.16816 of a warp does 16 * 8 * 16 = 2048
  // (microarchitecture.md 4.3).
  EXPECT_EQ(json["instructions"]["mma"], 512 * 512 * 512 / 2048);
  EXPECT_EQ(json["instructions"]["mma_macs"], 512 * 512 * 512);
  EXPECT_EQ(json["programs"][0]["assembled"], true);
  EXPECT_EQ(json["buffers"].size(), 3U);
}

TEST(TraceEmit, PrintsTheSameTextWithoutAFile) {
  const TemporaryHome home;
  ASSERT_EQ(tcsim({"trace", "emit", "gemm:128", "-m", "v100", "-o", "k.tct"}).status, kDone);
  ASSERT_EQ(tcsim({"trace", "emit", "gemm:128", "-m", "v100", "-o", "k.tct.zst"}).status, kDone);
  const ChildResult printed = tcsim({"trace", "emit", "gemm:128", "-m", "v100"});
  EXPECT_EQ(printed.output, text_of("k.tct"));
  EXPECT_EQ(trace::load_tct("k.tct"), trace::load_tct("k.tct.zst"));
  EXPECT_LT(std::filesystem::file_size("k.tct.zst"), std::filesystem::file_size("k.tct") / 4);
}

TEST(TraceEmit, TakesTheUnitThatARunTakes) {
  const TemporaryHome home;
  const std::vector<std::string> emit{"trace", "emit", "gemm:128,dtype=fp32", "-m", "a100"};
  std::vector<std::string> named = emit;
  named.insert(named.end(), {"--unit", "cuda-core"});
  const ChildResult free = tcsim(emit);
  EXPECT_EQ(free.status, kDone) << free.errors;
  EXPECT_EQ(free.output, tcsim(named).output);
}

TEST(TraceEmit, ReplacesAFileOnlyIfForced) {
  const TemporaryHome home;
  const std::vector<std::string> emit{"trace", "emit", "gemm:128", "-m", "v100", "-o", "k.tct"};
  ASSERT_EQ(tcsim(emit).status, kDone);
  const ChildResult again = tcsim(emit);
  EXPECT_EQ(again.status, kUserMistake);
  EXPECT_EQ(again.errors, "tcsim trace emit: k.tct: exists; choose another name or add --force\n");
  std::vector<std::string> forced = emit;
  forced.emplace_back("--force");
  EXPECT_EQ(tcsim(forced).status, kDone);
}

struct Refusal {
  std::vector<std::string> words;
  int status;
  const char* message;
};

class TraceRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(TraceRefusal, HasItsStatusAndMessage) {
  const TemporaryHome home;
  std::vector<std::string> words{"trace"};
  words.insert(words.end(), GetParam().words.begin(), GetParam().words.end());
  const ChildResult result = tcsim(words);
  EXPECT_EQ(result.status, GetParam().status);
  EXPECT_EQ(result.errors, std::string(GetParam().message) + "\n");
  EXPECT_EQ(result.output, "");
}

INSTANTIATE_TEST_SUITE_P(
    Commands, TraceRefusal,
    ::testing::Values(
        Refusal{{"emit"},
                kUserMistake,
                "tcsim trace emit: which workload? For example: tcsim trace emit gemm:512 -m a100"},
        Refusal{{"emit", "gemm:512"},
                kUserMistake,
                "tcsim trace emit: which machine? Add -m NAME or -m FILE; presets: tcsim machine "
                "list"},
        Refusal{{"emit", "gemm:m=40x,n=8,k=8", "-m", "a100"},
                kUserMistake,
                "gemm:m=40x,n=8,k=8: column 8: m: '40x' is not a whole number"},
        Refusal{{"emit", "gemm:512,dtype=fp8", "-m", "a100"},
                kNotCovered,
                "gemm:512,dtype=fp8: no kernel is generated for dtype=fp8 (use e4m3 or e5m2)"},
        Refusal{{"emit", "gemm:512", "-m", "a100", "--unit", "tensors"},
                kUserMistake,
                "tcsim trace emit: --unit: 'tensors' is not one of tensor, cuda-core; did you "
                "mean \"tensor\"?"},
        Refusal{{"emit", "gemm:512", "-m", "a100", "--form", "text"},
                kUserMistake,
                "tcsim trace emit: --form: 'text' is not one of tct, traceg"},
        Refusal{{"emit", "gemm:512", "-m", "a100", "--form", "traceg"},
                kUserMistake,
                "tcsim trace emit: --form traceg: where to? Add -o NAME.traceg, with .zst or .xz "
                "to pack it, or -o FOLDER for all kernels and their list"},
        Refusal{{"emit", "gemm:512", "-m", "a100", "--form", "traceg", "-o", "k", "--kernel", "1"},
                kUserMistake,
                "tcsim trace emit: --kernel: a folder takes all kernels; for one write -o "
                "k.traceg"},
        Refusal{{"emit", "gemm:512", "-m", "a100", "--form", "traceg", "-o", "k.tracez"},
                2,
                "tcsim trace emit: --form traceg: k.tracez: tcsim reads this form but "
                "does not write it; write NAME.traceg, packed NAME.traceg.zst"},
        Refusal{{"emit", "gemm:512", "-m", "a100", "--form", "traceg", "-o", "k.g"},
                kUserMistake,
                "tcsim trace emit: --form traceg: k.g: names that end in .g are lists; write "
                "NAME.traceg, or -o FOLDER for all kernels and their list"},
        Refusal{{"emit", "gemm:512", "-m", "a100", "--form", "traceg", "-o", "k.tct.zst"},
                kUserMistake,
                "tcsim trace emit: --form traceg: k.tct.zst: names that end in .tct are of the "
                "other form; write NAME.traceg, or leave out --form"},
        Refusal{{"emit", "gemm:512", "-m", "a100", "-o", "k.g"},
                kUserMistake,
                "tcsim trace emit: k.g: tcsim run would read a file of this name as a recorded "
                "trace; write NAME.tct, or add --form traceg"},
        Refusal{{"emit", "gemm:512", "-m", "a100", "-o", "k.tct.xz"},
                kUserMistake,
                "tcsim trace emit: k.tct.xz: --form tct does not write this packing; use .zst"},
        Refusal{{"emit", "gemm:512", "-m", "a100", "--form", "traceg", "-o", "k.traceg.gz"},
                kUserMistake,
                "tcsim trace emit: k.traceg.gz: --form traceg does not write this packing; use "
                ".zst"},
        Refusal{{"info", "none.traceg"},
                kFileTrouble,
                "none.traceg: cannot read: No such file or directory"},
        Refusal{{"info"}, kUserMistake, "tcsim trace info: which file?"},
        Refusal{
            {"info", "none.tct"}, kFileTrouble, "none.tct: cannot read: No such file or directory"},
        Refusal{{"info", "none.tct", "-f", "csv"},
                kUserMistake,
                "tcsim trace info: --format: 'csv' is not one of text, json"},
        Refusal{{"inf", "k.tct"},
                kUserMistake,
                "tcsim trace: unknown command 'inf'; did you mean \"info\"?"}));

nlohmann::json json_of(std::vector<std::string> words) {
  const ChildResult result = tcsim(std::move(words));
  EXPECT_EQ(result.status, kDone) << result.errors;
  return nlohmann::json::parse(result.output);
}

TEST(TraceInfo, RefusesCountsThatItCannotHold) {
  const TemporaryHome home;
  std::ofstream("k.tct") << "tct 1\nkernel k\ngrid 2147483647 65535 65535\nwarps 1\nregisters 32\n"
                            "shared 0\n\nprogram main warps 0\n  EXIT\n";
  for (const char* form : {"text", "json"}) {
    const ChildResult info = tcsim({"trace", "info", "k.tct", "-f", form});
    EXPECT_EQ(info.status, kNotCovered);
    EXPECT_THAT(info.errors, HasSubstr("kernel k: its work cannot be counted: "
                                       "144,115,188,075,855,871 or more"));
  }
}

TEST(RecordedTrace, OfAWholeWorkloadTakesItsCyclesAndHasItsInstructions) {
  const TemporaryHome home;
  // The form carries neither constant operands nor the buffers, whose pages are known beforehand:
  // without constant caches and translation a run of the workload waits for neither.
  const std::vector<std::string> options{
      "-m",    "lab-tiny",          "-f",        "json", "--set", "sm.constant_cache.l0_bytes=0",
      "--set", "tlb.tpc_entries=0", "--no-files"};
  const auto run = [&options](const std::string& workload) {
    std::vector<std::string> words{"run", workload};
    words.insert(words.end(), options.begin(), options.end());
    return json_of(words);
  };
  const std::string gemm = "gemm:m=128,n=64,k=256";
  ASSERT_EQ(
      tcsim({"trace", "emit", gemm, "-m", "lab-tiny", "--form", "traceg", "-o", "all"}).status,
      kDone);
  EXPECT_EQ(run("trace:all/kernelslist.g")["cycles"], run(gemm)["cycles"]);
  ASSERT_EQ(tcsim({"trace", "emit", gemm, "-m", "lab-tiny", "-o", "k.tct"}).status, kDone);
  const auto recorded = json_of({"trace", "info", "all/kernel-1.traceg", "-f", "json"});
  const auto written = json_of({"trace", "info", "k.tct", "-f", "json"});
  EXPECT_EQ(recorded["executed_by_grid"], written["executed_by_grid"]);
  EXPECT_EQ(recorded["recording"]["sm_version"], 80);
}

TEST(RecordedTrace, OfHopperRunsOnTensorCores) {
  const TemporaryHome home;
  const std::string gemm = "gemm:m=128,n=128,k=64";
  for (const char* const form : {"traceg", "tct"}) {
    const std::string file = std::string("k.") + form;
    ASSERT_EQ(tcsim({"trace", "emit", gemm, "-m", "h100", "--form", form, "-o", file}).status,
              kDone);
    EXPECT_THAT(tcsim({"run", "trace:" + file, "-m", "h100", "--no-files"}).output,
                HasSubstr("unit tensor"))
        << form;
  }
}

TEST(RecordedTrace, IsRefusedByAnotherArchitecture) {
  const TemporaryHome home;
  const std::string file = "k.traceg.xz";
  ASSERT_EQ(
      tcsim({"trace", "emit", "gemm:64", "-m", "a100", "--form", "traceg", "-o", file}).status,
      kDone);
  const ChildResult result = tcsim({"run", "trace:" + file, "-m", "v100", "--no-files"});
  EXPECT_EQ(result.status, kNotCovered);
  EXPECT_THAT(result.errors, HasSubstr("is recorded code for sm_80, this machine runs sm_70"));
}

TEST(RecordedTrace, SaysWhichOperationsAreUnknownAndWhatIsDamaged) {
  const TemporaryHome home;
  const std::string header =
      "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n"
      "-binary version = 80\n-accelsim tracer version = 5\n#\n#BEGIN_TB\nthread block = 0,0,0\n"
      "warp = 0\ninsts = 1\n";
  std::ofstream("unknown.traceg") << header << "0000 ffffffff 0 FROB 0 0 0\n#END_TB\n";
  const ChildResult unknown = tcsim({"run", "trace:unknown.traceg", "-m", "a100", "--no-files"});
  EXPECT_EQ(unknown.status, kNotCovered);
  EXPECT_THAT(unknown.errors, HasSubstr("FROB; the first at unknown.traceg:13:17"));
  std::string old = header;
  old.replace(old.find("version = 80"), 12, "version = 61");
  std::ofstream("old.traceg") << old;
  EXPECT_EQ(tcsim({"trace", "info", "old.traceg"}).errors,
            "old.traceg: code for sm_61 is not covered; sm_70, 75, 80, 86 and 90 are\n");
  std::ofstream("cut.traceg") << header;
  const ChildResult cut = tcsim({"run", "trace:cut.traceg", "-m", "a100", "--no-files"});
  EXPECT_EQ(cut.status, kUserMistake);
  EXPECT_EQ(cut.errors,
            "cut.traceg:13:1: body: the file ends after 0 of 1 instructions of a warp; it is cut "
            "short: record it again\n");
}

TEST(TraceInfo, ReportsEveryMistakeOfAFile) {
  const TemporaryHome home;
  ASSERT_EQ(tcsim({"trace", "emit", "gemm:128", "-m", "a100", "-o", "k.tct"}).status, kDone);
  std::string text = text_of("k.tct");
  text.replace(text.find("HMMA.16816"), 10, "HMMA.16861");
  text.replace(text.find("stall=1"), 7, "stall=99");
  std::ofstream("bad.tct") << text;
  const ChildResult result = tcsim({"trace", "info", "bad.tct"});
  EXPECT_EQ(result.status, kUserMistake);
  EXPECT_THAT(result.errors, HasSubstr(": stall: '99' is larger than 15\n"));
  EXPECT_THAT(result.errors, HasSubstr("did you mean \"HMMA.16816.F32\"?\n"));
  EXPECT_THAT(result.errors, StartsWith("bad.tct:"));
}

TEST(TraceInfo, CountsForPeopleToo) {
  const TemporaryHome home;
  ASSERT_EQ(tcsim({"trace", "emit", "gemm:512", "-m", "a100", "-o", "k.tct"}).status, kDone);
  const ChildResult info = tcsim({"trace", "info", "k.tct"});
  EXPECT_THAT(info.output, HasSubstr("MMA instructions 65,536, multiply-adds 134,217,728\n"));
  EXPECT_THAT(info.output, HasSubstr("loop i0 < "));
}

TEST(TraceInfo, ListsEveryProgramWithItsAddresses) {
  const TemporaryHome home;
  ASSERT_EQ(tcsim({"trace", "emit", "gemm:m=128,n=64,k=128", "-m", "h100", "-o", "k.tct"}).status,
            kDone);
  const ChildResult info = tcsim({"trace", "info", "k.tct", "--listing"});
  ASSERT_EQ(info.status, kDone) << info.errors;
  EXPECT_THAT(info.output, StartsWith("kernel gemm_fp16_fp32_"));
  EXPECT_THAT(info.output,
              HasSubstr("\n\nprogram idle warps 1-3\n  0x0000  S2R R0 {stall=1}\n  0x0010  "));
  EXPECT_THAT(info.output, HasSubstr("\n          loop i0 < "));
  EXPECT_THAT(info.output, Not(HasSubstr("MMA instructions")));
  // Every line of a program is in the text of the kernel, but for spaces.
  const auto without_spaces = [](std::string words) {
    std::erase(words, ' ');
    return words;
  };
  const std::string text = without_spaces(text_of("k.tct"));
  const auto json =
      nlohmann::json::parse(tcsim({"trace", "info", "k.tct", "--listing", "-f", "json"}).output);
  std::size_t place = text.find("\nprogram");
  for (const auto& program : json["programs"]) {
    std::size_t addresses = 0;
    for (const auto& line : program["listing"]) {
      place = text.find(without_spaces(line["text"].get<std::string>()) + "\n", place);
      ASSERT_NE(place, std::string::npos) << line;
      if (!line["address"].is_null()) ++addresses;
    }
    EXPECT_EQ(program["instructions"], addresses);
  }
}

TEST(TraceInfo, ListsTheAddressThatTheReportOfADeadlockNames) {
  const TemporaryHome home;
  std::ofstream("k.tct") << "tct 1\nkernel k\ngrid 1 1 1\nwarps 1\nregisters 32\nshared 64\n"
                            "buffer A input base=0x10000 bytes=4096\nprogram main warps 0\n"
                            "FADD R4, R4, R4\nFADD R4, R4, R4\nSYNCS.EXCH.64 mbar[0], 1\n"
                            "SYNCS.PHASECHK.TRANS64.TRYWAIT mbar[0], 0\nEXIT\n";
  const ChildResult run = tcsim({"run", "trace:k.tct", "-m", "h100", "--no-files", "-q"});
  ASSERT_EQ(run.status, kStopped);
  const std::size_t at = run.errors.find(" at 0x");
  ASSERT_NE(at, std::string::npos) << run.errors;
  const std::string address = run.errors.substr(at + 4, 6);
  const ChildResult info = tcsim({"trace", "info", "k.tct", "--listing", "-m", "h100"});
  EXPECT_EQ(info.status, kDone) << info.errors;
  EXPECT_THAT(info.output, HasSubstr("program main warps 0\n"));
  EXPECT_THAT(info.output, HasSubstr("  " + address + "  SYNCS.PHASECHK.TRANS64.TRYWAIT mbar[0]"));
  EXPECT_THAT(tcsim({"trace", "info", "k.tct"}).output,
              HasSubstr("grid 1 x 1 x 1 = 1 CTA of 1 warp\n"));
  EXPECT_THAT(tcsim({"trace", "info", "k.tct", "--listing"}).output,
              HasSubstr("program main warps 0, without control bits\n  0x0000  FADD R4, R4, R4\n"));
}

TEST(TraceInfo, KeepsEachNameInItsLine) {
  const TemporaryHome home;
  std::ofstream("k.tct")
      << "tct 1\nkernel \"a\\x0ab\"\ngrid 1 1 1\nwarps 1\nregisters 8\nshared 0\n"
         "buffer \"\\x0aA\" input base=0 bytes=256\nprogram \"p\\x0a\" warps 0\n"
         "EXIT\n";
  const std::string text = tcsim({"trace", "info", "k.tct"}).output;
  EXPECT_THAT(text, StartsWith("kernel \"a\\x0ab\"\n"));
  EXPECT_THAT(text, HasSubstr("buffer \"\\x0aA\": 256 bytes"));
  EXPECT_THAT(text, HasSubstr("program \"p\\x0a\": 1 instructions"));
  EXPECT_THAT(tcsim({"trace", "info", "k.tct", "--listing"}).output,
              StartsWith("kernel \"a\\x0ab\"\n\nprogram \"p\\x0a\" warps 0"));
}

TEST(TraceInfo, ListsARecordingWithTheAddressesOfItsCode) {
  const TemporaryHome home;
  std::ofstream("k.traceg")
      << "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n"
         "-binary version = 80\n-accelsim tracer version = 5\n#\n#BEGIN_TB\n"
         "thread block = 0,0,0\nwarp = 0\ninsts = 2\n0040 ffffffff 1 R4 FADD 2 R5 R6 0 0\n"
         "0120 ffffffff 0 NOP 0 0 0\n#END_TB\n";
  const ChildResult info = tcsim({"trace", "info", "k.traceg", "--listing"});
  ASSERT_EQ(info.status, kDone) << info.errors;
  EXPECT_EQ(info.output,
            "kernel k\n\nrecorded code for sm_80\n  0x0000  0x0040  FADD R4, R5, R6\n"
            "  0x0010  0x0120  NOP\n  0x0020  -       EXIT\n");
  const auto json =
      nlohmann::json::parse(tcsim({"trace", "info", "k.traceg", "--listing", "-f", "json"}).output);
  EXPECT_EQ(
      json["programs"][0]["listing"][1],
      (nlohmann::json{{"address", "0x0010"}, {"recorded_address", "0x0120"}, {"text", "NOP"}}));
}

/// Runs a kernel of these instructions.
ChildResult run_lines(const std::vector<std::string>& lines, const std::string& machine) {
  std::ofstream kernel("lines.tct");
  kernel << "tct 1\nkernel k\ngrid 1 1 1\nwarps 1\nregisters 32\nshared 4096\n"
            "buffer A input base=0x10000 bytes=4096\nprogram main warps 0\n";
  for (const std::string& line : lines) kernel << "  " << line << "\n";
  kernel << "  EXIT\n";
  kernel.close();
  return tcsim({"run", "trace:lines.tct", "-m", machine, "--no-files", "-q"});
}

TEST(TraceRun, IsRefusedWhereTheMachineLacksAnInstruction) {
  const TemporaryHome home;
  struct Row {
    const char* line;
    std::vector<std::string> machines;  ///< that have it
  };
  const std::vector<std::string> ampere{"a100", "h100"};
  const std::vector<Row> rows{{"LDGSTS.E [A + 4*lane] -> smem[4*lane]", ampere},
                              {"LDGDEPBAR", ampere},
                              {"LDSM.16.M88.4 R4, smem[16*lane]", {"t4", "a100", "h100"}},
                              {"STSM.16.M88.4 smem[16*lane], R4", {"h100"}},
                              {"F2FP.PACK_AB R2, R3, R4", ampere},
                              {"F2FP.BF16.PACK_AB R2, R3, R4", ampere},
                              {"F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R2, R3, R4, R5", {"h100"}},
                              {"F2IP.S8.F32 R2, R3, R4, R5", ampere},
                              {"I2FP.F32.S32 R2, R3", ampere},
                              {"UTMACMDFLUSH", {"h100"}}};
  for (const std::string machine : {"v100", "t4", "a100", "h100"}) {
    std::vector<std::string> present{"NOP"};
    for (const auto& [line, machines] : rows) {
      if (std::ranges::find(machines, machine) != machines.end()) {
        present.emplace_back(line);
        continue;
      }
      const std::string text = line;
      const ChildResult refused = run_lines({text}, machine);
      EXPECT_EQ(refused.status, kNotCovered) << text;
      EXPECT_EQ(refused.errors, machine + ": kernel k uses " + text.substr(0, text.find(' ')) +
                                    ", which this machine does not have\n");
    }
    const ChildResult accepted = run_lines(present, machine);
    EXPECT_EQ(accepted.status, kDone) << accepted.errors;
  }
}

TEST(TraceRun, LeavesNoTileAndNoUnitToChoose) {
  const TemporaryHome home;
  for (const std::string file : {"k.tct", "k.traceg"}) {
    ASSERT_EQ(
        tcsim({"trace", "emit", "gemm:64", "-m", "lab-tiny", "--form", file.substr(2), "-o", file})
            .status,
        kDone);
    const auto errors = [&file](const std::string& option, const std::string& value) {
      const ChildResult result =
          tcsim({"run", "trace:" + file, "-m", "lab-tiny", option, value, "--no-files"});
      EXPECT_EQ(result.status, kUserMistake) << file;
      return result.errors;
    };
    EXPECT_THAT(errors("--tile", "64x64x32"),
                HasSubstr("has no tile to choose; only products and convolutions have one\n"));
    EXPECT_THAT(errors("--unit", "tensor"),
                HasSubstr("has no unit to choose; its instructions determine it\n"));
  }
}

TEST(TraceRun, HandsTheFileAndAllOptionsOn) {
  CLI::App app;
  int status = kDone;
  RunOptions seen;
  add_trace_command(app, status, [&](const RunOptions& options) {
    seen = options;
    return static_cast<int>(kStopped);
  });
  app.parse("trace run k.tct -m a100 -m v100 --set a.b=1 --no-files --max-cycles 7");
  EXPECT_EQ(seen.request.workload, "trace:k.tct");
  EXPECT_THAT(seen.request.machines, ElementsAre("a100", "v100"));
  EXPECT_THAT(seen.request.overrides, ElementsAre("a.b=1"));
  EXPECT_TRUE(seen.no_files);
  EXPECT_EQ(seen.request.max_cycles, 7);
  EXPECT_EQ(status, kStopped);
}

}  // namespace
}  // namespace tcsim::cli
