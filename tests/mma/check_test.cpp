#include "sim/mma/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/mma/outcome.hpp"
#include "tests/mma/temporary_file.hpp"
#include "tests/support/measured_vectors.hpp"

namespace tcsim::mma {
namespace {

using ::testing::HasSubstr;

Outcome check(const std::string& arch, const std::string& dtype, const std::string& acc,
              const std::string& file, const std::string& instr = "mma") {
  CheckOptions options;
  options.arithmetic.arch = arch;
  options.arithmetic.dtype = dtype;
  options.arithmetic.acc = acc;
  options.arithmetic.instr = instr;
  options.file = file;
  return outcome_of([&](std::ostream& out) { return mma::check(options, out); });
}

const std::string vector_header = "cat,a,b,c,d\n";

TEST(MmaCheck, CountsVectorsAndMismatchesPerCategory) {
  const TemporaryFile file("good.csv", vector_header +
                                           "one,3c00,3c00,00000000,3f800000\n"
                                           "two,3c003c00,3c003c00,00000000,40000000\n"
                                           "two,3c003c00,3c003c00,00000000,40000001\n");
  const Outcome outcome = check("ampere", "fp16", "fp32", file.path());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, file.path() + ": 3 vectors, 1 mismatches\n" +
                             "  one: 1 vectors, 0 mismatches\n"
                             "  two: 2 vectors, 1 mismatches\n" +
                             file.path() + ":4: two: d expected 40000001, computed 40000000\n");
}

TEST(MmaCheck, ReadsGzipAndWindowsLineEnds) {
  const TemporaryFile file("good.csv.gz", "cat,a,b,c,d\r\nx,3c00,3c00,00000000,3f800000\r\n\r\n");
  const Outcome outcome = check("ampere", "fp16", "fp32", file.path());
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.out, HasSubstr(": 1 vectors, 0 mismatches\n"));
}

TEST(MmaCheck, ShowsTheFirstFiveMismatchesOnly) {
  std::string text = vector_header;
  for (int i = 0; i < 9; ++i) text += "x,3c00,3c00,00000000,00000000\n";
  const TemporaryFile file("many.csv", text);
  const std::string out = check("ampere", "fp16", "fp32", file.path()).out;
  EXPECT_THAT(out, HasSubstr("9 vectors, 9 mismatches"));
  EXPECT_THAT(out, HasSubstr(":6: x:"));
  EXPECT_THAT(out, ::testing::Not(HasSubstr(":7: x:")));
}

TEST(MmaCheck, IntegersHaveAWrappingAndASaturatingResult) {
  const TemporaryFile file("int8.csv",
                           "cat,a,b,c,d_wrap,d_satfinite\n"
                           "top,7f,7f,7fffffff,80003f00,7fffffff\n");
  EXPECT_EQ(check("turing", "int8", "", file.path()).status, 0);
  const TemporaryFile wrong("int8.csv",
                            "cat,a,b,c,d_wrap,d_satfinite\n"
                            "top,7f,7f,7fffffff,80003f00,80003f00\n");
  const Outcome outcome = check("turing", "int8", "", wrong.path());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("d_satfinite expected 80003f00, computed 7fffffff"));
}

TEST(MmaCheck, FourBitIntegersTakeOneDigitEach) {
  const TemporaryFile file("int4.csv",
                           "cat,a,b,c,d_wrap,d_satfinite\nx,8f,7f,00000000,ffffffc9,ffffffc9\n");
  EXPECT_EQ(check("ampere", "int4", "int32", file.path()).status, 0);
}

TEST(MmaCheck, BitsHaveAnXorAndAnAndResult) {
  const TemporaryFile file("b1.csv",
                           "cat,a,b,c,d_xor_popc,d_and_popc\n"
                           "x,f0f0,ff00,00000001,00000009,00000005\n");
  EXPECT_EQ(check("ampere", "b1", "", file.path()).status, 0);
  EXPECT_EQ(check("turing", "b1", "", file.path()).status, 3);  // has no `.and`
}

TEST(MmaCheck, TheWordNanMatchesAnyFp64NanAndAPatternItself) {
  const std::string one = "3ff0000000000000";
  const std::string onto_one = "," + one + "," + one + ",";
  const std::string nan = "x,7ff0000000000001" + onto_one;
  const TemporaryFile file("fp64.csv", vector_header + "x,7ff0000000000000,0000000000000000," +
                                           one + ",nan\n" + nan + "nan\n" + nan +
                                           "7ff8000000000001\n" + "x," + one + onto_one +
                                           "4000000000000000\n");
  EXPECT_EQ(check("ampere", "fp64", "fp64", file.path()).status, 0);
  const TemporaryFile wrong("fp64.csv", vector_header + "x," + one + onto_one + "nan\n");
  EXPECT_EQ(check("ampere", "fp64", "fp64", wrong.path()).status, 1);
  const TemporaryFile payload("fp64.csv", vector_header + nan + "7ff8000000000000\n");
  EXPECT_EQ(check("ampere", "fp64", "fp64", payload.path()).status, 1);
}

