#include "workloads/kernels/kernel_name.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace tcsim::kernels {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

KernelName parsed(std::string_view text) {
  std::string reason;
  const std::optional<KernelName> name = parse_kernel_name(text, reason);
  EXPECT_TRUE(name) << reason;
  return name.value_or(KernelName{});
}

std::string refusal(std::string_view text) {
  std::string reason;
  EXPECT_FALSE(parse_kernel_name(text, reason)) << text;
  return reason;
}

/// "256x128x32 s3 w4x2 sliced1 tn fp16 fp32 fp16 16816"
std::string summary(std::string_view text) {
  const KernelName name = parsed(text);
  const GemmTile tile = name.tile();
  return std::to_string(tile.m) + "x" + std::to_string(tile.n) + "x" + std::to_string(tile.k) +
         " s" + std::to_string(name.stages) + " w" + std::to_string(tile.warps_m) + "x" +
         std::to_string(tile.warps_n) + " sliced" + std::to_string(tile.sliced_k) + " " +
         name.layout + " " + name.operands + " " + name.accumulate + " " + name.results + " " +
         name.instruction;
}

TEST(KernelName, OfCublasMatrixTimesVector) {
  const KernelName row = parsed(
      "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, __nv_bfloat16, "
      "__nv_bfloat16, __nv_bfloat16, float, false, true, true, false, 7, false>");
  EXPECT_EQ(row.tile_text(), "1x4x1024_s1_w1x4_gemv");
  EXPECT_EQ(row.tile().text(), row.tile_text());
  EXPECT_EQ(row.operands, "bf16");
  EXPECT_EQ(parsed("void gemv2T_kernel_val<int, int, __half, __half, __half, float, 128, 16, 4, 4>")
                .tile_text(),
            "8x1x512_s1_w4x1_gemv");
}

TEST(KernelName, OfCublasCountsColumnsOfTheRowMajorProductFirst) {
  EXPECT_EQ(summary("ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x3_nn"),
            "128x256x64 s3 w0x0 sliced1 nn bf16 fp32 bf16 16816");
  EXPECT_EQ(summary("ampere_fp16_s16816gemm_fp16_128x64_sliced1x2_ldg8_f2f_stages_64x4_tn"),
            "64x128x64 s4 w0x0 sliced2 tn fp16 fp32 fp16 16816");
  EXPECT_EQ(summary("ampere_h16816gemm_256x128_ldg8_stages_32x3_tn"),
            "128x256x32 s3 w0x0 sliced1 tn fp16 fp16 fp16 16816");
  EXPECT_EQ(summary("volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_nt"),
            "64x128x0 s0 w0x0 sliced1 nt fp16 fp32 fp16 884");
}

TEST(KernelName, OfCudaCoresHasTheTypeOfItsFirstLetter) {
  EXPECT_EQ(summary("ampere_sgemm_32x32_sliced1x4_tn"),
            "32x32x0 s0 w0x0 sliced4 tn fp32 fp32 fp32 cuda_cores");
  EXPECT_EQ(summary("maxwell_sgemm_32x128_tn"),
            "128x32x0 s0 w0x0 sliced1 tn fp32 fp32 fp32 cuda_cores");
  EXPECT_EQ(summary("cutlass_80_simt_sgemm_128x32_8x5_nn_align1"),
            "32x128x8 s5 w0x0 sliced1 nn fp32 fp32 fp32 cuda_cores");
}

TEST(KernelName, OfCutlassIsFoundInsideTemplateBrackets) {
  EXPECT_EQ(
      summary("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_32x6_"
              "nn_align8>(cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_32x6_nn_align8::"
              "Params)"),
      "64x64x32 s6 w0x0 sliced1 nn bf16 fp32 bf16 16816");
  EXPECT_EQ(summary("cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align2"),
            "32x32x128 s2 w0x0 sliced1 tn bf16 fp32 bf16 161616");
  const KernelName conv = parsed(
      "void cutlass__5x_cudnn::Kernel<cutlass_tensorop_bf16_s16816fprop_optimized_bf16_256x64_32x4_"
      "nhwc_align8>(cutlass_tensorop_bf16_s16816fprop_optimized_bf16_256x64_32x4_nhwc_align8::"
      "Params"
      ")");
  EXPECT_EQ(conv.use, NamedUse::kConvolution);
  EXPECT_EQ(conv.tile().m, 256);
  EXPECT_EQ(conv.align, 8);
}

