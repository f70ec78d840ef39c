#include "sim/validate/operation.hpp"

#include <array>

namespace tcsim::validate {
namespace {

constexpr double kOperationsPerMac = 2.0;

double bytes_of(std::int64_t elements, kernels::Element element) {
  return static_cast<double>(elements) * kernels::element_bytes(element);
}

Operation operation(const kernels::GemmProblem& gemm) {
  const auto batch = static_cast<double>(gemm.batch);
  return {"gemm", gemm.input,
          kOperationsPerMac * batch * static_cast<double>(gemm.m) * static_cast<double>(gemm.n) *
              static_cast<double>(gemm.k),
          batch * (bytes_of(gemm.m * gemm.k, gemm.input) + bytes_of(gemm.k * gemm.n, gemm.input) +
                   bytes_of(gemm.m * gemm.n, gemm.output))};
}

Operation operation(const kernels::ConvProblem& conv) {
  constexpr std::array kNames{"conv_fwd", "conv_dgrad", "conv_wgrad"};
  return {kNames[static_cast<std::size_t>(conv.pass)], conv.input,
          kOperationsPerMac * static_cast<double>(conv.macs()),
          bytes_of(conv.x_elements() + conv.w_elements() + conv.y_elements(), conv.input)};
}

}  // namespace

std::optional<Operation> operation_of(const workload::Workload& workload) {
  if (const auto* gemm = std::get_if<kernels::GemmProblem>(&workload.work)) return operation(*gemm);
  if (const auto* conv = std::get_if<workload::ConvWork>(&workload.work))
    return operation(conv->problem);
  return std::nullopt;
}

}  // namespace tcsim::validate