TEST(MmaCheck, ColumnsAreFoundByNameAndTheCategoryIsOptional) {
  const TemporaryFile file("order.csv", "d,c,b,a,note,note\n3f800000,00000000,3c00,3c00,extra,\n");
  const Outcome outcome = check("ampere", "fp16", "fp32", file.path());
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.out, HasSubstr("  all: 1 vectors"));
}

TEST(MmaCheck, OurDirectedVectorsPass) {
  const std::string folder = TC_VECTOR_DIR;
  EXPECT_EQ(check("hopper", "tf32", "fp32", folder + "/hopper_mma_tf32_fp32.csv").status, 0);
  EXPECT_EQ(check("hopper", "e4m3", "fp32", folder + "/hopper_wgmma_e4m3_fp32.csv", "wgmma").status,
            0);
}

TEST(MmaCheck, RecordedVectorsOfAGpuPass) {
  const auto file = test::measured_vectors_folder() / "v100_wmma_f16_f16_k4.csv.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << test::how_to_get_vectors(file);
  const Outcome outcome = check("volta", "fp16", "fp16", file.string());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("1000 vectors, 0 mismatches"));
}

void expect_vector_mistake(const std::string& text, const std::string& line_after_path) {
  const TemporaryFile file("bad.csv", text);
  const Outcome outcome = check("ampere", "fp16", "fp32", file.path());
  EXPECT_EQ(outcome.status, 2) << text;
  EXPECT_EQ(outcome.errors, file.path() + line_after_path);
  EXPECT_EQ(outcome.out, "");
}

TEST(MmaCheck, EveryMistakeNamesFileLineAndColumn) {
  expect_vector_mistake("", ":1:1: the file is empty");
  expect_vector_mistake(vector_header, ":2:1: no vectors after the header");
  expect_vector_mistake("cat,a,b,d\n", ":1:1: no column 'c' in the header 'cat,a,b,d'");
  expect_vector_mistake("cat,a,b,c,e\n", ":1:1: no result column (d) in the header 'cat,a,b,c,e'");
  expect_vector_mistake("cat,a,b,c,d,a\n", ":1:13: column 'a' is given twice");
  expect_vector_mistake("d,a,b,c,d\n", ":1:9: column 'd' is given twice");
  expect_vector_mistake(vector_header + "x,3c00,3c00,00000000\n",
                        ":2:1: 4 fields; the header has 5");
  expect_vector_mistake(vector_header + "x,3c0,3c00,00000000,00000000\n",
                        ":2:3: '3c0' has 3 digits; an element has 4 of fp16");
  expect_vector_mistake(vector_header + "x,3c00,3c0z,00000000,00000000\n",
                        ":2:11: 'z' is not a hexadecimal digit of fp16");
  expect_vector_mistake(vector_header + "x,3c00,3c003c00,00000000,00000000\n",
                        ":2:8: b has 2 elements, a has 1");
  expect_vector_mistake(vector_header + "x,3c00,3c00,0000,00000000\n",
                        ":2:13: '0000' has 4 digits; an element has 8 of fp32");
  expect_vector_mistake(vector_header + "x,3c00,3c00,0000000000000000,00000000\n",
                        ":2:13: '0000000000000000' holds 2 elements of fp32; give one");
  expect_vector_mistake(vector_header + "x,,3c00,00000000,00000000\n",
                        ":2:3: expected hexadecimal digits, got nothing of fp16");
  expect_vector_mistake(vector_header + "x,3c00,3c00,00000000,nan\n",
                        ":2:22: 'n' is not a hexadecimal digit of fp32");
}

TEST(MmaCheck, AFileThatCannotBeReadIsStatus5) {
  const Outcome missing = check("ampere", "fp16", "fp32", "/no/such/file.csv");
  EXPECT_EQ(missing.status, 5);
  EXPECT_EQ(missing.errors, "/no/such/file.csv: cannot read: No such file or directory");
  EXPECT_EQ(check("ampere", "fp16", "fp32", "/").status, 5);
}

TEST(MmaCheck, ATruncatedGzipIsStatus5) {
  std::string text = vector_header;
  for (int i = 0; i < 3000; ++i)
    text += "x,3c00,3c00,0000000" + std::to_string(i % 10) + ",3f800000\n";
  const TemporaryFile file("cut.csv.gz", text);
  std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) / 2);
  const Outcome outcome = check("ampere", "fp16", "fp32", file.path());
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.errors, HasSubstr("cannot unpack"));
}

TEST(MmaCheck, AFormatTheGenerationLacksIsStatus3) {
  EXPECT_EQ(check("volta", "tf32", "fp32", "/no/such/file.csv").status, 3);
}

}  // namespace
}  // namespace tcsim::mma
