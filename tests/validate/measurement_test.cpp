#include "sim/validate/measurement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"
#include "workloads/import/workload_size.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::validate {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeader =
    "gpu,op,dtype_in,dtype_acc,params,time_us,tflops,clock_mhz_if_known,source_id,notes\n";

/// A file that holds `text` while this exists.
class TimesFile {
 public:
  explicit TimesFile(const std::string& text) { std::ofstream(name()) << text; }

  [[nodiscard]] std::string name() const { return (folder_.path() / "times.csv").string(); }

 private:
  const test::TemporaryDirectory folder_;
};

MeasurementList read(const std::string& rows, const GpuNames& names = GpuNames()) {
  const TimesFile file(kHeader + rows);
  return read_measurements(file.name(), names);
}

Measurement only(const std::string& row) {
  const MeasurementList list = read(row);
  EXPECT_EQ(list.rows.size(), 1u);
  return list.rows.at(0);
}

std::string reason(const std::string& row) {
  const MeasurementList list = read(row);
  EXPECT_EQ(list.skipped.size(), 1u);
  return list.skipped.at(0).reason;
}

TEST(Measurements, HoldWhatTheRowSays) {
  const Measurement row = only(
      "A100-SXM4-80GB,gemm,bf16,fp32,m=64;n=128;k=256;layout=NT,12.5,9,1410,AIC,"
      "clk=nominal;l2=weights_cold\n");
  EXPECT_EQ(row.line, 2);
  EXPECT_EQ(row.model.machine, "a100-80gb");
  EXPECT_TRUE(row.model.overrides.empty());
  EXPECT_EQ(row.dtype, "bf16");
  EXPECT_EQ(row.unit, "tensor");
  EXPECT_EQ(row.time_us, 12.5);
  EXPECT_EQ(row.flop, 2.0 * 64 * 128 * 256);
  EXPECT_EQ(row.source, "AIC");
  EXPECT_EQ(row.traits.l2, L2State::kRotating);
  EXPECT_EQ(row.traits.gap_us, 1.25);
}

TEST(Measurements, RunTheCallsOfDeepBench) {
  const std::string half = ",fp16,fp32,m=35;n=64;k=1760;layout=NT,85,12,,DEEPBENCH,\n";
  const Measurement row = only("V100-SXM2-16GB,gemm" + half);
  EXPECT_EQ(row.workload,
            "gemm:m=40,n=64,k=1760,dtype=fp16,acc=fp32,out=fp16,layout=nt,batch=1,residual=1");
  EXPECT_EQ(row.flop, 2.0 * 35 * 64 * 1760);
}

TEST(Measurements, RunTheServersKernelsWithTheirCacheWrite) {
  const Measurement row = only(
      "A100-SXM4-80GB,attention_fwd,bf16,fp32,b=2;heads=8;kvheads=2;seq=64;dim=128;causal=1,20,1,"
      "1410,AIC_ATT,clk=nominal;kernel=fa2;incl_kv_cache_write\n");
  EXPECT_EQ(row.workload,
            "attn:b=2,heads=8,kvheads=2,n=64,kv=64,d=128,causal=1,dtype=bf16,algo=paged,"
            "cache_write=1");
  EXPECT_EQ(row.traits.gap_us, 3.4);
}

