#include "workloads/kernels/conv/nchw_method.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/conv/conv_buffers.hpp"
#include "workloads/kernels/conv/implicit_method.hpp"
#include "workloads/kernels/layout/layout_change.hpp"

namespace tcsim::kernels {
namespace {

constexpr std::int64_t kVectorBytes = 16;

/// `with_k`: pads y too.
ConvProblem padded(ConvProblem problem, bool with_k) {
  problem.order = TensorOrder::kNhwc;
  if (problem.groups > 1) return problem;
  const std::int64_t vector = kVectorBytes / element_bytes(problem.input);
  problem.c = ceil_div(problem.c, vector) * vector;
  if (with_k) problem.k = ceil_div(problem.k, vector) * vector;
  return problem;
}

/// A tensor as images of channels and pixels.
struct Tensor {
  const char* name;
  const char* inner_name;
  std::int64_t images;
  std::int64_t channels;
  std::int64_t pixels;
  std::int64_t padded_images;
  std::int64_t padded_channels;
  ConvPass computed_by;

  /// Those that the kernel of `pass` brings into the other layout.
  [[nodiscard]] std::int64_t changed_images(ConvPass pass) const {
    return computed_by == pass ? images : padded_images;
  }
  /// Filters of one tap are the same in both layouts.
  [[nodiscard]] bool is_the_same() const {
    return pixels == 1 && images == padded_images && channels == padded_channels;
  }
};

/// The tensors whose layout changes; with `writes_result` the result's does not.
std::vector<Tensor> changed_tensors(const ConvProblem& p, const ConvProblem& padded,
                                    bool writes_result) {
  std::vector<Tensor> tensors{
      {"x", "x_nhwc", p.n, p.c, p.h * p.w, p.n, padded.c, ConvPass::kDataGradient},
      {"w", "w_krsc", p.k, p.group_c(), p.r * p.s, padded.k, padded.group_c(),
       ConvPass::kWeightGradient},
      {"y", "y_nhwc", p.n, p.k, p.p() * p.q(), p.n, padded.k, ConvPass::kForward}};
  std::erase_if(tensors, [&](const Tensor& tensor) {
    return tensor.is_the_same() || (writes_result && tensor.computed_by == p.pass);
  });
  return tensors;
}

}  // namespace

NchwMethod::NchwMethod(const ConvProblem& problem, ConvAlgorithm algorithm, Target target)
    : ConvMethod(problem, std::move(target)),
      writes_result_(writes_itself(problem, algorithm)),
      padded_(padded(problem, !writes_result_)) {
  if (writes_result_)
    inner_ =
        std::make_unique<ImplicitMethod>(padded_, algorithm == ConvAlgorithm::kImplicitGemmAnalytic,
                                         target_, ImplicitGemm::Order::kNhwcToNchw);
  else
    inner_ = make_conv_method(padded_, algorithm, target_);
}

bool NchwMethod::writes_itself(const ConvProblem& problem, ConvAlgorithm algorithm) {
  return problem.pass == ConvPass::kForward && is_implicit(algorithm);
}

std::string NchwMethod::why_not() const {
  if (element_bytes(problem_.input) == 1 || element_bytes(problem_.output) == 1)
    return "tensors of 8-bit elements must be in NHWC";
  if (element_bytes(problem_.input) == 8) return "FP64 tensors must be in NHWC";
  for (const Tensor& tensor : changed_tensors(problem_, padded_, writes_result_))
    if (tensor.changed_images(problem_.pass) > isa::kLargestGrid[2])
      return std::string("the layout change of ") + tensor.name +
             " exceeds the 65535 CTAs of a grid's z";
  return inner_->why_not();
}

double NchwMethod::estimate(const GemmTile& tile) const {
  constexpr double kPasses = 2;  // read and written
  const std::int64_t y_bytes = writes_result_ ? 0 : padded_.y_bytes();
  const auto bytes = static_cast<double>(padded_.x_bytes() + padded_.w_bytes() + y_bytes);
  return inner_->estimate(tile) + cycles_around(writes_result_ ? 2 : 3, kPasses * bytes);
}

std::vector<isa::KernelLaunch> NchwMethod::stream(const GemmTile& tile) const {
  std::vector<isa::KernelLaunch> product = inner_->stream(tile);
  const std::vector<Tensor> changed = changed_tensors(problem_, padded_, writes_result_);
  for (isa::KernelLaunch& launch : product)
    for (isa::Buffer& buffer : launch.buffers)
      for (const Tensor& tensor : changed)
        if (buffer.name == tensor.name) buffer.name = tensor.inner_name;
  const ConvBuffers inner(padded_);
  const ConvBuffers outer(problem_, BufferRow(product));
  std::vector<isa::KernelLaunch> before;
  std::vector<isa::KernelLaunch> after;
  for (const Tensor& t : changed) {
    isa::Buffer inside = inner.named(t.name);
    inside.name = t.inner_name;
    inside.input = true;
    LayoutChange change{.batch = t.changed_images(problem_.pass),
                        .stored = t.images,
                        .rows = t.channels,
                        .columns = t.pixels,
                        .source_pitch = t.pixels,
                        .target_pitch = t.padded_channels,
                        .element = problem_.input};
    if (t.computed_by != problem_.pass) {
      inside.input = false;
      before.push_back(make_layout_change(change, "nchw_to_nhwc"));
      before.back().buffers = {outer.named(t.name), inside};
      continue;
    }
    change = {.batch = t.changed_images(problem_.pass),
              .stored = t.images,
              .rows = t.pixels,
              .columns = t.channels,
              .source_pitch = t.padded_channels,
              .target_pitch = t.pixels,
              .element = problem_.output};
    after.push_back(make_layout_change(change, "nhwc_to_nchw"));
    after.back().buffers = {inside, outer.named(t.name)};
  }
  std::ranges::move(product, std::back_inserter(before));
  std::ranges::move(after, std::back_inserter(before));
  return before;
}

std::unique_ptr<ConvMethod> make_nchw_method(const ConvProblem& problem, ConvAlgorithm algorithm,
                                             const Target& target) {
  auto around = std::make_unique<NchwMethod>(problem, algorithm, target);
  // Tensor-core kernels of the library need whole vectors of channels; the library pads others.
  const std::int64_t vector = kVectorBytes / element_bytes(problem.input);
  const bool has_vectors = problem.group_c() % vector == 0 &&
                           (problem.pass == ConvPass::kForward || problem.group_k() % vector == 0);
  if (!is_implicit(algorithm) || !has_vectors) return around;
  auto alone =
      std::make_unique<ImplicitMethod>(problem, algorithm == ConvAlgorithm::kImplicitGemmAnalytic,
                                       target, ImplicitGemm::Order::kNchw);
  if (!alone->why_not().empty()) return around;
  const bool is_cheaper = !around->why_not().empty() ||
                          alone->estimate(alone->choose()) < around->estimate(around->choose());
  if (is_cheaper) return alone;
  return around;
}

}  // namespace tcsim::kernels
