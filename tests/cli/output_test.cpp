#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "sim/errors/errors.hpp"
#include "tests/cli/tcsim_process.hpp"
#include "tests/sanitizers.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kNoSpace = "tcsim: standard output: cannot write: No space left on device\n";

/// `line` for the shell, in which $tcsim is the program.
ChildResult shell(const std::string& line) {
  return command({"/bin/bash", "-c", "tcsim=" + program() + "; " + line});
}

std::vector<std::string> unfinished_below(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().string().find(".writing-") != std::string::npos)
      names.push_back(entry.path().string());
  return names;
}

class Output : public testing::Test {
 protected:
  static void write(const char* file, const std::string& text) { std::ofstream(file) << text; }

  TemporaryHome home_;
};

class FullOutput : public testing::TestWithParam<const char*> {};

TEST_P(FullOutput, IsStatus5WithAMessage) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const TemporaryHome home;
  std::ofstream("spec.yaml") << "name: s\nmachines: [lab-tiny]\nworkloads: [\"gemm:64\"]\n";
  const ChildResult result = shell(std::string("$tcsim ") + GetParam() + " > /dev/full");
  EXPECT_EQ(result.status, kFileTrouble) << result.errors;
  EXPECT_EQ(result.errors, kNoSpace);
}

INSTANTIATE_TEST_SUITE_P(Commands, FullOutput,
                         testing::Values("run gemm:64 -m lab-tiny --no-files -f json",
                                         "run gemm:64 -m lab-tiny -q", "peak a100",
                                         "machine schema", "machine list", "metrics", "manual",
                                         "mma --arch ampere --dtype fp16 --a 3c00 --b 3c00",
                                         "sweep plan spec.yaml", "sweep run spec.yaml -q",
                                         "trace emit gemm:64 -m lab-tiny", "lab list", "--help",
                                         "--version", "completion bash"));

TEST_F(Output, AFullStandardErrorChangesNoStatusOfAMistake) {
  EXPECT_EQ(shell("$tcsim run gemm:64 -m nowhere 2> /dev/full").status, kUserMistake);
  EXPECT_EQ(shell("$tcsim run gemm:64 -m nowhere 2>&-").status, kUserMistake);
}

TEST_F(Output, AFullStandardErrorDoesNotEndASweep) {
  write("spec.yaml",
        "name: s\nmachines: [lab-tiny]\nworkloads: [\"gemm:m={m},n=64,k=64\"]\n"
        "axes: {m: [32, 64]}\n");
  const ChildResult result = shell("$tcsim sweep run spec.yaml -o s 2> /dev/full");
  EXPECT_EQ(result.status, kFileTrouble);  // for the lines of progress that nobody could read
  EXPECT_THAT(result.output, HasSubstr("2 of 2"));
  EXPECT_THAT(text_of("s/sweep.csv"), HasSubstr(",done,"));
}

TEST_F(Output, AClosedStreamIsNotTheFirstFileThatARunWrites) {
  ASSERT_EQ(shell("$tcsim run gemm:64 -m lab-tiny -o open").status, kDone);
  const ChildResult result = shell("$tcsim run gemm:64 -m lab-tiny -o closed <&- >&- 2>&-");
  EXPECT_EQ(result.status, kFileTrouble);
  EXPECT_THAT(text_of("closed/kernels.csv"), StartsWith("run,"));
  EXPECT_EQ(text_of("closed/kernels.csv").find("gemm 64x64x64"), std::string::npos);
  for (const char* file : {"stats.json", "manifest.json"})
    EXPECT_THAT(text_of(fs::path("closed") / file), AllOf(StartsWith("{\n"), EndsWith("\n}\n")));
  EXPECT_THAT(unfinished_below("closed"), IsEmpty());
}

TEST_F(Output, NoNameReachesTheTerminalAsACommandForIt) {
  const std::string evil =
      "evil\x1b]0;title\x07\x1b[2J\xc2\x9b"
      "31m\xe2\x80\xae";
  for (const ChildResult& result :
       {tcsim({"run", "gemm:" + evil, "-m", "lab-tiny"}), tcsim({"run", "gemm:64", "-m", evil}),
        tcsim({"show", evil}), tcsim({evil}), tcsim({"sweep", "status", evil}),
        tcsim({"lab", "check", evil})}) {
    EXPECT_NE(result.status, 0);
    const std::string text = result.output + result.errors;
    EXPECT_THAT(text, HasSubstr("evil\\"));
    for (const char* sign : {"\x1b", "\x07", "\xc2\x9b", "\xe2\x80\xae"})
      EXPECT_THAT(text, testing::Not(HasSubstr(sign)));
  }
}

TEST_F(Output, AClosedStandardOutputIsStatus5) {
  const ChildResult result = shell("$tcsim peak a100 >&-");
  EXPECT_EQ(result.status, kFileTrouble);
  EXPECT_EQ(result.errors, "tcsim: standard output: cannot write: Bad file descriptor\n");
}