TEST(Measurements, RunAttentionAloneWithTheFixedCostAroundIt) {
  const Measurement prefill = only(
      "H100-SXM5-80GB,attention_fwd,bf16,fp32,b=2;heads=8;kvheads=2;seq=64;dim=128;causal=1,20,1,"
      "1980,AIC_ATT,kernel=fa3;attention_kernel_only\n");
  EXPECT_EQ(prefill.workload,
            "attn:b=2,heads=8,kvheads=2,n=64,kv=64,d=128,causal=1,dtype=bf16,algo=paged");
  EXPECT_EQ(prefill.traits.gap_us, 11.5);
  const Measurement encoder = only(
      "H100-SXM5-80GB,attention_fwd,bf16,fp32,b=2;heads=8;kvheads=8;seq=64;dim=64;causal=0,20,1,"
      "1980,AIC_ATT,kernel=fa3;encoder\n");
  EXPECT_EQ(encoder.workload,
            "attn:b=2,heads=8,kvheads=8,n=64,kv=64,d=64,causal=0,dtype=bf16,algo=fused");
  EXPECT_EQ(encoder.traits.gap_us, 11.5);
  const Measurement decode = only(
      "A100-SXM4-80GB,attention_decode,bf16,fp32,"
      "b=2;heads=8;kvheads=2;seq=1;kv=256;dim=128;causal=0,20,1,1410,AIC_ATT,"
      "kernel=best_backend_v0.14.0;incl_kv_cache_write\n");
  EXPECT_EQ(decode.workload,
            "attn:b=2,heads=8,kvheads=2,n=1,kv=256,d=128,causal=0,dtype=bf16,algo=fused");
  EXPECT_EQ(decode.traits.gap_us, 8.0);
}

TEST(Measurements, RunThePassesOfAttentionOneByOne) {
  const std::string params = ",fp16,fp32,b=2;heads=8;kvheads=8;seq=64;dim=64;causal=1,200,1,,";
  const std::string words =
      "attn:b=2,heads=8,kvheads=8,n=64,kv=64,d=64,causal=1,dtype=fp16,algo=fused";
  const Measurement backward = only("H200-SXM-141GB,attention_bwd" + params + "CUDNNFE,\n");
  EXPECT_EQ(backward.op, "attention_bwd");
  EXPECT_EQ(backward.workload, words + ",pass=bwd");
  EXPECT_TRUE(backward.further.empty());
  EXPECT_EQ(backward.traits.l2, L2State::kCold);
  const Measurement both = only("A100-SXM4-80GB,attention_fwd_bwd" + params + "FLASHATTN,\n");
  EXPECT_EQ(both.op, "attention_fwd_bwd");
  EXPECT_EQ(both.dtype, "fp16");
  EXPECT_EQ(both.unit, "tensor");
  EXPECT_EQ(both.workload, words);
  EXPECT_EQ(both.further, std::vector<std::string>{words + ",pass=bwd"});
  EXPECT_EQ(both.flop, 3.5 * 2 * 2 * 8 * 64 * 64 * 64);
}

TEST(Measurements, LeaveOutWhatTheSourceSaysIsNoRun) {
  const std::string row =
      "H100-SXM5-80GB,attention_bwd,bf16,fp32,b=1;heads=24;kvheads=24;seq=64;dim=64;causal=1,93,1,"
      "1420,HOTNEUTRON,";
  EXPECT_EQ(reason(row + "kernel=fa3_bwd_main\n"), "the time of the main launch alone");
  EXPECT_EQ(only(row + "\n").op, "attention_bwd");
}

TEST(Measurements, TakeALockedClockAndATile) {
  const Measurement row = only(
      "A100,gemm,fp16,fp16,m=64;n=128;k=256;layout=NT,12.5,9,1005,CUTLASSDOC,"
      "decomposition=data_parallel;tile=128x128x32;warp=64x64;stages=4;clock_locked\n");
  EXPECT_EQ(row.model.overrides, std::vector<std::string>{"clocks.sm_mhz=1005"});
  EXPECT_TRUE(row.locked_clock);
  EXPECT_EQ(row.tile, "128x128x32_s4_w2x2");
  EXPECT_FALSE(row.library_chose);
}

TEST(Measurements, TakeTheTileOfOurOwnKernelAsTheMeasurersChoice) {
  const Measurement row = only(
      "A100,gemm,fp16,fp32,m=256;n=256;k=256,12.5,9,1410,OWN,"
      "kernel=own;tile=128x128x32;warp=64x32;stages=4;graph;l2=warm;clk=sampled\n");
  EXPECT_EQ(row.tile, "128x128x32_s4_w2x4");
  EXPECT_FALSE(row.library_chose);
}

