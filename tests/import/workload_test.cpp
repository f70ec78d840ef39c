#include "workloads/import/workload.hpp"

#include <gmock/gmock.h>

#include <array>
#include <filesystem>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"
#include "workloads/trace/text_file.hpp"

namespace tcsim::workload {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using kernels::Layout;
using testing::ElementsAre;
using testing::HasSubstr;

GemmProblem gemm(const std::string& words) {
  const std::vector<Workload> all = parse_workload(words);
  EXPECT_EQ(all.size(), 1U);
  return std::get<GemmProblem>(all.at(0).work);
}

std::string workload_mistake(const std::string& words) {
  return test::refusal([&] { return parse_workload(words); });
}

std::string known_algorithms() {
  std::string names;
  for (const std::string_view name : kernels::kConvAlgorithmNames)
    names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

std::string reason(const std::string& words) {
  return std::get<Unsupported>(parse_workload(words).at(0).work).reason;
}

TEST(GemmWords, TakeOneNumberForASquare) {
  const GemmProblem problem = gemm("gemm:4096");
  EXPECT_EQ(problem.m, 4096);
  EXPECT_EQ(problem.n, 4096);
  EXPECT_EQ(problem.k, 4096);
  EXPECT_EQ(problem.batch, 1);
}

TEST(GemmWords, TakeEveryKeyInAnyOrder) {
  const GemmProblem problem =
      gemm("gemm:layout=tn,batch=4,out=fp16,acc=fp32,dtype=bf16,k=64,n=512,m=4096");
  EXPECT_EQ(problem.m, 4096);
  EXPECT_EQ(problem.n, 512);
  EXPECT_EQ(problem.k, 64);
  EXPECT_EQ(problem.batch, 4);
  EXPECT_EQ(problem.input, Element::kBf16);
  EXPECT_EQ(problem.accumulate, Element::kFp32);
  EXPECT_EQ(problem.output, Element::kFp16);
  EXPECT_EQ(problem.layout_a, Layout::kTransposed);
  EXPECT_EQ(problem.layout_b, Layout::kNormal);
}

TEST(GemmWords, TakeIntegersForTheWeights) {
  const GemmProblem problem = gemm("gemm:64,dtype=bf16,weights=int4,group=128");
  EXPECT_EQ(problem.weights, (kernels::PackedWeights{4, 128}));
  EXPECT_EQ(gemm("gemm:64,weights=int8").weights, (kernels::PackedWeights{8, 0}));
  EXPECT_EQ(gemm("gemm:64,weights=none").weights, kernels::PackedWeights{});
  for (const char* words : {"gemm:64,weights=int4,group=32", "gemm:64,weights=int8"})
    EXPECT_EQ(gemm(gemm_text(gemm(words))).weights, gemm(words).weights) << words;
}

TEST(GemmWords, RefuseWhatPackedWeightsDoNotGoWith) {
  const auto says = [](const char* words, const char* reason) {
    EXPECT_THAT(workload_mistake(words), ::testing::HasSubstr(reason)) << words;
  };
  says("gemm:64,weights=int3", "column 17: weights: 'int3' is not one of none, int4, int8");
  says("gemm:64,group=128", "column 15: group: scales of groups along k belong to weights=");
  says("gemm:64,weights=int4,group=48", "column 28: group: '48' is not a power of two");
  says("gemm:64,weights=int4,group=16", "column 28: group: '16' is not between 32 and 16777216");
  says("gemm:64,weights=int4,dtype=tf32", "column 17: weights: packed weights become fp16 or bf16");
  says("gemm:64,weights=int4,layout=nn", "column 29: layout: packed weights have their own order");
  says("gemm:64,weights=int8,sparse=1", "column 17: weights: a sparse product has no packed");
  says("gemm:64,weights=int4,scales=block", "column 17: weights: factors of blocks");
}

TEST(GemmWords, TakeKeysBehindASquare) {
  const GemmProblem problem = gemm("gemm:4096,dtype=fp16,acc=fp16");
  EXPECT_EQ(problem.k, 4096);
  EXPECT_EQ(problem.accumulate, Element::kFp16);
}

TEST(GemmWords, DefaultToTheLinearLayerOfAFramework) {
  const GemmProblem problem = gemm("gemm:64");
  EXPECT_EQ(problem.layout_a, Layout::kNormal);
  EXPECT_EQ(problem.layout_b, Layout::kTransposed);
  EXPECT_EQ(problem.input, Element::kFp16);
  EXPECT_EQ(problem.accumulate, Element::kFp32);
  EXPECT_EQ(problem.output, Element::kFp16);
}

TEST(GemmWords, DeriveTypesThatAreNotGiven) {
  EXPECT_EQ(gemm("gemm:64,dtype=int8").accumulate, Element::kInt32);
  EXPECT_EQ(gemm("gemm:64,dtype=int8").output, Element::kInt32);
  EXPECT_EQ(gemm("gemm:64,dtype=tf32").output, Element::kFp32);
  EXPECT_EQ(gemm("gemm:64,dtype=bf16").output, Element::kBf16);
  EXPECT_EQ(gemm("gemm:64,dtype=fp64").accumulate, Element::kFp64);
  EXPECT_EQ(gemm("gemm:64,dtype=FP32").unit, kernels::Unit::kCudaCore);
}

TEST(GemmWords, AreWrittenInOneFormThatReadsBack) {
  for (const char* words : {"gemm:4096", "gemm:m=35,n=8457,k=2048,layout=NN,dtype=bf16,batch=7",
                            "gemm:8,dtype=int8,layout=tt", "gemm:100,dtype=fp64",
                            "gemm:8,bias=1,act=gelu", "gemm:8,scale=1,residual=1"}) {
    const std::string text = parse_workload(words).at(0).text;
    EXPECT_EQ(parse_workload(text).at(0).text, text);
    EXPECT_EQ(gemm_text(gemm(text)), text);
  }
  EXPECT_EQ(parse_workload("gemm:4096").at(0).text,
            "gemm:m=4096,n=4096,k=4096,dtype=fp16,acc=fp32,out=fp16,layout=nt,batch=1");
}

TEST(GemmWords, TakeContiguousGroupsOfRows) {
  const GemmProblem equal = gemm("gemm:m=8192,n=4096,k=7168,groups=4");
  EXPECT_EQ(equal.groups.layout, kernels::GroupLayout::kContiguous);
  EXPECT_THAT(equal.groups.rows, ElementsAre(8192, 8192, 8192, 8192));
  EXPECT_EQ(equal.m, 4 * 8192);
  EXPECT_EQ(equal.batch, 1);
  EXPECT_EQ(equal.matrices_b(), 4);
  const GemmProblem uneven = gemm("gemm:rows=128+0+384,groups=3,m=512,n=64,k=64");
  EXPECT_THAT(uneven.groups.rows, ElementsAre(128, 0, 384));
  EXPECT_EQ(uneven.m, 512);
  EXPECT_EQ(uneven.multiplied_rows(), 512);
}

TEST(GemmWords, TakeMaskedGroupsOfRows) {
  const GemmProblem masked =
      gemm("gemm:m=512,n=64,k=64,groups=3,rows=100+0+512,group_layout=masked");
  EXPECT_TRUE(masked.groups.is_masked());
  EXPECT_EQ(masked.m, 512);
  EXPECT_EQ(masked.batch, 3);
  EXPECT_EQ(masked.multiplied_rows(), 612);
  const GemmProblem equal = gemm("gemm:m=512,n=64,k=64,groups=3,rows=5,group_layout=masked");
  EXPECT_THAT(equal.groups.rows, ElementsAre(5, 5, 5));
}

TEST(GemmWords, WriteGroupsOfRowsInOneFormThatReadsBack) {
  for (const char* groups :
       {"m=384,n=64,k=64,dtype=bf16,acc=fp32,out=bf16,layout=nt,groups=3,rows=128+0+384",
        "m=256,n=64,k=64,dtype=e4m3,acc=fp32,out=bf16,layout=nt,groups=4,scales=block",
        "m=256,n=64,k=64,dtype=fp16,acc=fp32,out=fp16,layout=nt,groups=2,rows=7+9,"
        "group_layout=masked"}) {
    const std::string words = std::string("gemm:") + groups;
    EXPECT_EQ(gemm_text(gemm(words)), words);
  }
}

TEST(GemmWords, NameMistakesInGroupsOfRows) {
  const auto mistake = [](const std::string& groups) {
    const std::string words = "gemm:m=128,n=64,k=64," + groups;
    return workload_mistake(words).substr(words.size() + 2);
  };
  EXPECT_EQ(mistake("groups=0"), "column 29: groups: '0' is not between 1 and 1024");
  EXPECT_EQ(mistake("groups=2,rows=1+2+3"), "column 36: rows: has 3 numbers for 2 groups");
  EXPECT_EQ(mistake("groups=2,rows=1+129"),
            "column 36: rows: a group has 129 rows, more than m = 128");
  EXPECT_EQ(mistake("groups=2,rows=1+b"), "column 38: rows: 'b' is not a whole number");
  EXPECT_EQ(mistake("groups=2,rows=0+0"), "column 36: rows: no group has any");
  EXPECT_THAT(mistake("rows=1+2"),
              HasSubstr("rows: is for groups of rows, whose number 'groups' gives"));
  EXPECT_THAT(mistake("group_layout=masked"), HasSubstr("group_layout: is for groups of rows"));
  EXPECT_THAT(mistake("groups=2,batch=2"),
              HasSubstr("batch: each group of rows has its own B, so there are no batches"));
  EXPECT_EQ(mistake("groups=2,group_layout=mask"),
            "column 44: group_layout: 'mask' is not one of contiguous, masked");
}

TEST(GemmWords, NameMistakesByColumn) {
  EXPECT_EQ(workload_mistake("gemm:m=40x,n=8,k=8"),
            "gemm:m=40x,n=8,k=8: column 8: m: '40x' is not a whole number");
  EXPECT_EQ(workload_mistake("gemm:m=8,n=8,k=8,dtpye=fp16"),
            "gemm:m=8,n=8,k=8,dtpye=fp16: column 18: gemm: unknown key 'dtpye'; did you mean "
            "\"dtype\"?");
  EXPECT_EQ(workload_mistake("gemm:8,dtype=fp61"),
            "gemm:8,dtype=fp61: column 14: dtype: unknown type 'fp61'; did you mean \"fp16\"?");
  EXPECT_EQ(workload_mistake("gemm:8,dtype=double"),
            "gemm:8,dtype=double: column 14: dtype: unknown type 'double'; known: fp16, bf16, "
            "tf32, fp32, fp64, int8, int32, e4m3, e5m2");
  EXPECT_EQ(workload_mistake("gemm:8,layout=row"),
            "gemm:8,layout=row: column 15: layout: 'row' is not two letters, for A and B, each n "
            "(as in the product) or t (transposed): nn, nt, tn, tt");
  EXPECT_EQ(workload_mistake("gemm:8,m=9"), "gemm:8,m=9: column 8: gemm: 'm' is given twice");
  EXPECT_EQ(workload_mistake("gemm:0"),
            "gemm:0: column 6: size: '0' is not between 1 and 16777216");
  EXPECT_EQ(workload_mistake("gemm:-4"),
            "gemm:-4: column 6: size: '-4' is not between 1 and 16777216");
  EXPECT_EQ(workload_mistake("gemm:512x"),
            "gemm:512x: column 6: size: '512x' is not a whole number");
  EXPECT_EQ(workload_mistake("gemm:8,batch=70000"),
            "gemm:8,batch=70000: column 14: batch: '70000' is not between 1 and 65535");
  EXPECT_EQ(workload_mistake("gemm:99999999999999999999"),
            "gemm:99999999999999999999: column 6: size: '99999999999999999999' is not between 1 "
            "and 16777216");
  EXPECT_EQ(workload_mistake("gemm:8,dtype="),
            "gemm:8,dtype=: column 14: dtype: nothing follows '='");
  EXPECT_EQ(workload_mistake("gemm:8,"), "gemm:8,: column 8: gemm: expected KEY=VALUE, got ''");
}

TEST(GemmWords, ReportEveryMistakeAtOnce) {
  EXPECT_EQ(workload_mistake("gemm:m=x,n=0,q=1"),
            "gemm:m=x,n=0,q=1: column 8: m: 'x' is not a whole number\n"
            "gemm:m=x,n=0,q=1: column 12: n: '0' is not between 1 and 16777216\n"
            "gemm:m=x,n=0,q=1: column 14: gemm: unknown key 'q'\n"
            "gemm:m=x,n=0,q=1: column 17: gemm: 'k' is missing");
}

ConvWork conv(const std::string& words) {
  const std::vector<Workload> all = parse_workload(words);
  EXPECT_EQ(all.size(), 1U);
  return std::get<ConvWork>(all.at(0).work);
}

TEST(ConvWords, TakeBothDirectionsInOneWord) {
  const ConvWork conv_work = conv("conv:n=1,hw=8x12,c=8,k=8,rs=1x3,stride=2x1,pad=0x1,dil=1x1");
  const kernels::ConvProblem& problem = conv_work.problem;
  EXPECT_EQ((std::array{problem.h, problem.r, problem.stride_h, problem.pad_h}),
            (std::array<std::int64_t, 4>{8, 1, 2, 0}));
  EXPECT_EQ((std::array{problem.w, problem.s, problem.stride_w, problem.pad_w}),
            (std::array<std::int64_t, 4>{12, 3, 1, 1}));
  EXPECT_EQ(workload_mistake("conv:n=1,hw=8x0,c=8,k=8,rs=3"),
            "conv:n=1,hw=8x0,c=8,k=8,rs=3: column 15: hw: '0' is not between 1 and 65535");
  EXPECT_EQ(workload_mistake("conv:n=1,hw=8x8x8,c=8,k=8,rs=3"),
            "conv:n=1,hw=8x8x8,c=8,k=8,rs=3: column 15: hw: '8x8' is not a whole number");
  EXPECT_EQ(workload_mistake("conv:n=1,h=8x8,w=8,c=8,k=8,rs=3"),
            "conv:n=1,h=8x8,w=8,c=8,k=8,rs=3: column 12: h: '8x8' is not a whole number");
}

TEST(ConvWords, DilateFilters) {
  const ConvWork work = conv("conv:n=1,hw=8,c=8,k=8,rs=3,dil=1x2");
  EXPECT_EQ((std::array{work.problem.dil_h, work.problem.dil_w}),
            (std::array<std::int64_t, 2>{1, 2}));
  EXPECT_EQ((std::array{work.problem.p(), work.problem.q()}), (std::array<std::int64_t, 2>{6, 4}));
  EXPECT_EQ(conv(conv_text(work)).problem.dil_w, 2);
  EXPECT_EQ(workload_mistake("conv:n=1,hw=8,c=8,k=8,rs=3,dil=4"),
            "conv:n=1,hw=8,c=8,k=8,rs=3,dil=4: column 33: conv: the filter is larger than the "
            "padded image");
}

TEST(ConvWords, TakeBothDirectionsAtOnceOrApart) {
  const ConvWork both = conv("conv:n=32,hw=56,c=64,k=128,rs=3,stride=2,pad=1");
  EXPECT_EQ(both.problem.h, 56);
  EXPECT_EQ(both.problem.w, 56);
  EXPECT_EQ(both.problem.r, 3);
  EXPECT_EQ(both.problem.s, 3);
  EXPECT_EQ(both.problem.p(), 28);
  EXPECT_EQ(both.problem.input, Element::kFp16);
  EXPECT_EQ(both.problem.output, Element::kFp16);
  EXPECT_EQ(both.problem.order, kernels::TensorOrder::kNhwc);
  EXPECT_FALSE(both.algorithm.has_value());
  const ConvWork apart = conv(
      "conv:n=1,h=161,w=700,c=1,k=32,r=5,s=20,stride_h=1,stride_w=2,pad_h=2,pad_w=0,pass=wgrad,"
      "layout=nchw,dtype=tf32,algo=im2col_gemm");
  EXPECT_EQ(apart.problem.p(), 161);
  EXPECT_EQ(apart.problem.q(), 341);
  EXPECT_EQ(apart.problem.pass, kernels::ConvPass::kWeightGradient);
  EXPECT_EQ(apart.problem.order, kernels::TensorOrder::kNchw);
  EXPECT_EQ(apart.problem.output, Element::kFp32);
  EXPECT_EQ(apart.algorithm, kernels::ConvAlgorithm::kIm2colGemm);
}

TEST(ConvWords, AreWrittenInOneFormThatReadsBack) {
  const std::string text = parse_workload("conv:n=2,hw=7,c=8,k=16,rs=1,dtype=int8").at(0).text;
  EXPECT_EQ(text,
            "conv:n=2,h=7,w=7,c=8,k=16,r=1,s=1,stride_h=1,stride_w=1,pad_h=0,pad_w=0,groups=1,"
            "pass=fwd,layout=nhwc,dtype=int8,acc=int32,out=int32,algo=auto");
  EXPECT_EQ(parse_workload(text).at(0).text, text);
}

TEST(ConvWords, NameWhatFollowsTheSums) {
  const ConvWork work = conv("conv:n=1,hw=8,c=8,k=8,rs=3,post=bias+relu+pool,fused=0");
  EXPECT_EQ(work.problem.post,
            (kernels::ConvPost{
                .scale = false, .bias = true, .relu = true, .pool = true, .is_fused = false}));
  EXPECT_NE(conv_text(work).find(",post=bias+relu+pool,fused=0,"), std::string::npos);
  EXPECT_EQ(conv(conv_text(work)).problem.post, work.problem.post);
  for (const char* steps : {"relu+bias", "bias+bias"})
    EXPECT_EQ(workload_mistake("conv:n=1,hw=8,c=8,k=8,rs=3,post=" + std::string(steps)),
              "conv:n=1,hw=8,c=8,k=8,rs=3,post=" + std::string(steps) +
                  ": column 38: post: steps come once each, in the order "
                  "scale+bias+residual+relu+pool");
  EXPECT_EQ(workload_mistake("conv:n=1,hw=8,c=8,k=8,rs=3,post=bias+gelu"),
            "conv:n=1,hw=8,c=8,k=8,rs=3,post=bias+gelu: column 38: post: 'gelu' is not one of "
            "scale, bias, residual, relu, pool; did you mean \"relu\"?");
}

TEST(ConvWords, NameMistakesByColumn) {
  EXPECT_EQ(workload_mistake("conv:n=1,hw=8,h=8,c=8,k=8,rs=3"),
            "conv:n=1,hw=8,h=8,c=8,k=8,rs=3: column 15: conv: 'h' is given twice");
  EXPECT_EQ(workload_mistake("conv:n=1,h=8,hw=8,c=8,k=8,rs=3"),
            "conv:n=1,h=8,hw=8,c=8,k=8,rs=3: column 14: conv: 'h' is given twice");
  EXPECT_EQ(workload_mistake("conv:n=1,hw=8,c=8,k=8,rs=3,algo=winogard"),
            "conv:n=1,hw=8,c=8,k=8,rs=3,algo=winogard: column 33: algo: 'winogard' is not one of "
            "auto, " +
                known_algorithms());
  EXPECT_EQ(workload_mistake("conv:n=1,hw=0,c=8,k=8,rs=3,pad=-1"),
            "conv:n=1,hw=0,c=8,k=8,rs=3,pad=-1: column 13: hw: '0' is not between 1 and 65535\n"
            "conv:n=1,hw=0,c=8,k=8,rs=3,pad=-1: column 32: pad: '-1' is not between 0 and 65535");
  EXPECT_EQ(workload_mistake("conv:n=1,hw=8,c=8"),
            "conv:n=1,hw=8,c=8: column 18: conv: 'k' is missing\n"
            "conv:n=1,hw=8,c=8: column 18: conv: 'r' is missing\n"
            "conv:n=1,hw=8,c=8: column 18: conv: 's' is missing");
  EXPECT_EQ(workload_mistake("conv:n=1,hw=8,c=8,k=8,rs=9"),
            "conv:n=1,hw=8,c=8,k=8,rs=9: column 27: conv: the filter is larger than the padded "
            "image");
  EXPECT_EQ(workload_mistake("conv:n=1,hw=8,c=8,k=9,rs=3,groups=2"),
            "conv:n=1,hw=8,c=8,k=9,rs=3,groups=2: column 36: conv: the groups do not divide both "
            "numbers of channels");
}

TEST(WorkloadWords, NameTheKind) {
  EXPECT_EQ(workload_mistake("gem:4096"),
            "gem:4096: column 1: workload: unknown kind 'gem'; did you mean \"gemm\"?");
  const std::string unknown = workload_mistake("4096");
  EXPECT_THAT(unknown, HasSubstr("column 1: workload: unknown kind '4096'; known: gemm, conv, "));
  for (const char* kind : {"attn", "max_pool", "softmax", "layernorm", "csv", "trace", "net"})
    EXPECT_THAT(unknown, HasSubstr(std::string(", ") + kind));
  EXPECT_EQ(workload_mistake("gemm"), "gemm: column 6: workload: nothing follows 'gemm:'");
  EXPECT_EQ(workload_mistake("csv:"), "csv:: column 5: workload: nothing follows 'csv:'");
}

TEST(WorkloadWords, TellLegalWishesFromMistakes) {
  EXPECT_EQ(reason("attn:heads=1,n=64,d=64,dtype=fp8"),
            "no attention kernel is generated for dtype=fp8");
  EXPECT_EQ(reason("net:lenet"),
            "a network is many operations; name one of them (tcsim run net:lenet --dry-run lists "
            "them)");
  EXPECT_EQ(reason("attn:heads=1,n=64,d=64,window=32"),
            "no attention kernel with a sliding window is generated");
  EXPECT_EQ(reason("gemm:4096,dtype=fp8"),
            "no kernel is generated for dtype=fp8 (use e4m3 or e5m2)");
}

TEST(WorkloadWords, NameAnAttention) {
  const Workload workload = parse_workload("attn:heads=16,n=1024,d=64")[0];
  const auto& problem = std::get<kernels::AttentionProblem>(workload.work);
  EXPECT_EQ(problem.batch, 1);
  EXPECT_EQ(problem.kv_heads, 16);
  EXPECT_EQ(problem.keys, 1024);
  EXPECT_FALSE(problem.causal);
  EXPECT_EQ(workload.text,
            "attn:b=1,heads=16,kvheads=16,n=1024,kv=1024,d=64,causal=0,dtype=fp16,algo=fused");
  const std::string full =
      "attn:b=2,heads=8,kvheads=2,n=1,kv=4096,d=128,causal=1,dtype=bf16,algo=unfused";
  EXPECT_EQ(parse_workload(full)[0].text, full);
}

TEST(WorkloadWords, GiveAnAttentionTheTypeOfItsSums) {
  for (const char* words : {"attn:heads=1,n=64,d=64,acc=int32,dtype=int8",
                            "attn:heads=1,n=64,d=64,dtype=int8,acc=fp32"})
    EXPECT_EQ(parse_workload(words)[0].text,
              "attn:b=1,heads=1,kvheads=1,n=64,kv=64,d=64,causal=0,dtype=int8,algo=fused");
  EXPECT_EQ(reason("attn:heads=1,n=64,d=64,acc=fp16"), "the attention kernels accumulate in fp32");
  EXPECT_EQ(workload_mistake("attn:heads=1,n=64,d=64,acc=int32"),
            "attn:heads=1,n=64,d=64,acc=int32: column 33: attn: acc=int32 is the type of the sums "
            "of dtype=int8, not of dtype=fp16");
}

TEST(WorkloadWords, GiveAnAttentionItsBlock) {
  const std::string text =
      "attn:b=1,heads=2,kvheads=2,n=64,kv=64,d=64,causal=0,dtype=fp16,algo=fused,block=64x128";
  const Workload workload = parse_workload(text)[0];
  EXPECT_EQ(workload.text, text);
  EXPECT_EQ(std::get<kernels::AttentionProblem>(workload.work).block_keys, 128);
  EXPECT_EQ(workload_mistake("attn:heads=1,n=64,d=64,algo=unfused,block=64x64"),
            "attn:heads=1,n=64,d=64,algo=unfused,block=64x64: column 48: attn: block applies to "
            "the fused kernel; algo=unfused has none");
}

TEST(WorkloadWords, PutAnAttentionOnAPagedCache) {
  const std::string text =
      "attn:b=1,heads=2,kvheads=1,n=64,kv=96,d=64,causal=1,dtype=fp16,algo=paged,cache_write=1";
  const Workload workload = parse_workload(text)[0];
  EXPECT_EQ(workload.text, text);
  EXPECT_TRUE(std::get<kernels::AttentionProblem>(workload.work).writes_cache);
  EXPECT_EQ(workload_mistake("attn:heads=1,n=64,kv=32,d=64,cache_write=1"),
            "attn:heads=1,n=64,kv=32,d=64,cache_write=1: column 43: attn: cache_write=1 adds n=64 "
            "keys to a cache of kv=32");
}

TEST(WorkloadWords, NameEveryMistakeOfAnAttention) {
  EXPECT_EQ(workload_mistake("attn:heads=16,n=x,dim=64,head=2,causal=2,seq=4"),
            "attn:heads=16,n=x,dim=64,head=2,causal=2,seq=4: column 17: n: 'x' is not a whole "
            "number\n"
            "attn:heads=16,n=x,dim=64,head=2,causal=2,seq=4: column 26: attn: unknown key 'head'; "
            "did you mean \"heads\"?\n"
            "attn:heads=16,n=x,dim=64,head=2,causal=2,seq=4: column 40: causal: '2' is not one "
            "of 0, 1\n"
            "attn:heads=16,n=x,dim=64,head=2,causal=2,seq=4: column 42: attn: 'seq' is given "
            "twice");
  EXPECT_EQ(workload_mistake("attn:heads=6,kvheads=4,n=8,d=64"),
            "attn:heads=6,kvheads=4,n=8,d=64: column 32: attn: kvheads=4 does not divide heads=6");
  EXPECT_EQ(workload_mistake("attn:n=8"),
            "attn:n=8: column 9: attn: 'heads' is missing\n"
            "attn:n=8: column 9: attn: 'd' is missing");
}

TEST(WorkloadWords, NameAVectorOperation) {
  const Workload workload = parse_workload("layernorm:rows=8,cols=1024")[0];
  const auto& problem = std::get<kernels::VectorProblem>(workload.work);
  EXPECT_EQ(problem.operation, kernels::VectorOperation::kLayerNorm);
  EXPECT_EQ(workload.text, "layernorm:rows=8,cols=1024,dtype=fp16");
  EXPECT_EQ(workload_mistake("gelu:rows=0,dtype=fp33"),
            "gelu:rows=0,dtype=fp33: column 11: rows: '0' is not between 1 and 2147483648\n"
            "gelu:rows=0,dtype=fp33: column 19: dtype: 'fp33' is not one of fp16, bf16, fp32; "
            "did you mean \"fp32\"?\n"
            "gelu:rows=0,dtype=fp33: column 23: gelu: 'cols' is missing");
}

TEST(WorkloadWords, CountTheElementsOfEachTensorOfAConvolution) {
  // Few channels of many pixels become many channels of few; filters of one channel each.
  for (const char* words : {"conv:n=64,hw=224,c=3,k=1024,rs=16,stride=16",
                            "conv:n=1,hw=8,c=8192,k=8192,groups=8192,rs=7,pad=3"})
    EXPECT_TRUE(std::holds_alternative<ConvWork>(parse_workload(words)[0].work)) << words;
  for (const char* words :
       {"conv:n=1,hw=8,c=8192,k=8192,rs=7,pad=3", "conv:n=64,hw=8192,c=1,k=1024,rs=3,pad=1"})
    EXPECT_EQ(reason(words), "a tensor has more than 2^31 elements") << words;
}

TEST(WorkloadWords, AreNotCoveredBeyondTwoToTheThirtyFirstElements) {
  for (const char* words : {"conv:n=60000,hw=60000,c=8,k=8,rs=3", "add:rows=100000,cols=100000",
                            "max_pool:n=60000,hw=60000,c=8,rs=2"})
    EXPECT_EQ(reason(words), "a tensor has more than 2^31 elements") << words;
}

TEST(WorkloadWords, NameAPooling) {
  const Workload workload = parse_workload("max_pool:n=8,hw=112,c=64,rs=3,stride=2,pad=1")[0];
  const auto& problem = std::get<kernels::PoolProblem>(workload.work);
  EXPECT_EQ(problem.p(), 56);
  EXPECT_EQ(workload.text,
            "max_pool:n=8,h=112,w=112,c=64,r=3,s=3,stride_h=2,stride_w=2,pad_h=1,pad_w=1,"
            "dtype=fp16");
  EXPECT_EQ(parse_workload(workload.text)[0].text, workload.text);
  const auto strided = parse_workload("avg_pool:n=1,hw=8,c=2,rs=3")[0];
  EXPECT_EQ(std::get<kernels::PoolProblem>(strided.work).p(), 2);
  EXPECT_EQ(std::get<kernels::PoolProblem>(strided.work).q(), 2);
  EXPECT_EQ(workload_mistake("avg_pool:n=1,hw=8,h=8,c=2,rs=3"),
            "avg_pool:n=1,hw=8,h=8,c=2,rs=3: column 19: avg_pool: 'h' is given twice");
  EXPECT_EQ(workload_mistake("avg_pool:n=1,hw=2,c=2,rs=3"),
            "avg_pool:n=1,hw=2,c=2,rs=3: column 27: avg_pool: the window is larger than the padded "
            "image");
  EXPECT_EQ(workload_mistake("max_pool:n=1,hw=8,c=2,rs=3,pad=2"),
            "max_pool:n=1,hw=8,c=2,rs=3,pad=2: column 33: max_pool: the padding is wider than half "
            "of the window");
}

TEST(WorkloadWords, ReadATrace) {
  const test::TemporaryDirectory folder;
  const std::string path = (folder.path() / "trace.tct").string();
  trace::write_text_file(path,
                         "tct 1\nkernel tiny\ngrid 1 1 1\nwarps 1\nregisters 8\nshared 0\n"
                         "program main warps 0\nEXIT\n");
  const std::vector<Workload> all = parse_workload("trace:" + path);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(std::get<isa::KernelLaunch>(all[0].work).name, "tiny");
  EXPECT_EQ(all[0].text, "trace:" + path);
}

TEST(WorkloadWords, RefuseAFileThatIsMissing) {
  EXPECT_THROW((void)parse_workload("csv:/no/such/list.csv"), IoError);
  EXPECT_THROW((void)parse_workload("trace:/no/such/kernel.tct"), IoError);
}

}  // namespace
}  // namespace tcsim::workload
