#include "sim/tensor_file/stored_type.hpp"

#include <gtest/gtest.h>

#include "sim/tensor_file/tensor.hpp"

namespace tcsim::tensor_file {
namespace {

using numerics::ElementType;

TEST(StoredType, RowsStandInTheOrderOfTheEnumeration) {
  for (std::size_t i = 0; i < kStoredTypes.size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(kStoredTypes[i].type), i);
}

TEST(StoredType, HoldsEveryElementTypeOfWholeBytes) {
  for (const auto& row : numerics::kElementTypes) {
    const auto stored = stored_type_for(row.type);
    ASSERT_EQ(stored.has_value(), row.bits >= 8) << row.name;
    if (stored) {
      EXPECT_EQ(info(*stored).bytes * 8, row.bits) << row.name;
    }
  }
  EXPECT_EQ(stored_type_for(ElementType::kTf32), StoredType::kFp32);
}

TEST(StoredType, WhatNumpyLacksIsStoredAsAnUnsignedIntegerOfItsWidth) {
  EXPECT_EQ(npy_storage(StoredType::kBf16), StoredType::kUint16);
  EXPECT_EQ(npy_storage(StoredType::kE4m3), StoredType::kUint8);
  EXPECT_EQ(npy_storage(StoredType::kE5m2), StoredType::kUint8);
  EXPECT_EQ(npy_storage(StoredType::kFp16), StoredType::kFp16);
}

TEST(ByteCount, RefusesWhatDoesNotFitEvenBesideAnExtentOfZero) {
  constexpr std::int64_t kHalf = std::int64_t{1} << 62;
  EXPECT_EQ(byte_count({}, StoredType::kFp32), 4);
  EXPECT_EQ(byte_count(std::vector<std::int64_t>{2, 3}, StoredType::kFp16), 12);
  EXPECT_EQ(byte_count(std::vector<std::int64_t>{0, 3}, StoredType::kFp16), 0);
  EXPECT_EQ(byte_count(std::vector<std::int64_t>{kHalf}, StoredType::kInt8), kHalf);
  EXPECT_EQ(byte_count(std::vector<std::int64_t>{kHalf}, StoredType::kFp16), std::nullopt);
  EXPECT_EQ(byte_count(std::vector<std::int64_t>{kHalf, 0, 2}, StoredType::kInt8), std::nullopt);
}

TEST(Patterns, AreTheElementsInRowMajorOrder) {
  const Tensor tensor{StoredType::kBf16, {2, 2}, {0x80, 0x3f, 0, 0x40, 0, 0x80, 0xff, 0xff}};
  EXPECT_EQ(to_patterns(tensor), (std::vector<std::uint64_t>{0x3f80, 0x4000, 0x8000, 0xffff}));
  EXPECT_EQ(pattern(tensor, 2), 0x8000u);
}

}  // namespace
}  // namespace tcsim::tensor_file