TEST(KernelName, OfXmmaCountsRowsFirstAndNamesWarps) {
  EXPECT_EQ(
      summary("sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize256x128x32"
              "_stage3_warpsize4x2x1_g1_tensor16x8x16_t1r3s3"),
      "256x128x32 s3 w4x2 sliced1  fp16 fp16 fp16 16816");
  EXPECT_EQ(
      summary("sm80_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x1"
              "6_stage4_warpsize2x2x1_g1_tensor16x8x8_t1r1s1"),
      "128x128x16 s4 w2x2 sliced1  tf32 fp32 fp32 1688");
  EXPECT_EQ(
      summary("sm80_xmma_fprop_implicit_gemm_interleaved_i8f16_i8i32_f32_nchw_vect_c_32kcrs_"
              "vect_c_32_nchw_vect_c_32_tilesize96x128x64_stage3_warpsize2x2x1_g1_tensor16x8x32"
              "_t1r3s3"),
      "96x128x64 s3 w2x2 sliced1  int8 int32 fp16 16832");
  EXPECT_EQ(
      summary("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x128x8_stage3_warpsize1x4x1_ffma"),
      "64x128x8 s3 w1x4 sliced1 nn fp32 fp32 fp32 cuda_cores");
}

TEST(KernelName, OfHopperHasGroupsOfWarpsAndClusters) {
  EXPECT_EQ(
      summary("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize256x128x64_warpgroupsize2x1x1_"
              "execute_segment_k_off_kernel__5x_cublas"),
      "256x128x64 s0 w0x0 sliced1 tn bf16 fp32 bf16 wgmma");
  EXPECT_EQ(summary("nvjet_hsh_320x128_64x3_1x2_h_bz_coopB_NTN"),
            "128x320x64 s3 w0x0 sliced1 nt fp16 fp32 fp16 wgmma");
  EXPECT_EQ(parsed("nvjet_hsh_320x128_64x3_1x2_h_bz_coopB_NTN").tile_text(),
            "128x320x64_s3_coop_c2x1");
  EXPECT_EQ(parsed("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize256x128x64_warpgroupsize2x1x1_"
                   "execute_segment_k_off_kernel__5x_cublas")
                .tile_text(),
            "256x128x64_coop");
  EXPECT_EQ(parsed("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x64x64_warpgroupsize1x1x1_"
                   "execute_segment_k_off_kernel__5x_cublas")
                .tile_text(),
            "128x64x64_pingpong");
  const KernelName name = parsed("nvjet_tst_64x8_64x16_4x1_v_bz_splitK_TNT");
  EXPECT_EQ(name.cluster_first, 4);
  EXPECT_EQ(name.cluster_second, 1);
  EXPECT_TRUE(name.splits_k);
  EXPECT_EQ(name.split_k, 0);
}

TEST(KernelName, OfNvjetTellsWhichOperandComesFirst) {
  const auto text = [](const char* name) { return parsed(name).tile_text(); };
  EXPECT_EQ(text("nvjet_sm90_tst_512x80_64x2_2x1_v_bz_coopA_TNT"),
            "80x512x64_s2_coop_c1x2_swapped");
  EXPECT_EQ(text("nvjet_sm90_hsh_168x128_64x5_1x2_h_bz_TNN"), "128x168x64_s5_pingpong_c2x1");
  EXPECT_EQ(summary("nvjet_sm90_qqtst_256x128_128x4_1x2_h_bz_coopA_TNT"),
            "128x256x128 s4 w0x0 sliced1 tn e4m3 fp32 bf16 wgmma");
}

