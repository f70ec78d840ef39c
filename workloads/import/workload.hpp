#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "models/isa/launch.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/traceg/traceg.hpp"

namespace tcsim::workload {

/// A legal wish that no generator meets yet.
struct Unsupported {
  std::string operation;  ///< "conv_fwd"
  std::string reason;     ///< one sentence
};

/// One thing to run.
struct Workload {
  std::variant<kernels::GemmProblem, isa::KernelLaunch, traceg::RecordedStream, Unsupported> work;
  std::string text;  ///< words that parse_workload turns into the same work
  int row = 0;       ///< row of a list, from 1 without the header; 0: not from a list
  int line = 0;      ///< line of the list's file
  std::vector<std::pair<std::string, std::string>>
      notes;  ///< further columns of the list, name and value
};

/// What the words of a command line name:
/// - `gemm:4096` or `gemm:m=4096,n=512,k=64,dtype=bf16,acc=fp32,out=fp16,layout=nt,batch=4`;
/// - `csv:FILE`, one workload per row, from columns op, dtype_in, dtype_acc, params
/// (docs/workloads.md);
/// - `trace:FILE`, a .tct file, or a recorded .traceg or kernelslist.g (docs/traces.md).
/// Throws InputError with every mistake, InputFileError if a file cannot be read.
std::vector<Workload> parse_workload(const std::string& words);

/// "gemm:m=..,n=..,k=..,dtype=..,acc=..,out=..,layout=..,batch=..", which parse_workload reads
/// back.
std::string gemm_text(const kernels::GemmProblem& problem);

/// The lower-case name of an element type, "fp16".
std::string_view element_name(kernels::Element element);

}  // namespace tcsim::workload
