#include "sim/values/operand_store.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/values/single_matrix.hpp"

namespace tcsim::values {
namespace {

using kernels::Element;

std::vector<std::uint8_t> buffer_for(const Matrix& m, Element element) {
  return std::vector<std::uint8_t>(
      static_cast<std::size_t>(m.elements() * kernels::element_bytes(element)));
}

TEST(OperandStore, PutsElementsInRowsOrColumns) {
  const Matrix m = matrix(2, 3, {1, 2, 3, 4, 5, 6});
  std::vector<std::uint8_t> buffer = buffer_for(m, Element::kInt8);
  store(m, {Element::kInt8, /*row_major=*/true}, buffer);
  EXPECT_EQ(buffer, (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}));
  store(m, {Element::kInt8, /*row_major=*/false}, buffer);
  EXPECT_EQ(buffer, (std::vector<std::uint8_t>{1, 4, 2, 5, 3, 6}));
}

TEST(OperandStore, LoadsWhatItStoredInEachFormat) {
  for (const Element element :
       {Element::kFp16, Element::kBf16, Element::kTf32, Element::kFp32, Element::kInt8}) {
    for (const bool row_major : {true, false}) {
      const Matrix m{2, 2, 3, {1, -2, 3, 4, 5, -6, 7, 8, 9, 10, 11, 12}};
      std::vector<std::uint8_t> buffer = buffer_for(m, element);
      const Conversion conversion = store(m, {element, row_major}, buffer);
      EXPECT_EQ(conversion.changed, 0);
      EXPECT_EQ(load(buffer, {element, row_major}, 2, 2, 3).values, m.values);
    }
  }
}

TEST(OperandStore, RoundsToNearestEvenAndTf32ToNearestAway) {
  const double tie = 1 + 0x1p-11;  // half of FP16's and TF32's last bit
  const Matrix m = matrix(1, 1, {tie});
  std::vector<std::uint8_t> half(2);
  std::vector<std::uint8_t> tf32(4);
  store(m, {Element::kFp16, true}, half);
  store(m, {Element::kTf32, true}, tf32);
  EXPECT_EQ(load(half, {Element::kFp16, true}, 1, 1, 1).values[0], 1.0);
  EXPECT_EQ(load(tf32, {Element::kTf32, true}, 1, 1, 1).values[0], 1 + 0x1p-10);
}

TEST(OperandStore, CountsWhatRoundingDid) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Matrix m = matrix(1, 7, {1, 1 + 0x1p-11, 1e6, 0x1p-20, 0x1p-30, infinity, 0});
  std::vector<std::uint8_t> buffer = buffer_for(m, Element::kFp16);
  const Conversion conversion = store(m, {Element::kFp16, true}, buffer);
  EXPECT_EQ(conversion.elements, 7);
  EXPECT_EQ(conversion.changed, 2);    // the tie and 2^-30
  EXPECT_EQ(conversion.overflow, 1);   // 1e6, not the infinity
  EXPECT_EQ(conversion.subnormal, 1);  // 2^-20
  EXPECT_EQ(conversion.underflow, 1);  // 2^-30
  EXPECT_DOUBLE_EQ(conversion.max_relative, 0x1p-11 / (1 + 0x1p-11));
}

TEST(OperandStore, SaturatesFp8AndCountsIt) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Matrix m = matrix(1, 6, {464, 480, -1e4, -61440, 448, infinity});
  std::vector<std::uint8_t> buffer = buffer_for(m, Element::kE4m3);
  Conversion conversion = store(m, {Element::kE4m3, true}, buffer);
  EXPECT_EQ(conversion.overflow, 3);
  EXPECT_EQ(conversion.changed, 1);  // 464
  EXPECT_EQ(buffer, (std::vector<std::uint8_t>{0x7e, 0x7e, 0xfe, 0xfe, 0x7e, 0x7f}));
  conversion = store(m, {Element::kE5m2, true}, buffer);
  EXPECT_EQ(conversion.overflow, 1);
  EXPECT_EQ(load(buffer, {Element::kE5m2, true}, 1, 1, 6).values,
            (std::vector<double>{448, 512, -10240, -57344, 448, infinity}));
}

TEST(OperandStore, ReadsIntegersWithTheirSign) {
  EXPECT_EQ(value_of(numerics::ElementType::kInt8, 0x80), -128);
  EXPECT_EQ(value_of(numerics::ElementType::kInt32, 0xffffffff), -1);
  EXPECT_EQ(value_of(numerics::ElementType::kFp16, 0xbc00), -1);
}

}  // namespace
}  // namespace tcsim::values
