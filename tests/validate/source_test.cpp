#include "sim/validate/source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "sim/files/data_folder.hpp"
#include "sim/validate/measurement.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::validate {
namespace {

namespace fs = std::filesystem;

/// A folder with a measurement table and a file of sources.
class MeasuredFolder {
 public:
  MeasuredFolder(const std::string& row, const std::string& sources) {
    std::ofstream(folder_.path() / "times.csv")
        << "gpu,op,dtype_in,dtype_acc,params,time_us,tflops,clock_mhz_if_known,source_id,notes\n"
        << row << "\n";
    if (!sources.empty()) std::ofstream(folder_.path() / "sources.yaml") << sources;
  }

  [[nodiscard]] std::string sources() const { return (folder_.path() / "sources.yaml").string(); }
  [[nodiscard]] Measurement row() const {
    return read_measurements((folder_.path() / "times.csv").string(), GpuNames()).rows.at(0);
  }

 private:
  const test::TemporaryDirectory folder_;
};

constexpr const char* kRow = "A100,gemm,fp16,fp32,m=64;n=128;k=256;layout=NT,12.5,9,,MINE,graph";

std::string refusal(const std::string& text) {
  return test::refusal([&] { return read_sources_text("s.yaml", text); });
}

TEST(Sources, SayHowTimesWereTaken) {
  const Sources sources = read_sources_text(
      "s.yaml", "MINE: {gap_us: 1.5, floor_us: 2, l2: rotating, power_limited_above_us: never}\n");
  const SourceTraits& traits = sources.at("MINE").traits;
  EXPECT_EQ(traits.gap_us, 1.5);
  EXPECT_EQ(traits.floor_us, 2);
  EXPECT_EQ(traits.l2, L2State::kRotating);
  EXPECT_EQ(traits.power_limited_above_us, std::numeric_limits<double>::infinity());
}

TEST(Sources, WithoutAWordRunKernelsBackToBackWithAWarmL2) {
  for (const SourceTraits& traits :
       {read_sources_text("s.yaml", "MINE: {}\n").at("MINE").traits, SourceTraits{}}) {
    EXPECT_EQ(traits.gap_us, std::nullopt);
    EXPECT_EQ(traits.floor_us, 0);
    EXPECT_EQ(traits.l2, L2State::kWarm);
    EXPECT_EQ(traits.power_limited_above_us, 0);
  }
}

TEST(Sources, ARuleTakesWhatItLeavesOutFromItsSource) {
  const Sources sources =
      read_sources_text("s.yaml",
                        "MINE:\n  gap_us: 1.5\n  l2: cold\n  rows:\n    - {op: gemm, floor_us: 3}\n"
                        "    - {notes: graph, gap_us: launch_overhead}\n");
  const std::vector<RowRule>& rows = sources.at("MINE").rows;
  EXPECT_EQ(rows.at(0).traits.gap_us, 1.5);
  EXPECT_EQ(rows.at(0).traits.floor_us, 3);
  EXPECT_EQ(rows.at(0).traits.l2, L2State::kCold);
  EXPECT_EQ(rows.at(1).notes, std::vector<std::string>{"graph"});
  EXPECT_EQ(rows.at(1).traits.gap_us, std::nullopt);
}

TEST(Sources, EveryMistakeIsReportedWithItsPlace) {
  EXPECT_EQ(
      refusal("MINE:\n"
              "  gap_u: 1.5\n"
              "  l2: wram\n"
              "  floor_us: -1\n"
              "  power_limited_above_us: always\n"
              "  rows:\n"
              "    - {op: gem, dtype: fp61}\n"
              "    - {op: conv_fwd, calls: padded}\n"
              "    - {words: {out: fp16}}\n"),
      "s.yaml:2:3: MINE.gap_u: unknown key; did you mean \"gap_us\"?\n"
      "s.yaml:3:7: MINE.l2: 'wram' is not one of cold, warm, rotating, overwritten; did you mean "
      "\"warm\"?\n"
      "s.yaml:4:13: MINE.floor_us: -1 is out of range; allowed are 0 to 1000000\n"
      "s.yaml:5:27: MINE.power_limited_above_us: expected a number or never, got 'always'\n"
      "s.yaml:7:12: MINE.rows.op: 'gem' is not one of gemm, conv_fwd, conv_dgrad, "
      "conv_wgrad, attention_fwd, attention_decode, attention_bwd, attention_fwd_bwd, softmax, "
      "layernorm, rms_norm, gelu, silu, silu_and_mul, add, quantize, dequantize, relu, mul, "
      "add_relu, copy, to_fp32, "
      "from_fp32, tanh, sigmoid, quantize_e4m3, scale_bias, bias, max_pool, avg_pool, upsample; "
      "did you mean \"gemm\"?\n"
      "s.yaml:7:24: MINE.rows.dtype: 'fp61' is not one of fp16, bf16, tf32, fp32, fp64, "
      "int8, int32, e4m3, e5m2; did you mean \"fp16\"?\n"
      "s.yaml:8:29: MINE.rows.calls: only calls of products are padded; add op: gemm\n"
      "s.yaml:9:15: MINE.rows.words: they are words of one operation; add op");
}

TEST(Sources, NameTheLibrariesWhoseKernelsWereTimed) {
  const MeasuredFolder folder(
      kRow, "MINE:\n  libraries: [tensorrt]\n  rows:\n    - {op: gemm, gap_us: 3}\n");
  EXPECT_THAT(folder.row().traits.libraries, ::testing::ElementsAre("tensorrt"));
}

TEST(Sources, ALibraryThatIsNoneIsReportedWithItsPlace) {
  EXPECT_THAT(
      refusal("MINE:\n  libraries: [tensort]\n"),
      ::testing::StartsWith("s.yaml:2:14: MINE.libraries: tensort: no such library; did you mean "
                            "\"tensorrt\"?"));
}

TEST(Sources, StandBesideTheTableOfMeasurements) {
  const MeasuredFolder folder(kRow, "MINE: {gap_us: 2.5, l2: cold}\nAIC: {gap_us: 9}\n");
  EXPECT_EQ(folder.row().traits.gap_us, 2.5);
  EXPECT_EQ(folder.row().traits.l2, L2State::kCold);
}

TEST(Sources, OfTheProjectAreKnownBesideOwnOnes) {
  std::string row = kRow;
  row.replace(row.find("MINE"), 4, "XLA");
  EXPECT_EQ(MeasuredFolder(row, "MINE: {}\n").row().traits.l2, L2State::kCold);
  EXPECT_EQ(MeasuredFolder(row, "XLA: {l2: warm}\n").row().traits.l2, L2State::kWarm);
  EXPECT_EQ(MeasuredFolder(row, "XLA: {gap_us: 1}\n").row().traits.l2, L2State::kWarm)
      << "an own description replaces the project's as a whole";
}

TEST(Sources, TheFirstRuleThatFitsARowHolds) {
  const MeasuredFolder folder(
      kRow,
      "MINE:\n  rows:\n    - {notes: [graph, l2=cold], gap_us: 1}\n"
      "    - {gpu: another, gap_us: 6}\n"
      "    - {op: softmax, gap_us: 2}\n    - {dtype: bf16, gap_us: 3}\n"
      "    - {dtype: fp16, acc: fp16, gap_us: 7}\n"
      "    - {op: gemm, dtype: fp16, acc: fp32, notes: [graph], gap_us: 4}\n"
      "    - {gap_us: 5}\n");
  EXPECT_EQ(folder.row().traits.gap_us, 4);
}

TEST(Sources, ARuleMayHoldForOneGpu) {
  const std::string gpu(kRow, std::string_view(kRow).find(','));
  const MeasuredFolder folder(kRow, "MINE:\n  rows:\n    - {gpu: " + gpu + ", gap_us: 6}\n");
  EXPECT_EQ(folder.row().traits.gap_us, 6);
}

TEST(Sources, WordsStandInPlaceOfThoseOfTheRow) {
  const MeasuredFolder folder(kRow,
                              "MINE: {rows: [{op: gemm, words: {out: fp32, residual: 1}}]}\n");
  EXPECT_EQ(folder.row().workload,
            "gemm:m=64,n=128,k=256,dtype=fp16,acc=fp32,out=fp32,layout=nt,batch=1,residual=1");
}

TEST(Sources, WordsMayReplaceTheFirst) {
  const MeasuredFolder folder(kRow, "MINE: {rows: [{op: gemm, words: {m: 96}}]}\n");
  EXPECT_EQ(folder.row().workload,
            "gemm:m=96,n=128,k=256,dtype=fp16,acc=fp32,out=fp16,layout=nt,batch=1");
}

TEST(Sources, WordsThatNoWorkloadHasAreRefusedWithTheirPlace) {
  const MeasuredFolder folder(kRow, "MINE:\n  rows:\n    - {op: gemm, words: {outt: fp32}}\n");
  const std::string message = test::refusal([&] { return folder.row(); });
  EXPECT_THAT(message,
              ::testing::StartsWith(folder.sources() + ":3:7: words: gemm:m=64,n=128,k=256"));
  EXPECT_THAT(message, ::testing::HasSubstr("did you mean \"out\"?"));
}

TEST(Sources, PadTheCallsOfInt8OnT4ThatNoKernelMultipliesAsPrinted) {
  const fs::path table = files::data_folder("tests/validation") / "times_t4.csv";
  for (const Measurement& row : read_measurements(table.string(), GpuNames()).rows)
    EXPECT_THAT(row.workload, ::testing::Not(::testing::HasSubstr("k=1530"))) << row.line;
}

TEST(Sources, AreWrittenDownForEveryTableOfTheProject) {
  const fs::path folder = files::data_folder("tests/validation");
  const GpuNames names;
  const Sources sources = read_sources((folder / "times_a100.csv").string());
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with("times_")) continue;
    for (const Measurement& row : read_measurements(entry.path().string(), names).rows)
      EXPECT_TRUE(sources.contains(row.source)) << entry.path() << ":" << row.line;
  }
}

}  // namespace
}  // namespace tcsim::validate
