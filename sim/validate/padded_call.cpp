#include "sim/validate/padded_call.hpp"

namespace tcsim::validate {
namespace {

std::int64_t padded(std::int64_t length) {
  constexpr std::int64_t kMultiple = 8;
  return (length + kMultiple - 1) / kMultiple * kMultiple;
}

}  // namespace

kernels::GemmProblem padded_call(const kernels::GemmProblem& printed) {
  using kernels::Layout;
  kernels::GemmProblem call = printed;
  const bool is_b_along_n = call.layout_b == Layout::kNormal;
  const bool is_k_padded = !is_b_along_n || call.layout_a == Layout::kNormal;
  call.m = padded(call.m);
  if (is_b_along_n) call.n = padded(call.n);
  if (is_k_padded) call.k = padded(call.k);
  return call;
}

}  // namespace tcsim::validate
