#include "workloads/kernels/conv/conv_buffers.hpp"

namespace tcsim::kernels {

ConvBuffers::ConvBuffers(const ConvProblem& problem, BufferRow row)
    : pass_(problem.pass), row_(row) {
  x_ = row_.place("x", problem.x_bytes(), problem.pass != ConvPass::kDataGradient);
  w_ = row_.place("w", problem.w_bytes(), problem.pass != ConvPass::kWeightGradient);
  y_ = row_.place("y", problem.y_bytes(), problem.pass != ConvPass::kForward);
}

const isa::Buffer& ConvBuffers::result() const {
  if (pass_ == ConvPass::kForward) return y_;
  return pass_ == ConvPass::kDataGradient ? x_ : w_;
}

const isa::Buffer& ConvBuffers::a() const { return pass_ == ConvPass::kForward ? x_ : y_; }

const isa::Buffer& ConvBuffers::b() const { return pass_ == ConvPass::kWeightGradient ? x_ : w_; }

std::vector<isa::Buffer> post_operands(const ConvProblem& problem, BufferRow& row) {
  std::vector<isa::Buffer> operands;
  const auto place = [&](const char* name, std::int64_t elements, Element element) {
    operands.push_back(row.place(name, elements, element, /*input=*/true));
  };
  if (problem.post.scale) place("scale", problem.k, Element::kFp32);
  if (problem.post.bias) place("bias", problem.k, Element::kFp32);
  if (problem.post.residual) place("z", problem.y_elements(), problem.output);
  return operands;
}

}  // namespace tcsim::kernels
