#include "workloads/import/csv_list.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/support/refusal.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::workload {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::HasSubstr;

std::string list_mistake(const std::string& text) {
  return test::refusal([&] { return read_csv_list(text, "l.csv"); });
}

TEST(CsvList, NeedsNoColumnsOfTypes) {
  const auto all = read_csv_list("op,params\ngemm,m=1;n=2;k=3\nsoftmax,rows=4;cols=8\n", "l.csv");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].text, "gemm:m=1,n=2,k=3,dtype=fp16,acc=fp32,out=fp16,layout=nt,batch=1");
  EXPECT_EQ(all[1].text, "softmax:rows=4,cols=8,dtype=fp16");
  EXPECT_EQ(list_mistake("op,dtypein,params\ngemm,fp16,m=1;n=2;k=3\n"),
            "l.csv:1:4: header: column 'dtypein' is unknown; did you mean \"dtype_in\"?");
}

TEST(CsvList, ReadsMeasurementsWithTheirColumns) {
  // The form of published measurements: further columns travel along as notes.
  const auto rows = read_csv_list(
      "gpu,op,dtype_in,dtype_acc,params,time_us\n"
      "V100-SXM2-16GB,gemm,fp16,fp32,m=512;n=16;k=512;layout=TN;blas=NT,8\n"
      "A100,gemm,bf16,fp32,m=80;n=65536;k=32;layout=NT;batch=3,18.4513\n",
      "l.csv");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].text, "gemm:m=512,n=16,k=512,dtype=fp16,acc=fp32,out=fp16,layout=tn,batch=1");
  EXPECT_THAT(rows[0].notes,
              ElementsAre(FieldsAre("gpu", "V100-SXM2-16GB", 1), FieldsAre("time_us", "8", 66),
                          FieldsAre("blas", "NT", 63)));
  EXPECT_EQ(rows[0].row, 1);
  EXPECT_EQ(rows[0].line, 2);
  EXPECT_EQ(rows[1].row, 2);
  EXPECT_EQ(std::get<kernels::GemmProblem>(rows[1].work).batch, 3);
}

TEST(CsvList, TakesColumnsInAnyOrderLineEndsAndAByteOrderMark) {
  const auto rows = read_csv_list(
      "\xef\xbb\xbfparams,op,dtype_acc,dtype_in\r\n\r\n\"m=1;n=2;k=3\",gemm,,fp64\r\n", "l.csv");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].text, "gemm:m=1,n=2,k=3,dtype=fp64,acc=fp64,out=fp64,layout=nt,batch=1");
  EXPECT_EQ(rows[0].line, 3);
}

TEST(CsvList, KeepsLegalWishesApartFromMistakes) {
  const auto rows = read_csv_list(
      "op,dtype_in,dtype_acc,params\n"
      "attention_fwd_bwd,bf16,fp32,b=1;heads=8\n"
      "gemm,fp8,fp32,m=1;n=1;k=1\n"
      "gemm,fp16,fp32,m=1;n=1;k=1\n",
      "l.csv");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(std::get<Unsupported>(rows[0].work).reason, "attention_fwd_bwd is not simulated yet");
  EXPECT_EQ(rows[0].text, "attention_fwd_bwd:b=1;heads=8");
  EXPECT_EQ(std::get<Unsupported>(rows[1].work).reason,
            "no kernel is generated for dtype=fp8 (use e4m3 or e5m2)");
  EXPECT_EQ(rows[2].row, 3);
}

TEST(CsvList, ReadsConvolutionsOfEveryPass) {
  const auto rows = read_csv_list(
      "op,dtype_in,dtype_acc,params\n"
      "conv_fwd,fp16,fp32,n=8;c=64;h=54;w=54;k=64;r=3;s=3;stride=1;pad=1\n"
      "conv_dgrad,fp16,fp32,n=8;c=64;h=54;w=54;k=64;r=3;s=3;stride=1;pad=1\n"
      "conv_wgrad,int8,,n=8;c=64;h=54;w=54;k=64;r=3;s=3;stride_h=2;stride_w=1;pad=1\n",
      "l.csv");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].text,
            "conv:n=8,h=54,w=54,c=64,k=64,r=3,s=3,stride_h=1,stride_w=1,pad_h=1,pad_w=1,groups=1,"
            "pass=fwd,layout=nhwc,dtype=fp16,acc=fp32,out=fp16,algo=auto");
  EXPECT_EQ(std::get<ConvWork>(rows[1].work).problem.pass, kernels::ConvPass::kDataGradient);
  EXPECT_EQ(std::get<ConvWork>(rows[2].work).problem.pass, kernels::ConvPass::kWeightGradient);
  EXPECT_EQ(list_mistake("op,dtype_in,dtype_acc,params\nconv_fwd,fp16,,n=1;c=2\n"),
            "l.csv:2:16: conv: 'h' is missing\nl.csv:2:16: conv: 'w' is missing\n"
            "l.csv:2:16: conv: 'k' is missing\nl.csv:2:16: conv: 'r' is missing\n"
            "l.csv:2:16: conv: 's' is missing");
}

