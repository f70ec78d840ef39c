#include "sim/networks/csv_import.hpp"
#include "sim/networks/network_text.hpp"
#include "tests/fuzz/refusal.hpp"
#include "workloads/import/csv_list.hpp"
#include "workloads/import/workload.hpp"
#include "workloads/import/workload_size.hpp"

namespace tcsim::fuzz {
namespace {

/// What a report says of a workload before it runs.
void describe(const std::vector<workload::Workload>& workloads) {
  for (const workload::Workload& workload : workloads) {
    (void)workload::useful_flop(workload);
    (void)workload::operand_bytes(workload);
    require(!workload.text.empty(), "workload: no words");
  }
}

/// Words that name a file are for the targets of those files.
bool run_words(Bytes bytes) {
  const std::string words(text_of(bytes));
  for (const char* prefix : {"csv:", "trace:", "tct:", "net:"})
    if (words.starts_with(prefix)) return false;
  return accepts([&] { describe(workload::parse_workload(words)); });
}

std::vector<std::string> word_seeds() {
  return {"gemm:256",
          "gemm:m=512,n=16,k=512,dtype=fp16,acc=fp32,out=fp16,layout=tn,batch=1",
          "conv:n=2,hw=16,c=64,k=64,rs=3,pad=1",
          "attn:heads=4,n=128,d=64,b=2",
          "softmax:rows=64,cols=128",
          "avg_pool:n=2,hw=32,c=64,rs=2",
          "gemm:m=64,n=64,k=64,dtype=int8"};
}

bool run_csv(Bytes bytes) {
  return accepts([&] { describe(workload::read_csv_list(text_of(bytes), "input")); });
}

std::vector<std::string> csv_seeds() {
  return {
      "gpu,op,dtype_in,dtype_acc,params,time_us\n"
      "V100-SXM2-16GB,gemm,fp16,fp32,m=512;n=16;k=512;layout=TN;blas=NT,8\n"
      "A100,gemm,bf16,fp32,m=80;n=65536;k=32;layout=NT;batch=3,18.4513\n",
      "op,dtype_in,dtype_acc,params\ngemm,fp16,fp32,m=64;n=64;k=64;layout=nn\n"
      "attention_fwd,bf16,fp32,b=8;heads=8;kvheads=4;seq=512;dim=128;causal=1\n"
      "softmax,fp16,fp32,rows=64;cols=128\n",
      "op,dtype_in,dtype_acc,params\n"
      "conv_fwd,fp16,fp32,n=2;h=16;w=16;c=64;k=64;r=3;s=3;pad=1;stride=1\n"};
}

bool run_network_csv(Bytes bytes) {
  return accepts([&] {
    const networks::Imported imported = networks::import_csv(text_of(bytes), "input");
    require(!networks::network_yaml(imported.network).empty(), "network CSV: no text");
  });
}

}  // namespace

const Target workload_words_target{"workload_words", run_words, word_seeds, Form::kText};
const Target workload_csv_target{"workload_csv", run_csv, csv_seeds, Form::kText};
const Target network_csv_target{"network_csv", run_network_csv, csv_seeds, Form::kText};

}  // namespace tcsim::fuzz
