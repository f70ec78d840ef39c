#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Timeline : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(tcsim({"run", "gemm:128", "-m", "lab-tiny", "-o", "run"}).status, 0);
  }

  TemporaryHome home_;
};

TEST_F(Timeline, ShowsTheMiddleOfARunAsText) {
  const ChildResult result = tcsim({"timeline", "run"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("gemm 128x128x128 fp16->fp32 NT    machine lab-tiny"));
  EXPECT_THAT(result.output, HasSubstr("SM 0, sub-core 0, cycles "));
  EXPECT_THAT(result.errors, HasSubstr("simulating gemm:m=128"));
}

TEST_F(Timeline, PrintsTheSameEachTimeAndForEachQuantum) {
  ASSERT_EQ(tcsim({"run", "gemm:128", "-m", "lab-tiny", "-o", "one", "--quantum", "1"}).status, 0);
  const ChildResult first = tcsim({"timeline", "run", "--cycles", "6000:6100", "--sub-core", "3"});
  EXPECT_EQ(first.output,
            tcsim({"timeline", "run", "--cycles", "6000:6100", "--sub-core", "3"}).output);
  EXPECT_EQ(first.output,
            tcsim({"timeline", "one", "--cycles", "6000:6100", "--sub-core", "3"}).output);
}

TEST_F(Timeline, WritesFilesForViewers) {
  EXPECT_EQ(tcsim({"timeline", "run", "--to", "kanata"}).status, 0);
  EXPECT_EQ(tcsim({"timeline", "run", "--to", "perfetto", "-o", "p.json.gz"}).status, 0);
  EXPECT_THAT(text_of("run/timeline.kanata.zst"), StartsWith("\x28\xb5\x2f\xfd"));
  EXPECT_THAT(text_of("p.json.gz"), StartsWith("\x1f\x8b"));
}

TEST_F(Timeline, ARunRecordsTheSameWindow) {
  const ChildResult result = tcsim({"run", "gemm:128", "-m", "lab-tiny", "-o", "with", "--timeline",
                                    "sub-core=1,cycles=6000:6200"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("timeline.kanata.zst"));
  ASSERT_EQ(tcsim({"timeline", "run", "--sub-core", "1", "--cycles", "6000:6200", "--to", "kanata"})
                .status,
            0);
  EXPECT_EQ(text_of("with/timeline.kanata.zst"), text_of("run/timeline.kanata.zst"));
}

TEST_F(Timeline, AnInterruptedRunDoesNotWriteALongOne) {
  const ChildResult result = tcsim({"run", "gemm:8192", "-m", "lab-tiny", "--timeline",
                                    "sm=0,cycles=0:100000000", "--timeout", "0.6", "-o", "long"});
  EXPECT_EQ(result.status, 4);
  EXPECT_THAT(result.errors, HasSubstr(" instructions and is not written; --max-cycles "));
  EXPECT_FALSE(std::filesystem::exists("long/timeline.kanata.zst"));
}

TEST_F(Timeline, ShowsTheSecondRunBehindAWarmUp) {
  ASSERT_EQ(tcsim({"run", "gemm:128", "-m", "lab-tiny", "--warm-l2", "-o", "warm"}).status, 0);
  const ChildResult result = tcsim({"timeline", "warm"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("HMMA.16816"));
}

TEST_F(Timeline, RefusesWhatItCannotShow) {
  const auto refused = [](std::vector<std::string> arguments, const std::string& reason) {
    const ChildResult result = tcsim(std::move(arguments));
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_THAT(result.errors, HasSubstr(reason));
  };
  refused({"timeline"}, "which run?");
  refused({"timeline", "run", "--to", "kanta"}, "did you mean \"kanata\"?");
  refused({"timeline", "run", "--cycles", "9:3"}, "'9:3' is not FIRST:END");
  refused({"timeline", "run", "--cycles", "0:5000"}, "use --to kanata");
  refused({"timeline", "run", "--cycles", "9999990:9999999"}, "--cycles: the run has ");
  refused({"timeline", "run", "--sm", "1"}, "SM 1: lab-tiny has SMs 0 to 0");
  refused({"timeline", "run", "--sub-core", "4"}, "sub-core 4: lab-tiny has sub-cores 0 to 3");
  refused({"run", "gemm:64", "-m", "lab-tiny", "--timeline", "subcore=1"},
          "did you mean \"sub-core\"?");
  refused({"run", "gemm:64", "-m", "lab-tiny", "--timeline", "sm=0"}, "names no cycles");
  refused({"run", "gemm:64", "-m", "lab-tiny", "--timeline", "cycles=0:9", "--no-files"},
          "cannot be combined with");
}

TEST_F(Timeline, RefusesARunThatTheMachineNoLongerMatches) {
  const auto refusal_of = [](const nlohmann::ordered_json& manifest) {
    std::ofstream("run/manifest.json") << manifest;
    const ChildResult result = tcsim({"timeline", "run"});
    EXPECT_EQ(result.status, 2);
    return result.errors;
  };
  auto manifest = nlohmann::ordered_json::parse(text_of("run/manifest.json"));
  for (auto& argument : manifest["arguments"])
    if (argument == "lab-tiny") argument = "a100";
  EXPECT_THAT(refusal_of(manifest), HasSubstr("was changed since it was written"));
  manifest.erase("checksum");  // as a tcsim without checksums would have written it
  EXPECT_THAT(refusal_of(manifest), HasSubstr("have changed since this run"));
  EXPECT_EQ(tcsim({"timeline", "nowhere"}).status, 5);
}

TEST_F(Timeline, RefusesARunWhoseKernelFileHoldsAnotherKernel) {
  for (const std::string form : {"tct", "traceg"}) {
    const std::string file = "k." + form;
    const auto emit = [&](const std::string& workload) {
      ASSERT_EQ(tcsim({"trace", "emit", workload, "-m", "lab-tiny", "--form", form, "-o", file,
                       "--force"})
                    .status,
                0);
    };
    emit("gemm:64");
    ASSERT_EQ(tcsim({"run", "trace:" + file, "-m", "lab-tiny", "-o", form}).status, 0);
    EXPECT_EQ(tcsim({"timeline", form}).status, 0) << form;
    emit("gemm:m=64,n=64,k=512");
    const ChildResult changed = tcsim({"timeline", form});
    EXPECT_EQ(changed.status, 2) << form;
    EXPECT_THAT(changed.errors, HasSubstr("have changed since this run"));
  }
}

TEST_F(Timeline, RefusesARunOfStandardInput) {
  ASSERT_EQ(tcsim({"trace", "emit", "gemm:64", "-m", "lab-tiny", "-o", "k.tct"}).status, 0);
  ASSERT_EQ(command({"/bin/sh", "-c", "\"$0\" run trace:- -m lab-tiny -o piped <k.tct", program()})
                .status,
            0);
  const ChildResult result = tcsim({"timeline", "piped"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors,
            "piped/manifest.json: the run read its kernel from standard input and cannot be "
            "repeated\n");
}

TEST_F(Timeline, AWindowBehindTheEndOfTheRunIsReported) {
  const ChildResult result = tcsim({"run", "gemm:64", "-m", "lab-tiny", "-o", "short", "--timeline",
                                    "sm=0,cycles=9999990:9999999"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.errors, HasSubstr("the timeline is empty; the run ended at cycle "));
}

}  // namespace
}  // namespace tcsim::cli
