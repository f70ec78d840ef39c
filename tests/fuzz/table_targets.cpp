#include "sim/labs/lab.hpp"
#include "sim/labs/sheet.hpp"
#include "sim/microbench/published_table.hpp"
#include "sim/validate/accuracy.hpp"
#include "sim/validate/measurement.hpp"
#include "sim/validate/source.hpp"
#include "tests/fuzz/refusal.hpp"
#include "tests/fuzz/scratch_file.hpp"

namespace tcsim::fuzz {
namespace {

/// Times of kernels and the workloads that stand for them.
bool run_measured_times(Bytes bytes) {
  const auto path = write_scratch("times.csv", text_of(bytes));
  static const validate::GpuNames names;
  return accepts([&] {
    for (const validate::Measurement& row :
         validate::read_measurements(path.string(), names).rows) {
      require(row.time_us > 0, "measured times: no time above zero");
      (void)validate::size_class(row.time_us);
    }
  });
}

std::vector<std::string> measured_times_seeds() {
  return {
      "gpu,op,dtype_in,dtype_acc,params,time_us,tflops,clock_mhz_if_known,source_id,notes\n"
      "A100-SXM4-80GB,gemm,bf16,fp32,m=8;n=1024;k=512;layout=NT,5.42356,1.5467,1410,AIC,"
      "clk=nominal;l2=warm\n"
      "A100-SXM4-80GB,attention_fwd,bf16,fp32,b=8;heads=8;kvheads=4;seq=512;dim=128;causal=1,"
      "83.6248,51.36,1410,AIC_ATT,clk=nominal;runs=2;kernel=fa2;alt_min_us=83.8\n",
      "gpu,op,dtype_in,dtype_acc,params,time_us,tflops,clock_mhz_if_known,source_id,notes\n"
      "V100,gemm,fp16,fp32,m=512;n=16;k=512;layout=TN,8,1,,X,tile=128x128x32;warp=64x64;stages="
      "2\n"};
}

bool run_sources(Bytes bytes) {
  return accepts([&] {
    for (const auto& [id, source] :
         validate::read_sources_text("input", std::string(text_of(bytes))))
      require(source.traits.floor_us >= 0, "sources: a floor below zero");
  });
}

std::vector<std::string> sources_seeds() {
  return {
      "MINE:\n  gap_us: 1.25\n  l2: rotating\n  rows:\n"
      "    - {op: gemm, dtype: fp16, calls: padded, words: {residual: 1}}\n"
      "    - {notes: [graph], gap_us: launch_overhead, power_limited_above_us: never}\n"};
}

bool run_accuracies(Bytes bytes) {
  const auto path = write_scratch("accuracy.csv", text_of(bytes));
  return accepts([&] { (void)validate::read_accuracies(path.string()); });
}

std::vector<std::string> accuracies_seeds() {
  return {
      "machine,op,dtype,unit,size_class,rows,median_ape,mape,bias,revision,sample\n"
      "a100,gemm,fp16,tensor,10-300 us,14,27.3,20.2,-17.0,a46a6794eb72,-\n"
      "a100,gemm,fp16,tensor,under 10 us,4,34.4,32.1,-32.1,a46a6794eb72,-\n"};
}

bool run_published_table(Bytes bytes) {
  return accepts([&] { (void)microbench::read_published_table(text_of(bytes), "input"); });
}

std::vector<std::string> published_table_seeds() {
  return {
      "# Published figures.\nsuite,test,published,unit,set,source\n"
      "mma,HMMA.1688.F16 warps=1 ilp=1,14,cycles,,\"YAN20; NVCC13, planned\"\n"};
}

bool run_lab(Bytes bytes) {
  write_scratch("lab.yaml", text_of(bytes));
  return accepts([&] { (void)labs::read_lab(scratch_folder()); });
}

std::vector<std::string> lab_seeds() {
  return {
      "lab: 2\ntitle: FLOPS against N\ngoal: Why the rate rises\ntime_limit_s: 60\n"
      "figure: rate.svg\nparameters:\n  - {name: n, from: 1408, to: 1920, step: 128}\n"
      "questions:\n  - {id: waves, unit: waves, points: 1, ask: \"Waves of @n@\"}\n"
      "  - {id: bound, unit: word, points: 1, words: [l2, dram], ask: \"What binds\"}\n"
      "  - {id: method, written: yes, points: 5, ask: \"Why?\"}\n"
      "commands:\n  - tcsim run gemm:@n@ -m a100 -o mine --force\n"};
}

labs::Lab asked_lab() {
  labs::Lab lab;
  lab.number = 1;
  lab.questions = {{.id = "peak", .ask = "The \"peak\"", .unit = "TFLOPS", .points = 1},
                   {.id = "bound", .ask = "?", .unit = "word", .points = 1, .words = {"l2"}},
                   {.id = "why", .ask = "Why?", .points = 1, .written = true}};
  return lab;
}

/// An answer sheet never stops a grader: its mistakes are told to the student.
bool run_answer_sheet(Bytes bytes) {
  static const labs::Lab lab = asked_lab();
  write_scratch(labs::kSheetFile, text_of(bytes));
  bool is_whole = false;
  const bool is_read = accepts([&] {
    const labs::Sheet sheet = labs::read_sheet(labs::Submission(scratch_folder()), lab);
    for (const auto& [id, answer] : sheet.answers)
      (void)labs::form_mistake(*lab.question(id), answer);
    is_whole = sheet.mistakes.empty();
  });
  return is_read && is_whole;
}

std::vector<std::string> answer_sheet_seeds() {
  return {"question,value,unit,what\npeak,312,TFLOPS,\"The \"\"peak\"\"\"\nbound,l2,word,?\n",
          "\xEF\xBB\xBFquestion,value,unit,what\r\npeak,1e3,TFLOPS,\r\n"};
}

}  // namespace

const Target measured_times_target{"measured_times", run_measured_times, measured_times_seeds,
                                   Form::kText};
const Target sources_target{"sources", run_sources, sources_seeds, Form::kText};
const Target accuracies_target{"accuracies", run_accuracies, accuracies_seeds, Form::kText};
const Target published_table_target{"published_table", run_published_table, published_table_seeds,
                                    Form::kText};
const Target lab_target{"lab", run_lab, lab_seeds, Form::kText};
const Target answer_sheet_target{"answer_sheet", run_answer_sheet, answer_sheet_seeds, Form::kText};

}  // namespace tcsim::fuzz
