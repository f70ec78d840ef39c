#include "sim/values/product_error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sim/values/row_blocks.hpp"
#include "tests/values/single_matrix.hpp"

namespace tcsim::values {
namespace {

using numerics::ElementType;

TEST(Ulp, IsTheWeightOfTheLastFractionBit) {
  EXPECT_EQ(ulp(ElementType::kFp16, 1.0), 0x1p-10);
  EXPECT_EQ(ulp(ElementType::kFp16, 1.999), 0x1p-10);
  EXPECT_EQ(ulp(ElementType::kFp16, -2.0), 0x1p-9);
  EXPECT_EQ(ulp(ElementType::kFp32, 1.0), 0x1p-23);
  EXPECT_EQ(ulp(ElementType::kBf16, 1.0), 0x1p-7);
  EXPECT_EQ(ulp(ElementType::kInt32, 12345.0), 1.0);
}

TEST(Ulp, StopsAtSubnormalsAndAtTheLargestNumber) {
  EXPECT_EQ(ulp(ElementType::kFp16, 0x1p-14), 0x1p-24);
  EXPECT_EQ(ulp(ElementType::kFp16, 0x1p-20), 0x1p-24);
  EXPECT_EQ(ulp(ElementType::kFp16, 0.0), 0x1p-24);
  EXPECT_EQ(ulp(ElementType::kFp16, 1e9), 32.0);
}

TEST(ProductError, OfAnExactProductIsZero) {
  const ProductError error =
      error_of_product(matrix(2, 2, {1, 2, 3, 4}), matrix(2, 2, {5, 6, 7, 8}),
                       matrix(2, 2, {19, 22, 43, 50}), ElementType::kFp16);
  EXPECT_EQ(error.elements, 4);
  EXPECT_EQ(error.wrong, 0);
  EXPECT_EQ(error.max_ulp, 0);
  EXPECT_EQ(error.mean_relative, 0);
}

TEST(ProductError, NamesTheWorstElement) {
  const ProductError error =
      error_of_product(matrix(2, 2, {1, 2, 3, 4}), matrix(2, 2, {5, 6, 7, 8}),
                       matrix(2, 2, {19, 22, 43, 50.0 + 3 * 0x1p-5}), ElementType::kFp16);
  EXPECT_EQ(error.wrong, 1);
  EXPECT_EQ(error.max_ulp, 3);
  EXPECT_EQ(error.mean_ulp, 0.75);
  EXPECT_EQ(error.worst_row, 1);
  EXPECT_EQ(error.worst_column, 1);
  EXPECT_DOUBLE_EQ(error.max_relative, 3 * 0x1p-5 / 50);
  EXPECT_DOUBLE_EQ(error.mean_relative, 3 * 0x1p-5 / 50 / 4);
  EXPECT_DOUBLE_EQ(error.norm_relative,
                   3 * 0x1p-5 / std::sqrt(19.0 * 19 + 22 * 22 + 43 * 43 + 50 * 50));
}

TEST(ProductError, SeesWhatADoubleWouldLose) {
  // 2^60 + 1 - 2^60: a chain of doubles gives 0.
  const Matrix a = matrix(1, 3, {0x1p30, 1, 0x1p30});
  const Matrix b = matrix(3, 1, {0x1p30, 1, -0x1p30});
  EXPECT_EQ(error_of_product(a, b, matrix(1, 1, {1}), ElementType::kFp32).wrong, 0);
  EXPECT_EQ(error_of_product(a, b, matrix(1, 1, {0}), ElementType::kFp32).max_relative, 1);
}

TEST(ProductError, LeavesOutWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Matrix a = matrix(2, 1, {1, infinity});
  const Matrix b = matrix(1, 2, {2, 3});
  const ProductError error =
      error_of_product(a, b, matrix(2, 2, {2, infinity, infinity, infinity}), ElementType::kFp16);
  EXPECT_EQ(error.elements, 1);
  EXPECT_EQ(error.wrong, 0);
}

TEST(ProductError, KeepsMatricesOfABatchApart) {
  const Matrix a{2, 1, 1, {2, 3}};
  const Matrix b{2, 1, 1, {5, 7}};
  const ProductError error = error_of_product(a, b, Matrix{2, 1, 1, {10, 22}}, ElementType::kInt32);
  EXPECT_EQ(error.elements, 2);
  EXPECT_EQ(error.wrong, 1);
  EXPECT_EQ(error.worst_batch, 1);
}

TEST(ProductError, MultipliesRowsByTheMatrixOfTheirGroup) {
  const Matrix a = matrix(3, 1, {2, 3, 4});
  const Matrix b{2, 1, 1, {5, 7}};
  const std::vector<std::int64_t> groups{0, 1, 1};
  const ProductError error =
      error_of_product(a, b, matrix(3, 1, {10, 21, 29}), ElementType::kInt32, groups);
  EXPECT_EQ(error.elements, 3);
  EXPECT_EQ(error.wrong, 1);
  EXPECT_EQ(error.worst_row, 2);
}

TEST(ProductError, LeavesOutRowsWithoutAMatrix) {
  const std::vector<std::int64_t> groups{0, kUndefined};
  const ProductError error = error_of_product(matrix(2, 1, {2, 3}), matrix(1, 1, {5}),
                                              matrix(2, 1, {10, 99}), ElementType::kInt32, groups);
  EXPECT_EQ(error.elements, 1);
  EXPECT_EQ(error.wrong, 0);
}

}  // namespace
}  // namespace tcsim::values
