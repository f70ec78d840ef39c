#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/import/workload.hpp"
#include "workloads/networks/network.hpp"

namespace tcsim::networks {

/// Types of operands: one for all operators, or as mixed precision and quantised networks choose.
enum class Precision : std::uint8_t {
  kFp32,  ///< CUDA cores
  kTf32,  ///< products in TF32, tensors in FP32
  kFp16,
  kBf16,
  kAmp,   ///< PyTorch's autocast to FP16 (docs/networks.md)
  kInt8,  ///< products in INT8 behind quantisation, the rest in FP16
  kFp8,   ///< products with weights in E4M3 behind quantisation, the rest in BF16
};
const std::vector<std::string_view>& precision_words();

/// Integers in the place of the weights of products (kernels::PackedWeights).
enum class WeightIntegers : std::uint8_t { kNone, kInt4, kInt8 };
const std::vector<std::string_view>& weight_integer_words();
/// Bits of each; 0: there are none.
int bits_of(WeightIntegers integers);

/// What a network does with a batch.
enum class Pass : std::uint8_t {
  kForward,
  kTraining,  ///< forward, gradients, optimiser
  kDecode,    ///< one more token of each sample (sequence.hpp)
};
const std::vector<std::string_view>& pass_words();

struct LoweringOptions {
  std::int64_t batch = 1;
  Precision precision = Precision::kFp16;
  bool is_training = false;         ///< forward, gradients, optimiser; else forward alone
  bool has_fused_attention = true;  ///< the machine runs the fused kernels
  /// Keys and values of causal attention lie in pages, into which a launch in front of attention
  /// copies those of the tokens under way: of 16-bit elements, fused, forward.
  bool has_paged_cache = false;
  /// Whether the machine has a kernel for a product of groups of rows; empty: for none.
  std::function<bool(const kernels::GemmProblem&)> has_grouped_kernel{};
  /// Of fully connected layers and experts, but not of the scores for a vocabulary, which GPTQ
  /// (arXiv 2210.17323) and AWQ (arXiv 2306.00978) leave as they are. With FP16 and BF16, forward.
  kernels::PackedWeights weights{};
};

/// A range of memory that steps share.
struct Tensor {
  std::int64_t bytes = 0;
  bool is_permanent = false;  ///< weights: there before the first step and behind the last
  bool is_cache = false;      ///< permanent, but keys and values instead of weights
};

/// The buffer of a step's kernels that is memory of a tensor.
struct Binding {
  std::string buffer;
  int tensor = 0;
  std::int64_t offset = 0;  ///< bytes into the tensor
};

/// One operation on the machine.
struct Step {
  std::string layer;
  std::string part;  ///< "forward", "cast", "quantize", "dgrad", "wgrad", "backward", "optimizer"
  workload::Workload work;
  bool runs_on_cuda_cores = false;
  double macs = 0;  ///< useful multiply-adds: half of a fused causal attention's
  std::vector<Binding> bindings;
  double collective_bytes = 0;  ///< of the result, of what GPUs do together; 0: a step of one GPU
  bool gathers = false;         ///< all_gather; else all_reduce

  /// Not simulated: a model tells its time.
  [[nodiscard]] bool is_collective() const { return collective_bytes > 0; }
};

/// What runs on the machine for one batch, in order.
struct Program {
  std::vector<Tensor> tensors;
  std::vector<Step> steps;
};

/// Turns every layer into steps. Requires inferred shapes. Throws std::invalid_argument with a
/// sentence where a precision has no form of what is asked for.
Program lower(const Network& network, const LoweringOptions& options);

}  // namespace tcsim::networks