TEST(KernelName, OfCutlass3HasTypesOfEveryOperandClusterAndSchedule) {
  const char* const text =
      "cutlass3x_sm90_tensorop_s64x128x32gemm_e4m3_e4m3_f32_bf16_bf16_128x128x128_1x2x1_0_tnn_"
      "align16_warpspecialized_pingpong_fp8_fastaccum_epi_tma";
  EXPECT_EQ(summary(text), "128x128x128 s0 w0x0 sliced1 tn e4m3 fp32 bf16 wgmma_64x128x32");
  const KernelName name = parsed(text);
  EXPECT_EQ(name.tile_text(), "128x128x128_pingpong_c2x1");
  EXPECT_EQ(name.schedule, "pingpong");
  EXPECT_EQ(name.c, "bf16");
  EXPECT_EQ(name.align, 16);
  EXPECT_TRUE(name.fast_accumulation);
  EXPECT_FALSE(name.stream_k);
  EXPECT_EQ(name.why_no_tile(), "");
}

TEST(KernelName, OfCutlass3WithRowMajorResultsCountsRowsFirst) {
  const KernelName name = parsed(
      "cutlass3x_sm90_tensorop_s64x256x16gemm_f16_f16_f32_void_f16_128x256x64_2x1x1_0_tnt_align8_"
      "stream_k_warpspecialized_cooperative_epi_tma");
  EXPECT_EQ(name.tile_text(), "128x256x64_streamk_coop_c2x1");
  EXPECT_EQ(name.layout_a(), Layout::kNormal);
  EXPECT_EQ(name.layout_b(), Layout::kTransposed);
  EXPECT_EQ(name.c, "none");
}

TEST(KernelName, OfOneGroupOfConsumersHasNoTile) {
  const KernelName name = parsed(
      "cutlass3x_sm90_sptensorop_s64x128x32spgemm_f16_f16_f32_f16_f16_128x128x64_2x1x1_0_tnn_"
      "align8_warpspecialized_epi_tma");
  EXPECT_TRUE(name.sparse);
  EXPECT_EQ(name.schedule, "warpspecialized");
  EXPECT_THAT(name.why_no_tile(), HasSubstr("neither pingpong nor cooperative"));
}

TEST(KernelName, OfFp8HasItsTypes) {
  EXPECT_EQ(summary("sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize128x128x128_"
                    "warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas"),
            "128x128x128 s0 w0x0 sliced1 tn e4m3 fp32 bf16 wgmma");
  EXPECT_EQ(summary("sm89_xmma_gemm_e5m2e4m3_e5m2f32_f32_tn_n_tilesize128x64x64_stage3_"
                    "warpsize2x2x1_tensor16x8x32_execute_kernel__5x_cublas"),
            "128x64x64 s3 w2x2 sliced1 tn e5m2 fp32 e4m3 16832");
  EXPECT_EQ(summary("cutlass_tensorop_s16832gemm_e4m3_256x128_64x3_tn_align16"),
            "128x256x64 s3 w0x0 sliced1 tn e4m3 fp32 fp32 16832");
}

TEST(KernelName, MayWriteSplitKInTwoWords) {
  for (const char* text :
       {"sm80_xmma_wgrad_implicit_gemm_indexed_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_"
        "stage3_warpsize2x2x1_g1_tensor16x8x16_execute_split_k_kernel__5x_cudnn",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_execute_"
        "split_k_kernel__5x_cublas"}) {
    EXPECT_TRUE(parsed(text).splits_k);
    EXPECT_THAT(parsed(text).tile_note(), HasSubstr("into how many slices"));
  }
  EXPECT_EQ(parsed("cublasLt_algo3_tile256x64_splitK11").tile_note(), "");
  EXPECT_EQ(parsed("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_"
                   "execute_segment_k_off_kernel__5x_cublas")
                .tile_note(),
            "");
}

TEST(KernelName, OfBlackwellIsNotOfWarpgroups) {
  for (const auto& [text, version] :
       {std::pair{"nvjet_sm100_tst_128x256_64x6_2x1_2cta_v_bz_TNT", 100},
        std::pair{"nvjet_sm103_tst_128x256_64x6_2x1_v_bz_TNT", 103},
        std::pair{"nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT", 100}}) {
    const KernelName name = parsed(text);
    EXPECT_EQ(name.sm_version, version);
    EXPECT_EQ(name.instruction, "tcgen05");
    EXPECT_THAT(name.why_no_tile(), HasSubstr("sm_" + std::to_string(version)));
  }
}

