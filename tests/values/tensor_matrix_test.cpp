#include "sim/values/tensor_matrix.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tests/support/tensors.hpp"

namespace tcsim::values {
namespace {

using kernels::Element;
using tensor_file::StoredType;
using tensor_file::Tensor;

Tensor tensor(StoredType type, std::vector<std::int64_t> shape,
              const std::vector<std::uint64_t>& patterns) {
  return test::from_patterns(type, std::move(shape), patterns);
}

std::string mistake(const Tensor& given, const OperandShape& shape, Element element) {
  return test::refusal([&] { matrix_of(given, shape, element, "a.npy"); });
}

TEST(MatrixOf, ReadsEveryStoredType) {
  const auto first = [](StoredType type, std::uint64_t pattern) {
    return matrix_of(tensor(type, {1, 1}, {pattern}), {1, 1, 1, "m x k"}, Element::kFp32, "a.npy")
        .values[0];
  };
  EXPECT_EQ(first(StoredType::kFp16, 0xbc00), -1);
  EXPECT_EQ(first(StoredType::kBf16, 0x4000), 2);
  EXPECT_EQ(first(StoredType::kFp32, 0x3fc00000), 1.5);
  EXPECT_EQ(first(StoredType::kFp64, 0x3ff8000000000000), 1.5);
  EXPECT_EQ(first(StoredType::kE4m3, 0x38), 1);
  EXPECT_EQ(first(StoredType::kE5m2, 0x3c), 1);
  EXPECT_EQ(first(StoredType::kInt8, 0xff), -1);
  EXPECT_EQ(first(StoredType::kUint8, 0xff), 255);
  EXPECT_EQ(first(StoredType::kInt16, 0xffff), -1);
  EXPECT_EQ(first(StoredType::kUint16, 0xffff), 65535);
  EXPECT_EQ(first(StoredType::kInt32, 0xffffffff), -1);
  EXPECT_EQ(first(StoredType::kUint32, 0xffffffff), 4294967295.0);
  EXPECT_EQ(first(StoredType::kInt64, ~std::uint64_t{0}), -1);
}

TEST(MatrixOf, RefusesAnotherShapeInTheWordsOfTheWorkload) {
  const Tensor given = tensor(StoredType::kInt8, {2, 1}, {1, 2});
  EXPECT_EQ(mistake(given, {1, 1, 2, "m x k"}, Element::kInt8),
            "a.npy: the array is 2 x 1; the workload needs m x k = 1 x 2");
  EXPECT_EQ(mistake(given, {2, 1, 1, "k x n"}, Element::kInt8),
            "a.npy: the array is 2 x 1; the workload needs batch x k x n = 2 x 1 x 1");
  EXPECT_EQ(mistake(tensor(StoredType::kInt8, {}, {1}), {1, 1, 2, "m x k"}, Element::kInt8),
            "a.npy: the array is a scalar; the workload needs m x k = 1 x 2");
}

TEST(MatrixOf, NamesRowAndColumnOfANumberThatInt8Lacks) {
  EXPECT_EQ(mistake(tensor(StoredType::kInt16, {2, 2}, {1, 2, 3, 128}), {1, 2, 2, "m x k"},
                    Element::kInt8),
            "a.npy: row 1, column 1: 128 is no INT8 value; give whole numbers from -128 to 127, or "
            "add --quantize");
  EXPECT_EQ(
      mistake(tensor(StoredType::kFp32, {1, 1}, {0x7fc00000}), {1, 1, 1, "m x k"}, Element::kInt8),
      "a.npy: row 0, column 0: nan is no INT8 value; give whole numbers from -128 to 127, or "
      "add --quantize");
  EXPECT_EQ(
      mistake(tensor(StoredType::kInt16, {1, 1}, {0xff80}), {1, 1, 1, "m x k"}, Element::kInt8),
      "accepted");
}

TEST(MatrixOf, NamesTheMatrixOfABatch) {
  const Tensor given = tensor(StoredType::kInt16, {2, 1, 2}, {1, 2, 3, 128});
  EXPECT_EQ(mistake(given, {2, 1, 2, "m x k"}, Element::kInt8),
            "a.npy: row 0, column 1 of matrix 1: 128 is no INT8 value; give whole numbers from "
            "-128 to 127, or add --quantize");
}

TEST(MatrixOf, RefusesIntegersThatWouldBeRoundedTwice) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
  const auto told = [](std::uint64_t pattern) {
    return mistake(tensor(StoredType::kInt64, {1, 2}, {1, pattern}), {1, 1, 2, "m x k"},
                   Element::kFp32);
  };
  EXPECT_EQ(told(kMost), "accepted");
  EXPECT_EQ(told(~kMost + 1), "accepted");
  EXPECT_EQ(told(kMost + 1),
            "a.npy: row 0, column 1: 9007199254740993 would be rounded twice; give integers from "
            "-2^53 to 2^53");
  EXPECT_EQ(told(~kMost),
            "a.npy: row 0, column 1: -9007199254740993 would be rounded twice; give integers from "
            "-2^53 to 2^53");
}

TEST(TensorOfD, HasTheShapeOfTheProduct) {
  kernels::GemmProblem problem;
  problem.m = 2;
  problem.n = 1;
  problem.k = 1;
  problem.output = Element::kBf16;
  const Tensor d = tensor_of_d(problem, {1, 2, 3, 4});
  EXPECT_EQ(d.type, StoredType::kBf16);
  EXPECT_EQ(d.shape, (std::vector<std::int64_t>{2, 1}));
  problem.batch = 2;
  EXPECT_EQ(tensor_of_d(problem, std::vector<std::uint8_t>(8)).shape,
            (std::vector<std::int64_t>{2, 2, 1}));
}

}  // namespace
}  // namespace tcsim::values
