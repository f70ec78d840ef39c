#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/isa/launch.hpp"
#include "workloads/kernels/attention/attention.hpp"
#include "workloads/kernels/conv/conv.hpp"
#include "workloads/kernels/conv/pool.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/vector/vector.hpp"
#include "workloads/traceg/traceg.hpp"

namespace tcsim::workload {

/// A legal request that no generator supports yet.
struct Unsupported {
  std::string operation;            ///< "conv_fwd"
  std::string reason;               ///< one sentence
  std::optional<double> flop = {};  ///< useful operations, if the sizes are stated
  std::int64_t samples = 1;         ///< images or sequences that they cover
  /// Words that parse_workload turns into runs which together, one after another, are this work;
  /// empty if there are none.
  std::vector<std::string> parts = {};
};

/// A convolution and how to compute it; without an algorithm, the cost model chooses one.
struct ConvWork {
  kernels::ConvProblem problem;
  std::optional<kernels::ConvAlgorithm> algorithm;
};

/// A field of a list that does not affect the work.
struct Note {
  std::string name;  ///< name of its column
  std::string value;
  int column = 0;  ///< where the value starts in its line, from 1
};

/// One thing to run.
struct Workload {
  std::variant<kernels::GemmProblem, ConvWork, kernels::AttentionProblem, kernels::VectorProblem,
               kernels::PoolProblem, isa::KernelLaunch, traceg::RecordedStream, Unsupported>
      work;
  std::string text;         ///< words that parse_workload turns into the same work
  int row = 0;              ///< row of a list, from 1 without the header; 0: not from a list
  int line = 0;             ///< line of the list's file
  std::vector<Note> notes;  ///< further columns of the list
};

/// What the words of a command line name:
/// - `gemm:4096` or `gemm:m=4096,n=512,k=64,dtype=bf16,acc=fp32,out=fp16,layout=nt,batch=4`;
/// - `conv:n=32,hw=56,c=64,k=64,rs=3,stride=1,pad=1,dtype=fp16,algo=auto` (docs/workloads.md);
/// - `attn:b=1,heads=16,n=1024,d=64,causal=1`;
/// - `softmax:rows=4096,cols=1024`, and the other vector operations alike;
/// - `max_pool:n=32,hw=112,c=64,rs=3,stride=2,pad=1`, `avg_pool:...`;
/// - `csv:FILE`, one workload per row, from columns op, dtype_in, dtype_acc, params
/// (docs/workloads.md);
/// - `trace:FILE`, a .tct file, or a recorded .traceg or kernelslist.g (docs/traces.md).
/// Throws InputError with every mistake, IoError if a file cannot be read.
std::vector<Workload> parse_workload(const std::string& words);

/// "gemm:m=..,n=..,k=..,dtype=..,acc=..,out=..,layout=..,batch=..", which parse_workload reads
/// back.
std::string gemm_text(const kernels::GemmProblem& problem);

/// "conv:n=..,h=..,...,algo=..", which parse_workload reads back.
std::string conv_text(const ConvWork& work);

using kernels::element_name;

}  // namespace tcsim::workload
