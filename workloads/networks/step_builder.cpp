#include "workloads/networks/step_builder.hpp"

#include <algorithm>
#include <stdexcept>

#include "workloads/import/attention_fields.hpp"
#include "workloads/import/operator_fields.hpp"
#include "workloads/import/pool_fields.hpp"
#include "workloads/import/vector_fields.hpp"
#include "workloads/import/workload_size.hpp"
#include "workloads/kernels/weight_order.hpp"

namespace tcsim::networks {
namespace {

using kernels::ConvProblem;
using kernels::Element;
using kernels::GemmProblem;
using kernels::VectorOperands;
using kernels::VectorOperation;
using kernels::VectorProblem;

/// TF32 numbers are stored in memory as FP32.
bool same_in_memory(Element a, Element b) {
  const auto stored = [](Element e) { return e == Element::kTf32 ? Element::kFp32 : e; };
  return stored(a) == stored(b);
}

bool is_wide(Element element) { return same_in_memory(element, Element::kFp32); }

template <typename Problem>
void set_types(Problem& problem, Element input) {
  problem.input = input;
  problem.accumulate = workload::default_accumulate(input);
  // Results of INT8 products stand for reals again.
  problem.output = input == Element::kInt8 ? Element::kFp16
                                           : workload::default_output(input, problem.accumulate);
  problem.unit = input == Element::kFp32 ? kernels::Unit::kCudaCore : kernels::Unit::kTensor;
}

/// Groups of rows become matrices of a batch, each as high as the largest group.
void divide_into_batch(GemmProblem& problem) {
  problem.batch = problem.groups.count();
  problem.m = problem.groups.most();
  problem.groups = {};
}

/// Products of FP32 operands and everything without MMAs in FP32.
bool needs_cuda_cores(Element input) { return input == Element::kFp32; }

/// The operands and results of `work` by the names of their buffers.
std::vector<workload::OperandSize> buffer_sizes(const workload::Workload& work) {
  const auto* const vector = std::get_if<VectorProblem>(&work.work);
  if (vector == nullptr) return workload::operand_sizes(work);
  std::vector<workload::OperandSize> sizes;
  for (const isa::Buffer& buffer : kernels::vector_buffers(*vector))
    sizes.push_back({buffer.name, static_cast<double>(buffer.bytes)});
  return sizes;
}

/// The buffer whose size `buffer` has: residuals are as large as results.
std::string_view sized_as(std::string_view buffer) {
  return buffer == "C" ? "D" : buffer == "z" ? "y" : buffer;
}

}  // namespace

const std::vector<std::string_view>& precision_words() {
  static const std::vector<std::string_view> words{"fp32", "tf32", "fp16", "bf16",
                                                   "amp",  "int8", "fp8"};
  return words;
}

const std::vector<std::string_view>& weight_integer_words() {
  static const std::vector<std::string_view> words{"none", "int4", "int8"};
  return words;
}

int bits_of(WeightIntegers integers) {
  return integers == WeightIntegers::kNone ? 0 : integers == WeightIntegers::kInt4 ? 4 : 8;
}

const std::vector<std::string_view>& pass_words() {
  static const std::vector<std::string_view> words{"forward", "training", "decode"};
  return words;
}

std::int64_t bytes_of(const Value& value) {
  return value.rows * value.cols * kernels::element_bytes(value.element);
}

Binding bound(const char* buffer, const Value& value) {
  return {buffer, value.tensor, value.offset};
}

void StepBuilder::start(const std::string& layer, const std::string& part) {
  layer_ = layer;
  part_ = part;
}

int StepBuilder::tensor(std::int64_t bytes, bool is_permanent) {
  program_.tensors.push_back({bytes, is_permanent});
  return static_cast<int>(program_.tensors.size()) - 1;
}

Value StepBuilder::activation(std::int64_t rows, std::int64_t cols, Element element) {
  Value value{0, 0, element, rows, cols};
  value.tensor = tensor(bytes_of(value), false);
  return value;
}

Value StepBuilder::permanent(std::int64_t rows, std::int64_t cols, Element element) {
  Value value{0, 0, element, rows, cols};
  value.tensor = tensor(bytes_of(value), true);
  return value;
}

Value StepBuilder::cache(std::int64_t rows, std::int64_t cols, kernels::Element element) {
  const Value value = permanent(rows, cols, element);
  program_.tensors[static_cast<std::size_t>(value.tensor)].is_cache = true;
  return value;
}

Value StepBuilder::weights(std::int64_t rows, std::int64_t cols) {
  const bool is_kept_wide = options_.precision == Precision::kAmp;
  return permanent(rows, cols, is_kept_wide ? Element::kFp32 : storage_element());
}

Element StepBuilder::product_element() const {
  switch (options_.precision) {
    case Precision::kFp32:
      return Element::kFp32;
    case Precision::kTf32:
      return Element::kTf32;
    case Precision::kBf16:
    case Precision::kFp8:
      return Element::kBf16;
    default:
      return Element::kFp16;
  }
}

Element StepBuilder::storage_element() const {
  const Element element = product_element();
  return element == Element::kTf32 ? Element::kFp32 : element;
}

Element StepBuilder::wide_element() const {
  return options_.precision == Precision::kAmp ? Element::kFp32 : storage_element();
}

void StepBuilder::add_collective(const char* word, const Value& result, bool gathers) {
  workload::Workload work;
  work.text = std::string(word) + ":bytes=" + std::to_string(bytes_of(result));
  work.work = workload::Unsupported{word, "GPUs do it together"};
  Step& step = add(std::move(work), {bound("D", result)});
  step.collective_bytes = static_cast<double>(bytes_of(result));
  step.gathers = gathers;
}

Value StepBuilder::all_reduce(const Value& x) {
  add_collective("all_reduce", x, false);
  return x;
}

Value StepBuilder::all_gather(const Value& x, std::int64_t cols) {
  const Value result = activation(x.rows, cols, x.element);
  add_collective("all_gather", result, true);
  return result;
}

void StepBuilder::require_room(const workload::Workload& work,
                               const std::vector<Binding>& bindings) const {
  for (const auto& [name, bytes] : buffer_sizes(work)) {
    for (const Binding& binding : bindings) {
      if (sized_as(binding.buffer) != name) continue;
      const Tensor& tensor = program_.tensors[static_cast<std::size_t>(binding.tensor)];
      if (bytes > static_cast<double>(tensor.bytes - binding.offset))
        throw std::logic_error(layer_ + " (" + part_ + "): buffer " + binding.buffer +
                               " extends past the end of its tensor");
    }
  }
}

Step& StepBuilder::add(workload::Workload work, std::vector<Binding> bindings) {
  require_room(work, bindings);
  Step step;
  step.layer = layer_;
  step.part = part_;
  step.work = std::move(work);
  step.bindings = std::move(bindings);
  program_.steps.push_back(std::move(step));
  return program_.steps.back();
}

void StepBuilder::append_vector(const VectorProblem& problem, std::vector<Binding> bindings) {
  workload::Workload work;
  work.work = problem;
  work.text = workload::vector_text(problem);
  add(std::move(work), std::move(bindings));
}

Value StepBuilder::as(const Value& value, Element element) {
  if (same_in_memory(value.element, element)) {
    Value same = value;
    same.element = element;
    return same;
  }
  const bool widens = is_wide(element);
  const Value result = activation(value.rows, value.cols, element);
  const std::string part = std::exchange(part_, "cast");
  append_vector({widens ? VectorOperation::kToFp32 : VectorOperation::kFromFp32, value.rows,
                 value.cols, widens ? value.element : element},
                {bound("X", value), bound("D", result)});
  part_ = part;
  return result;
}

Value StepBuilder::operand(const Value& value, bool may_quantize) {
  const bool is_fp8 = options_.precision == Precision::kFp8;
  if ((options_.precision != Precision::kInt8 && !is_fp8) || !may_quantize)
    return as(value, product_element());
  const auto key = std::tuple(value.tensor, value.offset, value.rows, value.cols);
  if (const auto known = quantized_.find(key); known != quantized_.end()) return known->second;
  const Value result = activation(value.rows, value.cols, is_fp8 ? Element::kE4m3 : Element::kInt8);
  if (program_.tensors[static_cast<std::size_t>(value.tensor)].is_permanent) {
    program_.tensors[static_cast<std::size_t>(result.tensor)].is_permanent = true;
    return result;  // weights are quantised before the network runs
  }
  const std::string part = std::exchange(part_, "quantize");
  append_vector({is_fp8 ? VectorOperation::kQuantizeE4m3 : VectorOperation::kQuantize, value.rows,
                 value.cols, value.element},
                {bound("X", value), bound("D", result)});
  part_ = part;
  quantized_.emplace(key, result);
  return result;
}

std::pair<Value, Value> StepBuilder::in_one_type(const Value& x, const Value& y) {
  const Element element = is_wide(x.element) || is_wide(y.element) ? Element::kFp32 : x.element;
  const Value first = as(x, element);
  return {first, as(y, element)};
}

bool StepBuilder::may_quantize(std::int64_t rows, std::int64_t cols) const {
  constexpr std::int64_t kResults = 8;  // BF16 results in 16 bytes
  constexpr std::int64_t kOperands = 16;
  return options_.precision != Precision::kFp8 || (rows % kResults == 0 && cols % kOperands == 0);
}

Value StepBuilder::product_weights(const Value& kept, bool may_pack, bool may_quantize) {
  Value value = operand(kept, may_quantize);
  value.is_packed = may_pack && options_.weights.are_packed();
  return value;
}

void StepBuilder::bind_packed(const GemmProblem& problem, const Value& b,
                              std::vector<Binding>& bindings) {
  const kernels::WeightOrder order(problem);
  const std::int64_t matrices = b.rows / problem.n;
  bindings.push_back({"B", tensor(matrices * order.bytes_of_batch(), /*is_permanent=*/true)});
  const std::int64_t scales = matrices * order.scales_of_batch();
  bindings.push_back(
      {"scale_b", tensor(scales * kernels::element_bytes(problem.input), /*is_permanent=*/true)});
}

Value StepBuilder::gemm(GemmProblem problem, const Value& a, const Value& b, std::int64_t rows,
                        std::int64_t cols, const std::optional<Value>& residual) {
  set_types(problem, a.element);
  if (b.is_packed) problem.weights = options_.weights;
  // Without the rows by which a batch fills up groups.
  const auto multiplied_rows = static_cast<double>(problem.multiplied_rows());
  const auto& has_kernel = options_.has_grouped_kernel;
  if (problem.is_grouped() && !(has_kernel && has_kernel(problem))) divide_into_batch(problem);
  const Value d = activation(rows, cols, problem.output);
  workload::Workload work;
  work.work = problem;
  work.text = workload::gemm_text(problem);
  std::vector<Binding> bindings{bound("A", a), bound("D", d)};
  if (b.is_packed)
    bind_packed(problem, b, bindings);
  else
    bindings.insert(bindings.begin() + 1, bound("B", b));
  const auto bind_columns = [&](const char* name, bool is_wanted) {
    if (!is_wanted) return;
    bindings.push_back(bound(name, permanent(problem.matrices_b(), problem.n, Element::kFp32)));
  };
  bind_columns("scale", problem.epilogue.scale);
  bind_columns("bias", problem.epilogue.bias);
  if (residual) bindings.push_back(bound("C", *residual));
  Step& step = add(std::move(work), std::move(bindings));
  step.runs_on_cuda_cores = needs_cuda_cores(a.element);
  step.macs = multiplied_rows * static_cast<double>(problem.n) * static_cast<double>(problem.k);
  return d;
}

void StepBuilder::conv(const ConvProblem& problem, double macs, const Value& x, const Value& w,
                       const Value& y, const std::optional<Value>& residual) {
  workload::ConvWork conv{problem, std::nullopt};
  const Element input = problem.pass == kernels::ConvPass::kForward ? x.element : y.element;
  set_types(conv.problem, input);
  workload::Workload work;
  work.work = conv;
  std::vector<Binding> bindings{bound("x", x), bound("w", w), bound("y", y)};
  if (residual) bindings.push_back(bound("z", *residual));
  Step& step = add(std::move(work), std::move(bindings));
  // Libraries pad the channels of images, because narrower pixels have no aligned loads. Tensors
  // are not padded.
  constexpr std::int64_t kFewestChannels = 4;
  if (conv.problem.groups == 1) conv.problem.c = std::max(conv.problem.c, kFewestChannels);
  step.work.text = workload::conv_text(conv);
  step.work.work = conv;
  step.runs_on_cuda_cores = needs_cuda_cores(input);
  step.macs = macs;
}

Value StepBuilder::pool(kernels::PoolProblem problem, const Value& x) {
  problem.element = is_wide(x.element) ? Element::kFp32 : x.element;
  const Value y = activation(problem.n * problem.p() * problem.q(), problem.c, problem.element);
  workload::Workload work;
  work.text = workload::pool_text(problem);
  work.work = problem;
  Step& step = add(std::move(work), {bound("x", x), bound("y", y)});
  step.runs_on_cuda_cores = needs_cuda_cores(problem.element);
  return y;
}

/// Row number i is written to rows i * copies to (i + 1) * copies - 1.
Value StepBuilder::spread(const Value& x, std::int64_t rows) {
  const std::int64_t copies = ceil_div(rows, x.rows);
  kernels::PoolProblem problem;
  problem.operation = kernels::PoolOperation::kUpsample;
  problem.h = rows / copies;
  problem.c = x.cols;
  problem.r = copies;
  problem.s = 1;
  Value result = pool(problem, x);
  result.rows = rows;
  reserve(result, rows);
  return result;
}

Value StepBuilder::vector(VectorOperation operation, const Value& x) {
  const bool halves = kernels::vector_traits(operation).operands == VectorOperands::kHalvesOfX;
  const std::int64_t cols = halves ? x.cols / 2 : x.cols;
  const Value d = activation(x.rows, cols, x.element);
  append_vector({operation, x.rows, cols, x.element}, {bound("X", x), bound("D", d)});
  return d;
}

Value StepBuilder::vector(VectorOperation operation, const Value& x, const Value& y) {
  const auto [left, right] = in_one_type(x, y);
  const Value d = activation(x.rows, x.cols, left.element);
  append_vector({operation, x.rows, x.cols, left.element},
                {bound("X", left), bound("Y", right), bound("D", d)});
  return d;
}

Value StepBuilder::scale_bias(const Value& x, const Value& gamma, const Value& beta) {
  const Value d = activation(x.rows, x.cols, x.element);
  append_vector({VectorOperation::kScaleBias, x.rows, x.cols, x.element},
                {bound("X", x), bound("G", gamma), bound("B", beta), bound("D", d)});
  return d;
}

Value StepBuilder::bias(const Value& x, const Value& beta) {
  const Value d = activation(x.rows, x.cols, x.element);
  append_vector({VectorOperation::kBias, x.rows, x.cols, x.element},
                {bound("X", x), bound("B", beta), bound("D", d)});
  return d;
}

void StepBuilder::copy(const Value& from, const Value& to) {
  append_vector({VectorOperation::kCopy, from.rows, from.cols, from.element},
                {bound("X", from), bound("D", to)});
}

void StepBuilder::reserve(const Value& value, std::int64_t rows) {
  Value all = value;
  all.rows = rows;
  std::int64_t& bytes = program_.tensors[static_cast<std::size_t>(value.tensor)].bytes;
  bytes = std::max(bytes, value.offset + bytes_of(all));
}

void StepBuilder::update(std::int64_t count, const std::vector<Value>& gradients) {
  std::vector<Binding> parts;
  for (const Value& gradient : gradients) parts.push_back(bound("", gradient));
  append_vector({VectorOperation::kAdd, 1, count, wide_element()}, std::move(parts));
}

void StepBuilder::attention(const kernels::AttentionProblem& problem, double macs, const Value& q,
                            const KeysAndValues& read, const Value& o) {
  workload::Workload work;
  work.work = problem;
  work.text = workload::attention_text(problem);
  std::vector<Binding> bindings{bound("Q", q), bound("K", read.k), bound("V", read.v),
                                bound("O", o)};
  if (read.new_k) bindings.push_back(bound("K_new", *read.new_k));
  if (read.new_v) bindings.push_back(bound("V_new", *read.new_v));
  add(std::move(work), std::move(bindings)).macs = macs;
}

}  // namespace tcsim::networks
