#include "sim/validate/padded_call.hpp"

#include <gtest/gtest.h>

namespace tcsim::validate {
namespace {

using kernels::GemmProblem;
using kernels::Layout;

GemmProblem call_of(Layout a, Layout b) {
  GemmProblem printed;
  printed.m = 35;
  printed.n = 8457;
  printed.k = 1530;
  printed.layout_a = a;
  printed.layout_b = b;
  return padded_call(printed);
}

TEST(PaddedCall, PadsWhatTensorCoresNeed) {
  for (const Layout a : {Layout::kNormal, Layout::kTransposed}) {
    const GemmProblem call = call_of(a, Layout::kTransposed);
    EXPECT_EQ(call.m, 40);
    EXPECT_EQ(call.n, 8457);
    EXPECT_EQ(call.k, 1536);
  }
  const GemmProblem across = call_of(Layout::kTransposed, Layout::kNormal);
  EXPECT_EQ(across.m, 40);
  EXPECT_EQ(across.n, 8464);
  EXPECT_EQ(across.k, 1530);
  const GemmProblem all = call_of(Layout::kNormal, Layout::kNormal);
  EXPECT_EQ(all.m, 40);
  EXPECT_EQ(all.n, 8464);
  EXPECT_EQ(all.k, 1536);
}

}  // namespace
}  // namespace tcsim::validate
