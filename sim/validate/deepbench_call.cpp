#include "sim/validate/deepbench_call.hpp"

namespace tcsim::validate {
namespace {

std::int64_t padded(std::int64_t length) {
  constexpr std::int64_t kMultiple = 8;
  return (length + kMultiple - 1) / kMultiple * kMultiple;
}

}  // namespace

bool is_of_deepbench(std::string_view source_id) { return source_id.starts_with("DEEPBENCH"); }

kernels::GemmProblem deepbench_call(const kernels::GemmProblem& printed) {
  using kernels::Layout;
  kernels::GemmProblem call = printed;
  const bool is_b_along_n = call.layout_b == Layout::kNormal;
  const bool is_k_padded = !is_b_along_n || call.layout_a == Layout::kNormal;
  call.m = padded(call.m);
  if (is_b_along_n) call.n = padded(call.n);
  if (is_k_padded) call.k = padded(call.k);
  call.epilogue.residual = true;
  return call;
}

}  // namespace tcsim::validate