TEST(Measurements, TakeWhatIsKnownOfATile) {
  const auto tile = [](const std::string& notes) {
    return only(
               "RTX3070,conv_fwd,fp16,fp32,n=8;c=64;h=56;w=56;k=64;r=3;s=3;stride=1;pad=1,40,9,,"
               "MINE,fmt=NHWC;" +
               notes + "\n")
        .tile;
  };
  EXPECT_EQ(tile("tile=128x64x32;stages=6;warps=2x1"), "128x64x32_s6_w2x1");
  EXPECT_EQ(tile("tile=128x64x32;stages=6"), "128x64x32");
  EXPECT_EQ(tile("tile=128x64x;stages="), "128x64");
}

TEST(Measurements, TakeHowTheKTilesWereDealt) {
  const auto tile = [](const std::string& decomposition) {
    return only(
               "A100,gemm,fp16,fp16,m=64;n=128;k=256,12.5,9,1005,CUTLASSDOC,tile=128x128x32;"
               "warp=64x64;stages=4;decomposition=" +
               decomposition + "\n")
        .tile;
  };
  EXPECT_EQ(tile("split_k_2"), "128x128x32_s4_w2x2_splitk2_serial");
  EXPECT_EQ(tile("stream_k"), "128x128x32_s4_w2x2_streamk");
  EXPECT_EQ(tile("stream_k_as_data_parallel"), "128x128x32_s4_w2x2");
}

/// A convolution that TensorRT ran with `kernel`.
std::string engine_row(const std::string& kernel) {
  return "A100,conv_fwd,int8,int32,n=32;c=64;h=56;w=56;k=64;r=3;s=3;stride=1x1;pad=1x1,40,9,,MINE,"
         "fmt=NHWC;algo=implicit_gemm;kernel=" +
         kernel + "\n";
}

TEST(Measurements, TakeTheKernelThatALibraryChose) {
  const std::string begin = "sm80_xmma_fprop_implicit_gemm_interleaved_i8f16_i8i32_f32_";
  const Measurement row =
      only(engine_row(begin + "nchw_vect_c_32kcrs_vect_c_32_nchw_vect_c_32_tilesize192x64x64_"
                              "stage3_warpsize4x1x1_g1"));
  EXPECT_EQ(row.tile, "192x64x64_s3_w4x1");
  EXPECT_TRUE(row.library_chose);
  EXPECT_THAT(row.workload, ::testing::HasSubstr(",out=fp16"));
  const Measurement cut = only(engine_row(begin + "tilesize1;tile=192x64x64;stages=3"));
  EXPECT_EQ(cut.tile, "192x64x64_s3");
  EXPECT_THAT(cut.workload, ::testing::HasSubstr(",out=fp16"));
  EXPECT_FALSE(only(engine_row("unknown;tile=64x64x64")).workload.find(",out=fp16") !=
               std::string::npos);
}

TEST(Measurements, TakeATileInTheOrderOfItsKernelsName) {
  const auto tile = [](const std::string& notes) {
    return only("H100,gemm,bf16,fp32,m=64;n=128;k=256;layout=NT,12.5,9,,MINE," + notes + "\n").tile;
  };
  EXPECT_EQ(tile("kernel=cutlass_80_tensorop;tile=128x64x32"), "64x128x32");  // columns first
  EXPECT_EQ(tile("kernel=sm80_xmma;tile=128x64x32"), "128x64x32");
  EXPECT_EQ(tile("kernel=cutlass_75_tensorop;tile=256x128x"), "128x256");
}

TEST(Measurements, SkipWinograd) {
  EXPECT_EQ(reason(engine_row("turing_fp16_winograd_3x3")), "Winograd: not a product of tiles");
}

