#include "workloads/kernels/conv/conv_buffers.hpp"

namespace tcsim::kernels {

namespace {

constexpr std::uint64_t kBufferGranularity = 256;

std::uint64_t aligned(std::uint64_t address) {
  return (address + kBufferGranularity - 1) / kBufferGranularity * kBufferGranularity;
}

}  // namespace

ConvBuffers::ConvBuffers(const ConvProblem& problem, std::uint64_t first_address)
    : pass_(problem.pass), next_(aligned(first_address)) {
  const auto tensor = [&](const char* name, std::int64_t elements, ConvPass computed_by) {
    const bool input = problem.pass != computed_by;
    return place(name, elements, input ? problem.input : problem.output, input);
  };
  x_ = tensor("x", problem.x_elements(), ConvPass::kDataGradient);
  w_ = tensor("w", problem.w_elements(), ConvPass::kWeightGradient);
  y_ = tensor("y", problem.y_elements(), ConvPass::kForward);
}

const isa::Buffer& ConvBuffers::result() const {
  if (pass_ == ConvPass::kForward) return y_;
  return pass_ == ConvPass::kDataGradient ? x_ : w_;
}

const isa::Buffer& ConvBuffers::a() const { return pass_ == ConvPass::kForward ? x_ : y_; }

const isa::Buffer& ConvBuffers::b() const { return pass_ == ConvPass::kWeightGradient ? x_ : w_; }

isa::Buffer ConvBuffers::workspace(const char* name, std::int64_t elements, Element element) {
  return place(name, elements, element, /*input=*/false);
}

isa::Buffer ConvBuffers::place(const char* name, std::int64_t elements, Element element,
                               bool input) {
  const auto bytes = static_cast<std::uint64_t>(elements * element_bytes(element));
  isa::Buffer buffer{name, next_, bytes, input};
  next_ += aligned(bytes);
  return buffer;
}

std::vector<isa::Buffer> post_operands(const ConvProblem& problem, ConvBuffers& buffers) {
  std::vector<isa::Buffer> operands;
  if (problem.post.scale)
    operands.push_back(as_input(buffers.workspace("scale", problem.k, Element::kFp32)));
  if (problem.post.bias)
    operands.push_back(as_input(buffers.workspace("bias", problem.k, Element::kFp32)));
  if (problem.post.residual)
    operands.push_back(as_input(buffers.workspace("z", problem.y_elements(), problem.output)));
  return operands;
}

}  // namespace tcsim::kernels