TEST_F(Output, AClosedStandardInputCannotBeRead) {
  const ChildResult result = shell("$tcsim trace info - <&-");
  EXPECT_EQ(result.status, kFileTrouble);
  EXPECT_THAT(result.errors, HasSubstr("cannot read"));
}

TEST_F(Output, ANameOfStandardOutputIsWrittenToAndNotReplaced) {
  write("list.csv", "op,dtype_in,dtype_acc,params\ngemm,fp16,fp32,m=64;n=64;k=64\n");
  fs::create_symlink("/proc/self/fd/1", "stdout");  // as /dev/stdout is
  const ChildResult result = shell("$tcsim import csv list.csv -o stdout > net.yaml");
  EXPECT_EQ(result.status, kDone) << result.errors;
  EXPECT_TRUE(fs::is_symlink("stdout"));
  EXPECT_THAT(text_of("net.yaml"), AllOf(HasSubstr("layers:"), EndsWith("\nstdout\n")));
}

TEST_F(Output, AReaderWhoHasGoneEndsTheCommandBySigpipeWhenItsFilesAreWritten) {
  const ChildResult result =
      shell("{ sleep 0.1; $tcsim run gemm:64 -m lab-tiny -o r; echo $? >&2; } | true");
  EXPECT_EQ(result.errors, std::to_string(128 + SIGPIPE) + "\n");
  EXPECT_TRUE(fs::exists("r/report.html"));
}

TEST_F(Output, WhereSigpipeIsIgnoredAReaderWhoHasGoneIsStatus5) {
  const ChildResult result =
      shell("trap '' PIPE; { sleep 0.1; $tcsim peak a100; echo $? >&2; } | true");
  EXPECT_EQ(result.errors, "tcsim: standard output: cannot write: Broken pipe\n5\n");
}

TEST_F(Output, ADiskThatFillsUpLeavesTheReportAndNothingHalfWritten) {
  const ChildResult result = shell("ulimit -f 12; $tcsim run gemm:64 -m lab-tiny -o r");
  EXPECT_EQ(result.status, kFileTrouble);
  EXPECT_THAT(result.output, StartsWith("gemm 64x64x64"));
  EXPECT_THAT(result.errors, HasSubstr(": cannot write: File too large\n"));
  EXPECT_THAT(text_of("r/manifest.json"), HasSubstr("\"complete\": false"));
  EXPECT_THAT(unfinished_below("r"), IsEmpty());
}

TEST_F(Output, ADiskThatFillsUpLeavesTheRunThatWasToBeReplaced) {
  for (const char* workload : {"gemm:128", "net:lenet"}) {
    ASSERT_EQ(
        shell("rm -rf r before; $tcsim run gemm:64 -m lab-tiny -o r -q && cp -r r before").status,
        kDone);
    const ChildResult result =
        shell(std::string("ulimit -f 12; $tcsim run ") + workload + " -m lab-tiny -o r --force -q");
    EXPECT_EQ(result.status, kFileTrouble) << workload;
    EXPECT_THAT(result.errors, HasSubstr(": cannot write: File too large\n"));
    EXPECT_EQ(shell("diff -r before r").output, "") << workload;
  }
}

TEST_F(Output, AListOnAFullDiskKeepsWhatItHasFound) {
  write("list.csv", "op,dtype_in,dtype_acc,params\ngemm,fp16,fp32,m=64;n=64;k=64\n");
  const ChildResult result = shell("ulimit -f 12; $tcsim run csv:list.csv -m lab-tiny -o r");
  EXPECT_EQ(result.status, kFileTrouble);
  EXPECT_EQ(result.signal, 0);
  EXPECT_THAT(result.output, HasSubstr("cannot write: File too large"));
  EXPECT_THAT(unfinished_below("r"), IsEmpty());
}

TEST_F(Output, ASmallStackIsEnoughForValuesAndRtl) {
  for (const char* words : {"--values", "--tensor-core rtl"}) {
    const ChildResult result =
        shell(std::string("ulimit -s 256; $tcsim run gemm:64 -m a100 --no-files -q ") + words);
    EXPECT_EQ(result.status, kDone) << words << ": " << result.errors;
  }
}

TEST_F(Output, TooFewDescriptorsAreAMessage) {
  if (kHasAddressSanitizer) GTEST_SKIP() << "the sanitizer itself opens files";
  write("list.csv", "op,dtype_in,dtype_acc,params\ngemm,fp16,fp32,m=64;n=64;k=64\n");
  int refused = 0;
  for (int descriptors = 4; descriptors < 12; ++descriptors) {
    const std::string limit = "ulimit -n " + std::to_string(descriptors) + "; ";
    if (shell(limit + "$tcsim --version").status != kDone) continue;  // the loader has too few
    const ChildResult result = shell(limit + "$tcsim run csv:list.csv -m lab-tiny --no-files -j 1");
    if (result.status == kDone) continue;  // so many are enough
    EXPECT_EQ(result.status, kFileTrouble) << descriptors << ": " << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("Too many open files")) << descriptors;
    ++refused;
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace tcsim::cli