TEST(Measurements, TakeTheOrderAndAlgorithmOfAConvolution) {
  const Measurement row = only(
      "V100-SXM2-16GB,conv_fwd,fp16,fp32,n=8;c=64;h=54;w=54;k=64;r=3;s=3;stride=1;pad=1,40,9,,"
      "DEEPBENCH,fmt=NCHW;app=Face_Recognition;algo=IMPLICIT_PRECOMP_GEMM\n");
  EXPECT_EQ(row.op, "conv_fwd");
  EXPECT_EQ(row.workload,
            "conv:n=8,h=54,w=54,c=64,k=64,r=3,s=3,stride_h=1,stride_w=1,pad_h=1,pad_w=1,groups=1,"
            "pass=fwd,layout=nchw,dtype=fp16,acc=fp32,out=fp16,algo=implicit_gemm");
  EXPECT_EQ(row.flop, 2.0 * 8 * 54 * 54 * 64 * 64 * 9);
  EXPECT_EQ(workload::operand_bytes(workload::parse_workload(row.workload).front()),
            2.0 * (2.0 * 8 * 54 * 54 * 64 + 64.0 * 64 * 9));
  EXPECT_THAT(only("V100,conv_dgrad,fp16,fp32,n=1;c=8;h=8;w=8;k=8;r=3;s=3;pad=1,40,9,,X,"
                   "algo=unknown\n")
                  .workload,
              ::testing::EndsWith("pass=dgrad,layout=nhwc,dtype=fp16,acc=fp32,out=fp16,algo=auto"));
}

TEST(Measurements, RunFp32OnCudaCores) {
  EXPECT_EQ(only("A100,gemm,fp32,fp32,m=64;n=128;k=256,12.5,9,,NEUSIGHT,\n").unit, "cuda-core");
}

TEST(Measurements, RunBytesAcrossKOnCudaCores) {
  EXPECT_EQ(only("T4,gemm,int8,int32,m=64;n=128;k=256;layout=TT,12.5,9,,X,\n").unit, "cuda-core");
  EXPECT_EQ(only("T4,gemm,int8,int32,m=64;n=128;k=256;layout=NT,12.5,9,,X,\n").unit, "tensor");
}

TEST(Measurements, AMachineMayStandForEveryGpu) {
  const MeasurementList list =
      read("Abacus,gemm,fp16,fp32,m=64;n=64;k=64,1,1,,X,\n", GpuNames("configs/mine.yaml"));
  EXPECT_EQ(list.rows.at(0).model.machine, "configs/mine.yaml");
}

TEST(Measurements, AreSkippedForAReason) {
  EXPECT_EQ(reason("A100,gemm,fp16,fp32,m=64;n=64;k=64,1,1,,X,flag=overhead\n"),
            "flag=overhead: the time is mostly launch or measurement cost");
  EXPECT_EQ(reason("A100,gemm,fp16,fp32,m=64;n=64;k=64,1,1,,X,flag=over_peak\n"),
            "flag=over_peak: faster than the board's peak");
  EXPECT_EQ(reason("Abacus,gemm,fp16,fp32,m=64;n=64;k=64,1,1,,X,\n"),
            "no machine file for Abacus; give one with -m");
  EXPECT_EQ(reason("A100,gemm,fp16,fp32,m=64;n=64;k=64,1,1,,X,decomposition=split_k_2\n"),
            "decomposition split_k_2 is not generated");
}

TEST(Measurements, TakeTimesThatAKernelCanHave) {
  for (const char* const time : {"0.001", "1", "3.6e9"})
    EXPECT_EQ(
        read(std::string("A100,gemm,fp16,fp32,m=64;n=64;k=64,") + time + ",1,,X,\n").rows.size(),
        1U)
        << time;
  for (const char* const time :
       {"0", "-1", "inf", "-inf", "nan", "1e-320", "0.00099", "3.7e9", "1e400", "", "0x10"})
    EXPECT_THROW(read(std::string("A100,gemm,fp16,fp32,m=64;n=64;k=64,") + time + ",1,,X,\n"),
                 InputError)
        << time;
}