TEST(KernelName, OfXmmaMayHaveAClusterAndSparseOperands) {
  EXPECT_EQ(parsed("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cgasize2x1x1_"
                   "warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas")
                .tile_text(),
            "128x128x64_pingpong_c2x1");
  const KernelName sparse = parsed(
      "sm80_xmma_sparse_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_stage3_"
      "warpsize2x2x1_sptensor16x8x32_execute_kernel");
  EXPECT_TRUE(sparse.sparse);
  EXPECT_EQ(sparse.instruction, "16832");
  EXPECT_TRUE(parsed("cutlass_tensorop_f16_s16832spgemm_f16_128x128_64x3_tn_align8").sparse);
  EXPECT_FALSE(parsed("cutlass_tensorop_f16_s16816gemm_f16_128x128_64x3_tn_align8").sparse);
}

TEST(KernelName, HasTheOperandsThatItsInstructionTells) {
  const auto types = [](const char* text) {
    const KernelName name = parsed(text);
    return name.operands + " " + name.accumulate + " " + name.results + " " + name.instruction;
  };
  EXPECT_EQ(types("cutlass_tensorop_i16864gemm_s4_256x128_128x3_tn_align32"),
            "int4 int32 int32 16864");
  EXPECT_EQ(types("cutlass_tensorop_u4_i16864gemm_u4_256x128_128x3_tn_align32"),
            "uint4 int32 uint4 16864");
  EXPECT_EQ(types("cutlass_tensorop_s1688tf32gemm_128x128_16x4_tn_align4"), "tf32 fp32 fp32 1688");
  EXPECT_EQ(types("cutlass_tensorop_s1688bf16gemm_128x128_16x4_tn_align4"), "bf16 fp32 fp32 1688");
  EXPECT_EQ(types("cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4"), "tf32 fp32 fp32 1688");
  EXPECT_EQ(types("ampere_s1688gemm_128x128_ldg4_stages_32x3_tn"), "tf32 fp32 fp32 1688");
  EXPECT_EQ(types("turing_s1688gemm_fp16_128x128_ldg8_f2f_tn"), "fp16 fp32 fp32 1688");
  EXPECT_EQ(types("cutlass_80_tensorop_d884gemm_64x64_16x4_tn_align1"), "fp64 fp64 fp64 884");
}

TEST(KernelName, OfADeconvolutionIsADataGradient) {
  for (const char* word : {"deconv", "dgrad"}) {
    const KernelName name =
        parsed("sm80_xmma_" + std::string(word) +
               "_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_stage3_"
               "warpsize2x2x1_g1_tensor16x8x16");
    EXPECT_EQ(name.use, NamedUse::kConvolution);
    EXPECT_EQ(name.pass, "dgrad");
    EXPECT_EQ(name.m(), 128);
  }
}

TEST(KernelName, OfAConvolutionMayStateItsDimensions) {
  for (const auto& [word, pass] :
       {std::pair{"fprop3d", "fwd"}, {"dgrad2d", "dgrad"}, {"wgrad3d", "wgrad"}}) {
    const KernelName name = parsed("cutlass_80_tensorop_f16_s16816" + std::string(word) +
                                   "_optimized_f16_128x64_32x4_ndhwc_align8");
    EXPECT_EQ(name.use, NamedUse::kConvolution);
    EXPECT_EQ(name.pass, pass);
    EXPECT_EQ(name.instruction, "16816");
    EXPECT_EQ(name.m(), 128);
  }
}

TEST(KernelName, OfACublasLtSearchHasSlices) {
  const KernelName name = parsed("cublasLt_algo3_tile256x64_splitK11");
  EXPECT_EQ(name.tile().m, 64);
  EXPECT_EQ(name.tile().n, 256);
  EXPECT_EQ(name.tile().split_k, 11);
  EXPECT_FALSE(parsed("cublasLt_algo21_tile256x128_splitK1").splits_k);
}

TEST(KernelName, OfInt8NamesResultsInFront) {
  EXPECT_EQ(summary("turing_fp16_i8816cudnn_int8_128x128_ldg16_relu_interior_nt_v1"),
            "128x128x0 s0 w0x0 sliced1 nt int8 int32 fp16 8816");
}

