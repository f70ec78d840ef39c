#include "tests/numerics/fast_element.hpp"

#include "models/numerics/fast_mma.hpp"

namespace tcsim::numerics {

std::uint64_t fast_element(const Arithmetic& arithmetic, const VectorRow& row) {
  const std::vector<std::uint32_t> a(row.a.begin(), row.a.end());
  const std::vector<std::uint32_t> b(row.b.begin(), row.b.end());
  const int length = static_cast<int>(a.size());
  OperandPanel single;
  OperandPanel wide;
  single.load(arithmetic.key.a, a, 1, length, length, 1);
  wide.load(arithmetic.key.b, b, 1, length, length, 1);
  std::vector<std::uint32_t> d{static_cast<std::uint32_t>(row.c)};
  fast_mma(arithmetic, single, wide, d, 1);
  return d[0];
}

}  // namespace tcsim::numerics
