#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "workloads/networks/program.hpp"

namespace tcsim::networks {

/// A matrix in memory: one row per pixel or token of the batch, one column per channel.
struct Value {
  int tensor = 0;
  std::int64_t offset = 0;  ///< bytes
  kernels::Element element = kernels::Element::kFp16;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  bool is_packed = false;  ///< stored as integers of LoweringOptions::weights

  /// True for integers, whose sums are scaled per channel.
  [[nodiscard]] bool stands_for_reals() const { return element == kernels::Element::kInt8; }
};

/// Appends steps to a program and chooses their types by the precision of the network.
class StepBuilder {
 public:
  StepBuilder(const LoweringOptions& options, Program& program)
      : options_(options), program_(program) {}

  /// The following steps belong to `layer` and are its `part`.
  void start(const std::string& layer, const std::string& part);

  Value activation(std::int64_t rows, std::int64_t cols, kernels::Element element);
  /// Weights of the current layer, in the type that the optimiser keeps.
  Value weights(std::int64_t rows, std::int64_t cols);

  /// Keys or values that are kept for later passes.
  Value cache(std::int64_t rows, std::int64_t cols, kernels::Element element);

  /// Types of operands of products, and of tensors between operators.
  [[nodiscard]] kernels::Element product_element() const;
  [[nodiscard]] kernels::Element storage_element() const;
  /// Autocast computes sums over many elements in FP32: softmax, layer norm.
  [[nodiscard]] kernels::Element wide_element() const;

  /// `value` in `element`, after a kernel that converts it if it has another type.
  Value as(const Value& value, kernels::Element element);
  /// The same as an operand of a product, through INT8 or FP8 quantisation if `may_quantize`; once
  /// for all products that read it.
  Value operand(const Value& value, bool may_quantize);
  /// Both for a kernel that combines their elements: in FP32 if either is.
  std::pair<Value, Value> in_one_type(const Value& x, const Value& y);
  /// `kept`, from `weights`, as an operand of a product; packed if the network's weights are and
  /// `may_pack`.
  Value product_weights(const Value& kept, bool may_pack, bool may_quantize);
  /// True if products with weights of `rows` rows of `cols` may use the network's eight-bit format:
  /// TMA requires rows of multiples of 16 bytes, for FP8 operands and for their BF16 results.
  [[nodiscard]] bool may_quantize(std::int64_t rows, std::int64_t cols) const;
  /// No convolution multiplies FP8.
  [[nodiscard]] bool quantizes_convolutions() const {
    return options_.precision != Precision::kFp8;
  }

  /// D = A B by `problem`, whose types are set here. A residual has the layout of D.
  Value gemm(kernels::GemmProblem problem, const Value& a, const Value& b, std::int64_t rows,
             std::int64_t cols, const std::optional<Value>& residual = std::nullopt);
  /// Buffers x, w, y in that order; the pass determines which of them is the result. A residual has
  /// the layout of y.
  void conv(const kernels::ConvProblem& problem, double macs, const Value& x, const Value& w,
            const Value& y, const std::optional<Value>& residual = std::nullopt);
  /// Pools the windows of x by `problem`, whose type is set here.
  Value pool(kernels::PoolProblem problem, const Value& x);
  /// `rows` rows, for which every row of x is written equally often, by a kernel that reads it
  /// once. Where x.rows does not divide `rows`, the last rows of x are not read, and fewer than one
  /// row's copies are not written.
  Value spread(const Value& x, std::int64_t rows);
  Value vector(kernels::VectorOperation operation, const Value& x);
  Value vector(kernels::VectorOperation operation, const Value& x, const Value& y);
  /// x * gamma + beta and x + beta, one number for each column, all in the type of x.
  Value scale_bias(const Value& x, const Value& gamma, const Value& beta);
  Value bias(const Value& x, const Value& beta);
  /// Sums of x over GPUs, in its place; or the columns of all GPUs, `cols` in each row.
  Value all_reduce(const Value& x);
  Value all_gather(const Value& x, std::int64_t cols);
  /// Copies into a range of an existing tensor that no step has read.
  void copy(const Value& from, const Value& to);
  /// Makes room for `rows` rows of `value`: kernels over groups of rows leave gaps between these.
  void reserve(const Value& value, std::int64_t rows);
  /// One kernel that subtracts `gradients` from all `count` weights, in their place. Its buffers
  /// hold many tensors, of which it finds nothing in the L2 (assumption).
  void update(std::int64_t count, const std::vector<Value>& gradients);
  /// Keys and values and, if they are to be written into a cache first, the new ones.
  struct KeysAndValues {
    Value k, v;
    std::optional<Value> new_k{};
    std::optional<Value> new_v{};
  };
  void attention(const kernels::AttentionProblem& problem, double macs, const Value& q,
                 const KeysAndValues& read, const Value& o);

  [[nodiscard]] const LoweringOptions& options() const { return options_; }

 private:
  /// Integers and scales of B instead of its elements.
  void bind_packed(const kernels::GemmProblem& problem, const Value& b,
                   std::vector<Binding>& bindings);
  Value permanent(std::int64_t rows, std::int64_t cols, kernels::Element element);
  void add_collective(const char* word, const Value& result, bool gathers);
  /// Throws std::logic_error if a buffer extends past the end of its tensor.
  Step& add(workload::Workload work, std::vector<Binding> bindings);
  void require_room(const workload::Workload& work, const std::vector<Binding>& bindings) const;
  int tensor(std::int64_t bytes, bool is_permanent);
  void append_vector(const kernels::VectorProblem& problem, std::vector<Binding> bindings);

  const LoweringOptions& options_;
  Program& program_;
  std::string layer_;
  std::string part_;
  /// Quantised activations by tensor, offset, rows and columns of their sources.
  std::map<std::tuple<int, std::int64_t, std::int64_t, std::int64_t>, Value> quantized_;
};

/// The range of `value` as a buffer.
Binding bound(const char* buffer, const Value& value);
std::int64_t bytes_of(const Value& value);

}  // namespace tcsim::networks
