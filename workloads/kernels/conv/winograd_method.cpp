#include "workloads/kernels/conv/winograd_method.hpp"

#include "workloads/kernels/conv/transformed_product.hpp"

namespace tcsim::kernels {

WinogradMethod::WinogradMethod(const ConvProblem& problem, int outputs, Target target)
    : target_(std::move(target)),
      shape_{.problem = problem,
             .outputs = outputs,
             .has_uniform_datapath = target_.features.uniform_datapath,
             .has_packing = target_.features.packed_conversion},
      product_{.m = shape_.tiles(),
               .n = problem.k,
               .k = problem.c,
               .batch = shape_.points(),
               .input = problem.input,
               .accumulate = Element::kFp32,
               .output = Element::kFp32,
               .unit = problem.unit} {}

std::string WinogradMethod::why_not() const {
  if (std::string reason = why_no_winograd(shape_.problem); !reason.empty()) return reason;
  return why_no_kernel(product_, target_);
}

TileMenu WinogradMethod::menu() const { return product_menu(product_, target_); }

GemmTile WinogradMethod::choose() const { return choose_product_tile(product_, target_); }

double WinogradMethod::estimate(const GemmTile& tile) const {
  return estimate_transformed(shape_.problem, product_, tile, target_);
}

std::vector<isa::KernelLaunch> WinogradMethod::stream(const GemmTile& tile) const {
  return transformed_stream(shape_.problem, product_, tile, target_,
                            {make_winograd_filter(shape_, shape_.problem.input),
                             make_winograd_input(shape_), make_winograd_output(shape_)});
}

}  // namespace tcsim::kernels