TEST(CsvList, ReadsAttentionAndVectorOperations) {
  const auto rows = read_csv_list(
      "op,dtype_in,dtype_acc,params\n"
      "attention_fwd,bf16,fp32,b=1;heads=4;kvheads=1;seq=2048;dim=128;causal=1\n"
      "attention_decode,bf16,fp32,b=4;heads=2;kvheads=1;seq=1;kv=2048;dim=128;causal=0\n"
      "rms_norm,fp16,fp32,rows=2048;cols=4096\n"
      "attention_fwd,bf16,fp32,b=1;heads=4;seq=64;dim=192;dim_v=128\n",
      "l.csv");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].text,
            "attn:b=1,heads=4,kvheads=1,n=2048,kv=2048,d=128,causal=1,dtype=bf16,algo=fused");
  EXPECT_EQ(rows[1].text,
            "attn:b=4,heads=2,kvheads=1,n=1,kv=2048,d=128,causal=0,dtype=bf16,algo=fused");
  EXPECT_EQ(rows[2].text, "rms_norm:rows=2048,cols=4096,dtype=fp16");
  EXPECT_TRUE(std::holds_alternative<Unsupported>(rows[3].work));
}

TEST(CsvList, TellsThePassesOfBoth) {
  const auto rows = read_csv_list(
      "op,dtype_in,dtype_acc,params\n"
      "attention_fwd_bwd,bf16,fp32,b=1;heads=4;kvheads=1;seq=64;dim=128;causal=1\n"
      "attention_fwd_bwd,bf16,fp32,b=1;heads=4;seq=64;dim=128;causal=1;window=32\n"
      "attention_bwd,bf16,fp32,b=1;heads=4;seq=64;dim=128;causal=1;window=32\n",
      "l.csv");
  ASSERT_EQ(rows.size(), 3U);
  const std::string words =
      "attn:b=1,heads=4,kvheads=1,n=64,kv=64,d=128,causal=1,dtype=bf16,algo=fused";
  EXPECT_THAT(std::get<Unsupported>(rows[0].work).parts, ElementsAre(words, words + ",pass=bwd"));
  EXPECT_EQ(std::get<Unsupported>(rows[0].work).flop, 3.5 * 2 * 4 * 64 * 64 * 128);
  const auto& sliding = std::get<Unsupported>(rows[1].work);
  EXPECT_EQ(sliding.reason, "no attention kernel with a sliding window is generated");
  EXPECT_EQ(std::get<Unsupported>(rows[2].work).reason, sliding.reason);
  EXPECT_TRUE(sliding.parts.empty());
}

TEST(CsvList, ChecksTheFieldsOfBothPasses) {
  const auto mistake = [](const std::string& params) {
    return list_mistake("op,dtype_in,dtype_acc,params\nattention_fwd_bwd,fp16,," + params + "\n");
  };
  EXPECT_THAT(
      mistake("b=x;heads=2;n=64;dd=7;causal=9"),
      AllOf(
          HasSubstr("l.csv:2:27: b: 'x' is not a whole number\nl.csv:2:42: attn: unknown key 'dd'"),
          HasSubstr("\nl.csv:2:54: causal: '9' is not one of 0, 1")));
  EXPECT_EQ(mistake("heads=3;kvheads=2;n=64;d=64"),
            "l.csv:2:25: attn: kvheads=2 does not divide heads=3");
  EXPECT_EQ(mistake("heads=2;n=64;d=64;pass=bwd"),
            "l.csv:2:43: attn: the operation already states 'pass'");
  const auto rows = read_csv_list(
      "op,dtype_in,params\nattention_fwd_bwd,fp16,heads=2;n=64;d=64;blas=NT\n", "l.csv");
  EXPECT_EQ(rows.at(0).notes.at(0).value, "NT");
}

TEST(CsvList, NamesTheOperationsWhereNoneIsNear) {
  EXPECT_THAT(list_mistake("op,dtype_in,dtype_acc,params\nconv,fp16,fp32,n=1\n"),
              HasSubstr("unknown operation 'conv' (operations: attention_fwd_bwd, gemm, "));
}

