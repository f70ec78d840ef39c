#include "sim/cli/mma_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/mma/outcome.hpp"
#include "tests/mma/temporary_file.hpp"

namespace tcsim::cli {
namespace {

using ::testing::HasSubstr;

mma::Outcome run_words(std::vector<std::string> words) {
  CLI::App app;
  int status = -1;
  add_mma_command(app, status);
  words.insert(words.begin(), "mma");
  ::testing::internal::CaptureStdout();
  mma::Outcome outcome = mma::outcome_of([&](std::ostream&) {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    return status == kDone;
  });
  outcome.out = ::testing::internal::GetCapturedStdout();
  return outcome;
}

TEST(MmaCommand, WithoutAWordItCalculates) {
  const mma::Outcome outcome =
      run_words({"--arch", "ampere", "--dtype", "fp16", "--acc", "fp32", "--a", "3c00,4000", "--b",
                 "3c00,4000", "--c", "3f800000"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "D = 40c00000 = 6\n");
}

TEST(MmaCommand, CheckTakesOneFile) {
  const mma::TemporaryFile file("vectors.csv", "cat,a,b,c,d\nx,3c00,3c00,00000000,3f800000\n");
  const mma::Outcome outcome =
      run_words({"check", "--arch", "volta", "--dtype", "fp16", "--acc", "fp32", file.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.out, HasSubstr("1 vectors, 0 mismatches"));
  EXPECT_EQ(run_words({"check", "--arch", "volta", "--dtype", "fp16", "one", "two"}).status, 2);
  EXPECT_EQ(run_words({"check", "--arch", "volta", "--dtype", "fp16"}).errors,
            "mma check: no file; write tcsim mma check --arch A --dtype D FILE");
}

TEST(MmaCommand, TileTakesFiles) {
  EXPECT_EQ(run_words({"tile", "/no/such.jsonl"}).status, 5);
  EXPECT_EQ(run_words({"tile"}).errors, "mma tile: no file; write tcsim mma tile FILE.jsonl");
}

/// 2^-24 and 2^-24 onto 1.
TEST(MmaCommand, NumericsOfAFileTakeThePlaceOfAGeneration) {
  const auto sum = [](const std::string& change) {
    const mma::TemporaryFile file("numerics.yaml", "numerics: {base: ampere, " + change + "}\n");
    return run_words({"--numerics", file.path(), "--dtype", "fp16", "--a", "0c00,0c00", "--b",
                      "0c00,0c00", "--c", "3f800000"})
        .out;
  };
  EXPECT_EQ(sum("fp16: {}"), "D = 3f800001 = 1.0000001192092896\n");
  EXPECT_EQ(sum("fp16: {products: 1}"), "D = 3f800000 = 1\n");
  EXPECT_EQ(sum("fp16: {grid_fraction_bits: 23}"), "D = 3f800000 = 1\n");
  const mma::TemporaryFile volta("volta.yaml", "numerics: {base: volta}\n");
  EXPECT_EQ(run_words({"--numerics", volta.path(), "--arch", "volta", "--dtype", "fp16"}).errors,
            "mma: --arch, --numerics and -m each set the arithmetic; give one");
  EXPECT_EQ(
      run_words({"--numerics", volta.path(), "--dtype", "bf16", "--a", "0", "--b", "0"}).status, 3);
}

TEST(MmaCommand, AMachineTakesThePlaceOfAGeneration) {
  const auto sum = [](std::vector<std::string> words) {
    words.insert(words.end(),
                 {"--dtype", "fp16", "--a", "0c00,0c00", "--b", "0c00,0c00", "--c", "3f800000"});
    return run_words(words);
  };
  EXPECT_EQ(sum({"-m", "a100"}).out, "D = 3f800001 = 1.0000001192092896\n");
  EXPECT_EQ(sum({"-m", "a100", "--set", "numerics.fp16.grid_fraction_bits=23"}).out,
            "D = 3f800000 = 1\n");
  const mma::TemporaryFile own(
      "own.yaml", "base: a100\nname: own\nnumerics: {fp16: {grid_fraction_bits: 23}}\n");
  EXPECT_EQ(sum({"-m", own.path()}).out, "D = 3f800000 = 1\n");
  EXPECT_EQ(sum({"--numerics", own.path()}).out, "D = 3f800000 = 1\n");
  EXPECT_EQ(sum({"-m", "a100", "--numerics", own.path()}).errors,
            "mma: --arch, --numerics and -m each set the arithmetic; give one");
  EXPECT_EQ(sum({"--arch", "ampere", "--set", "numerics.fp16.products=4"}).errors,
            "mma: --set changes a machine: name it with -m");
}

TEST(MmaCommand, OptionsThatWouldHaveNoEffectAreRefused) {
  const std::vector<std::vector<std::string>> all = {
      {"--arch", "volta"}, {"--dtype", "fp16"}, {"--b-dtype", "fp16"}, {"--acc", "fp32"},
      {"--instr", "mma"},  {"--op", "xor"},     {"--satfinite"},       {"--m8n8k4"}};
  for (std::vector<std::string> words : all) {
    const std::string option = words.front();
    words.insert(words.end(), {"tile", "x.jsonl"});
    const mma::Outcome outcome = run_words(words);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.errors,
              "mma: tile reads instruction and GPU from the file; leave " + option + " out");
  }
  EXPECT_EQ(run_words({"tile", "--acc", "fp32", "--dtype", "fp16", "x.jsonl"}).errors,
            "mma: tile reads instruction and GPU from the file; leave --dtype, --acc out");
  EXPECT_EQ(run_words({"check", "--a", "3c00", "x.csv"}).errors,
            "mma: check takes no --a, --b, --c or --explain");
}

TEST(MmaCommand, AnUnknownWordNamesTheKnownOnes) {
  const mma::Outcome outcome = run_words({"chekc"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.errors, "mma: unknown word 'chekc'; allowed: check FILE, tile FILE");
}

}  // namespace
}  // namespace tcsim::cli