TEST(KernelName, StagesThroughRegistersAreLeftOpenInTheTile) {
  const KernelName name = parsed("ampere_h1688gemm_128x128_ldg8_stages_32x1_tn");
  EXPECT_EQ(name.stages, 1);
  EXPECT_EQ(name.tile().stages, 0);
  EXPECT_EQ(name.tile().k, 32);
}

TEST(KernelName, OfFlashAttentionHasRowsKeysAndHeadSize) {
  const KernelName name = parsed(
      "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<128, 128, "
      "64, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<128");
  EXPECT_EQ(name.use, NamedUse::kAttention);
  EXPECT_EQ(name.first, 128);
  EXPECT_EQ(name.second, 64);
  EXPECT_EQ(name.k, 128);
  EXPECT_EQ(name.warps_first, 4);
  EXPECT_EQ(name.operands, "bf16");
}

TEST(KernelName, LayoutsAreThoseOfTheRowMajorOperands) {
  const KernelName tn = parsed("ampere_sgemm_128x64_tn");
  EXPECT_EQ(tn.layout_a(), Layout::kNormal);
  EXPECT_EQ(tn.layout_b(), Layout::kTransposed);
  const KernelName nt = parsed("ampere_sgemm_128x64_nt");
  EXPECT_EQ(nt.layout_a(), Layout::kTransposed);
  EXPECT_EQ(nt.layout_b(), Layout::kNormal);
}

TEST(KernelName, OfOtherKernelsIsRefusedWithItsReason) {
  EXPECT_THAT(refusal("void gemv2N_kernel<int, int, __nv_bfloat16, 128, 16>"),
              AllOf(HasSubstr("is not the name of a product"),
                    HasSubstr("fmha_cutlassF, gemvx::kernel<...>, gemv2T_kernel_val<...>, "
                              "Flash_fwd_kernel_traits<...>")));
  EXPECT_THAT(refusal(""), HasSubstr("is not the name of a product"));
  EXPECT_THAT(refusal("sm70_xmma_fprop_conv1x1_i8f32_f32_f32_nchw_vect_c_4kcrs_simt_small_batch"),
              HasSubstr("names no CTA tile"));
  for (const char* text :
       {"ampere_sgemm_2048x128_tn", "ampere_fp16_s16816gemm_fp16_99999999999x64_32x3_tn",
        "Flash_fwd_kernel_traits<0, 0,0,0",
        "sm80_xmma_gemm_f16f16_f16f16_f16_tn_n_tilesize256x128x32_stage3_warpsize2x0x1_"
        "tensor16x8x16_kernel"})
    EXPECT_THAT(refusal(text), HasSubstr("has sides")) << text;
  EXPECT_THAT(refusal("ampere_sgemm_32x32_sliced2147483647x2147483647_nn"), HasSubstr("sides"));
  EXPECT_THAT(refusal("nvjet_hsh_128x256_64x4_1x100000_h_bz_coopB_NTN"), HasSubstr("cluster"));
  EXPECT_THAT(refusal("cutlass3x_sm90_tensorop_s64x128x16gemm_f16_f16_f32_f16_f16_200x64x64_1x0x1_"
                      "0_tnn_align8_warpspecialized_pingpong"),
              HasSubstr("cluster"));
  EXPECT_THAT(refusal("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_stage3_"
                      "warpsize2048x2x1_tensor16x8x16"),
              HasSubstr("warps"));
  EXPECT_THAT(refusal("ampere_sgemm_128x99999999999_tn"), HasSubstr("has sides"));
  for (const char* complex :
       {"ampere_gcgemm_32x32_nt", "volta_zgemm_32x32_nn", "ampere_z884gemm_64x64_nt"})
    EXPECT_THAT(refusal(complex), HasSubstr("multiplies complex numbers"));
  EXPECT_THAT(refusal("cutlass_80_tensorop_f16_s16816symm_f16_128x128_32x4_nn_align8"),
              HasSubstr("states none of the operations gemm, spgemm, fprop, dgrad and wgrad"));
  EXPECT_THAT(refusal("my_ampere_sgemm_128x128"), HasSubstr("is not the name of a product"));
}

}  // namespace
}  // namespace tcsim::kernels