TEST(CsvList, NamesEveryMistakeWithItsPlace) {
  EXPECT_EQ(list_mistake("op,dtype_in,dtype_acc,params\n"
                         "gem,fp16,fp32,m=1;n=1;k=1\n"
                         "gemm,fp61,fp32,m=1;n=1;k=1\n"
                         "gemm,fp16,fp32,m=1;n=1;k=x;layuot=NN\n"
                         "gemm,fp16,fp32,m=1;n=1\n"
                         "gemm,fp16,fp32\n"
                         "gemm,fp16,\"fp32,m=1\n"),
            "l.csv:2:1: op: unknown operation 'gem'; did you mean \"gemm\"?\n"
            "l.csv:3:6: dtype: unknown type 'fp61'; did you mean \"fp16\"?\n"
            "l.csv:4:26: k: 'x' is not a whole number\n"
            "l.csv:4:28: gemm: unknown key 'layuot'; did you mean \"layout\"?\n"
            "l.csv:5:16: gemm: 'k' is missing\n"
            "l.csv:6:1: row: 3 fields, the header has 4\n"
            "l.csv:7:12: dtype_acc: the quote is not closed");
}

TEST(CsvList, TakesNoPassBesideThatInTheNameOfTheOperation) {
  EXPECT_EQ(list_mistake("op,params\n"
                         "conv_wgrad,n=1;hw=8;c=8;k=8;rs=1;pass=fwd\n"
                         "attention_fwd,heads=1;n=64;d=64;pass=bwd\n"
                         "attn,heads=1;n=64;d=64;pass=bwd\n"),
            "l.csv:2:34: conv: the operation already states 'pass'\n"
            "l.csv:3:33: attn: the operation already states 'pass'");
}

TEST(CsvList, NamesWhatTheHeaderLacks) {
  EXPECT_EQ(list_mistake("op,dtypein,dtype_acc,params,op\ngemm,fp16,fp32,m=1,x\n"),
            "l.csv:1:29: header: 'op' is given twice\n"
            "l.csv:1:4: header: column 'dtypein' is unknown; did you mean \"dtype_in\"?");
  EXPECT_EQ(list_mistake("op,dtype_in,params\ngemm,bf16,m=8;n=8;k=8\n"), "accepted");
  EXPECT_EQ(list_mistake("op,dtype_acc,params\ngemm,fp32,m=8;n=8;k=8\n"), "accepted");
  EXPECT_EQ(list_mistake(""), "l.csv:1:1: header: the file is empty");
  EXPECT_EQ(list_mistake("op,dtype_in,dtype_acc,params\n"), "l.csv:1:1: rows: the list has none");
}

TEST(CsvList, ReadsEveryShippedList) {
  int lists = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(TC_SOURCE_DIR "/configs/workloads")) {
    if (entry.path().extension() != ".csv") continue;
    ++lists;
    for (const Workload& row : parse_workload("csv:" + entry.path().string())) {
      EXPECT_FALSE(std::holds_alternative<Unsupported>(row.work)) << row.text;
    }
  }
  EXPECT_GT(lists, 0);
}

TEST(CsvList, StopsAfterTwoHundredMistakes) {
  std::string text = "op,dtype_in,dtype_acc,params\n";
  for (int i = 0; i < 1000; ++i) text += "x,y\n";
  EXPECT_THAT(list_mistake(text), HasSubstr("l.csv: further mistakes are not shown"));
}

TEST(CsvList, OfManyColumnsOrRowsIsRefused) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      (void)read_csv_list(text, "l.csv");
    } catch (const InputError& error) {
      return error.messages().front();
    }
    return "";
  };
  const std::string header = "op,dtype_in,dtype_acc,params";
  EXPECT_EQ(message(header + std::string(1'000'000, ',') + "\n"),
            "l.csv:1:226: header: more than 200 columns");
  std::string rows = header + "\n";
  for (int i = 0; i < 100'001; ++i) rows += "relu,fp16,,rows=1;cols=8\n";
  EXPECT_EQ(message(rows), "l.csv:100002:1: row: more than 100000 rows; split the list");
}

TEST(CsvList, RepeatsSixtyCharactersOfAWord) {
  const std::string word(5'000'000, 'x');
  const std::string header = "op,dtype_in,dtype_acc,params\n";
  for (const std::string& row : {word + ",fp16,,m=1", "gemm," + word + ",,m=1;n=1;k=1",
                                 "gemm,fp16,,m=" + word, "gemm,fp16,," + word + "=1"}) {
    EXPECT_LT(test::refusal([&] { return read_csv_list(header + row + "\n", "l.csv"); }).size(),
              1000U)
        << row.substr(0, 20);
  }
}

}  // namespace
}  // namespace tcsim::workload