TEST(Measurements, MistakesNameTheLine) {
  const TimesFile file(std::string(kHeader) + "A100,gemm,fp16,fp32,m=64;n=64;k=64,soon,1,,X,\n");
  EXPECT_EQ(
      test::refusal([&] { read_measurements(file.name(), GpuNames()); }),
      file.name() + ":2:36: time_us: 'soon' is not a time from 0.001 us to 3.6e9 us, an hour");
  const TimesFile fast(std::string(kHeader) + "A100,gemm,fp16,fp32,m=64;n=64;k=64,5,1,99999,X,\n");
  EXPECT_EQ(test::refusal([&] { read_measurements(fast.name(), GpuNames()); }),
            fast.name() +
                ":2:40: clock_mhz_if_known: '99999' is not a whole number "
                "from 1 to 10000");
  const TimesFile bare("op,dtype_in,dtype_acc,params,time_us\ngemm,fp16,fp32,m=64;n=64;k=64,1\n");
  const std::string place = bare.name() + ":1:1: header: column '";
  EXPECT_EQ(test::refusal([&] { read_measurements(bare.name(), GpuNames()); }),
            place + "gpu' is missing\n" + place + "source_id' is missing\n" + place +
                "notes' is missing");
  const TimesFile milliseconds(
      "gpu,op,dtype_in,dtype_acc,params,time_ms,source_id,notes\n"
      "V100,gemm,fp16,fp32,m=64;n=64;k=64,1,X,\n");
  EXPECT_EQ(test::refusal([&] { read_measurements(milliseconds.name(), GpuNames()); }),
            milliseconds.name() +
                ":1:34: header: column 'time_ms' is unknown; "
                "did you mean \"time_us\"?");
}

TEST(Measurements, AShortenedNameOfAnOptionalColumnIsAMistake) {
  const TimesFile file(
      "gpu,op,dtype_in,dtype_acc,params,time_us,clock_mhz,source_id,notes\n"
      "A100,gemm,fp16,fp32,m=64;n=64;k=64,5,1005,X,\n");
  EXPECT_EQ(test::refusal([&] { read_measurements(file.name(), GpuNames()); }),
            file.name() +
                ":1:42: header: column 'clock_mhz' is unknown; "
                "did you mean \"clock_mhz_if_known\"?");
}

TEST(Measurements, MistakesInNotesNameTheirWord) {
  const TimesFile file(
      std::string(kHeader) +
      "A100,gemm,fp16,fp32,m=64;n=64;k=64,5,1,,X,l2=warm;tile=banana\n"
      "A100,conv_fwd,fp16,fp32,n=1;c=8;h=8;w=8;k=8;r=3;s=3;pad=1,40,9,,X,fmt=nchw\n"
      "A100,conv_fwd,fp16,fp32,n=1;c=8;h=8;w=8;k=8;r=3;s=3;pad=1,40,9,,X,"
      "fmt=Row_major_linear_FP32\n");
  EXPECT_EQ(test::refusal([&] { read_measurements(file.name(), GpuNames()); }),
            file.name() +
                ":2:56: tile: tile 'banana' is not of the form 128x128x32_s5_w2x2, 128x128x32 or "
                "128x128, nor the name of a kernel that has one\n" +
                file.name() +
                ":3:71: fmt: 'nchw' is neither NCHW, NHWC nor a format of TensorRT; did you mean "
                "\"NCHW\"?");
}

TEST(Measurements, MistakesOfAllRowsAreToldAtOnce) {
  const TimesFile file(std::string(kHeader) +
                       "A100,gemm,fp16,fp32,m=64;n=64;k=64,-3,1,99999,X,\n"
                       "A100,gemm,fp16,fp32,m=64;n=64;kk=64,abc,1,,X,\n"
                       "A100,gemm,fp16,fp32,m=64;n=64;k=64,-3,1,,X,flag=overhead\n");
  EXPECT_EQ(test::refusal([&] { read_measurements(file.name(), GpuNames()); }),
            file.name() +
                ":2:36: time_us: '-3' is not a time from 0.001 us to 3.6e9 us, an hour\n" +
                file.name() +
                ":2:41: clock_mhz_if_known: '99999' is not a whole number from 1 to "
                "10000\n" +
                file.name() + ":3:31: gemm: unknown key 'kk'; did you mean \"k\"?\n" + file.name() +
                ":3:21: gemm: 'k' is missing\n" + file.name() +
                ":3:37: time_us: 'abc' is not a time from 0.001 us to 3.6e9 us, an hour");
}

}  // namespace
}  // namespace tcsim::validate
