#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/import/workload.hpp"
#include "workloads/networks/network.hpp"

namespace tcsim::networks {

/// Operand types: one type for all operators, or types chosen as in mixed precision and quantised
/// networks.
enum class Precision : std::uint8_t {
  kFp32,  ///< CUDA cores
  kTf32,  ///< products in TF32, tensors in FP32
  kFp16,
  kBf16,
  kAmp,   ///< PyTorch's autocast to FP16 (docs/networks.md)
  kInt8,  ///< products in INT8 after quantisation, the rest in FP16
  kFp8,   ///< products with weights in E4M3 after quantisation, the rest in BF16
};
const std::vector<std::string_view>& precision_words();

/// Integers in place of the weights of products (kernels::PackedWeights).
enum class WeightIntegers : std::uint8_t { kNone, kInt4, kInt8 };
const std::vector<std::string_view>& weight_integer_words();
/// Bits of each integer; 0: there are none.
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
  bool is_training = false;         ///< forward, gradients, optimiser; else only forward
  bool has_fused_attention = true;  ///< the machine runs the fused kernels
  /// Keys and values of causal attention are in pages; a launch before attention copies the current
  /// tokens' keys and values into them. Requires 16-bit elements, fused attention, a forward pass.
  bool has_paged_cache = false;
  /// Whether the machine has a kernel for a product over groups of rows; empty: for no product.
  std::function<bool(const kernels::GemmProblem&)> has_grouped_kernel{};
  /// For fully connected layers and experts, but not for the scores over a vocabulary, which GPTQ
  /// (arXiv 2210.17323) and AWQ (arXiv 2306.00978) leave unquantised. With FP16 and BF16, forward.
  kernels::PackedWeights weights{};
};

/// A range of memory that steps share.
struct Tensor {
  std::int64_t bytes = 0;
  bool is_permanent = false;  ///< weights: exist before the first step and after the last
  bool is_cache = false;      ///< permanent, but keys and values instead of weights
};

/// A buffer of a step's kernels that is part of a tensor.
struct Binding {
  std::string buffer;  ///< empty: one of many tensors in a buffer; kept until the step, not bound
  int tensor = 0;
  std::int64_t offset = 0;  ///< offset in the tensor, bytes
};

/// One operation on the machine.
struct Step {
  std::string layer;
  std::string part;  ///< "forward", "cast", "quantize", "dgrad", "wgrad", "backward", "optimizer"
  workload::Workload work;
  bool runs_on_cuda_cores = false;
  double macs = 0;  ///< useful multiply-adds: fused causal attention's as attention_pairs counts
  std::vector<Binding> bindings;
  /// Bytes of the result of a collective operation; 0: a step of one GPU.
  double collective_bytes = 0;
  bool gathers = false;  ///< all_gather; else all_reduce

  /// True for steps that are not simulated; a model predicts their time.
  [[nodiscard]] bool is_collective() const { return collective_bytes > 0; }
};

/// The steps that run on the machine for one batch, in order.
struct Program {
  std::vector<Tensor> tensors;
  std::vector<Step> steps;
};

/// Turns every layer into steps. Requires inferred shapes. Throws std::invalid_argument with a
/// sentence if a precision does not support what is asked for.
Program lower(const Network& network, const LoweringOptions& options);

}  // namespace tcsim::networks
