#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "models/numerics/arithmetic.hpp"
#include "models/numerics/mma.hpp"
#include "scripts/gpu/bits/batches.hpp"
#include "scripts/gpu/bits/directed_vectors.hpp"
#include "scripts/gpu/bits/integer_vectors.hpp"
#include "scripts/gpu/bits/layout_check.hpp"
#include "scripts/gpu/bits/real_vectors.hpp"
#include "sim/mma/arithmetic_words.hpp"

namespace tcsim::measure {
namespace {

const Instruction half_mma{"mma", &kF16, &kF32, 16};

std::uint64_t model(const char* generation, const Instruction& instruction, const Vector& vector) {
  const std::map<std::string, std::string> words{
      {"f16", "fp16"}, {"f32", "fp32"}, {"bf16", "bf16"}, {"tf32", "tf32"}, {"f64", "fp64"}};
  const bool real = instruction.input != nullptr;
  mma::ArithmeticWords arithmetic;
  arithmetic.arch = generation;
  arithmetic.instr = "mma";
  arithmetic.dtype = real ? words.at(instruction.input->name) : "int8";
  arithmetic.acc = real ? words.at(instruction.accumulator->name) : "int32";
  return numerics::mma(mma::find_arithmetic(arithmetic), vector.a, vector.b, vector.c);
}

/// Found on an H200: E5M2, FP64 and others have no directed vectors, and their empty batch stopped
/// the measurement.
TEST(GpuVectors, EveryVectorIsInABatchAndNoBatchIsEmpty) {
  for (const Instruction& instruction :
       {half_mma, Instruction{"mma", &kE5m2, &kF32, 32}, Instruction{"mma", &kF64, &kF64, 4}})
    for (const long count : {1L, kBatch, kBatch + 1}) {
      RealVectors random(*instruction.input, *instruction.accumulator, instruction.k, 1);
      const std::vector<Vector> directed = directed_vectors(instruction);
      std::size_t taken = 0;
      for_each_batch(directed, random, count, [&](const std::vector<Vector>& batch) {
        EXPECT_FALSE(batch.empty()) << instruction.words();
        taken += batch.size();
      });
      EXPECT_EQ(taken, directed.size() + static_cast<std::size_t>(count));
    }
}

TEST(GpuVectors, PackingFollowsTheRegisters) {
  EXPECT_EQ(pack({0x1111, 0x2222, 0x3333, 0x4444}, 16),
            (std::vector<std::uint32_t>{0x22221111, 0x44443333}));
  EXPECT_EQ(pack({1, 2, 3, 4}, 8), (std::vector<std::uint32_t>{0x04030201}));
  EXPECT_EQ(pack({0x0123456789abcdef}, 64), (std::vector<std::uint32_t>{0x89abcdef, 0x01234567}));
  EXPECT_EQ(hex(0x3c00, 16), "3c00");
  EXPECT_EQ(hex({0x01, 0xff}, 8), "01ff");
}

TEST(GpuVectors, LayoutVectorsAreExactInEveryModelledArithmetic) {
  const Instruction instructions[] = {half_mma,
                                      {"mma", &kF16, &kF16, 16},
                                      {"mma", &kBf16, &kF32, 16},
                                      {"mma", &kTf32, &kF32, 8},
                                      {"mma", &kF64, &kF64, 4},
                                      {"mma", &kF64, &kF64, 16},
                                      {"mma", nullptr, nullptr, 32}};
  for (const Instruction& instruction : instructions)
    for (const KnownVector& known : layout_vectors(instruction))
      EXPECT_EQ(model("ampere", instruction, known.vector), known.d) << instruction.words();
}

TEST(GpuVectors, LayoutVectorsTellEveryPairOfElementsApart) {
  // Exchanging two k of b changes a result: the vectors name every k.
  const std::vector<KnownVector> known = layout_vectors(half_mma);
  for (std::size_t first = 0; first < 16; ++first)
    for (std::size_t second = first + 1; second < 16; ++second) {
      bool differs = false;
      for (KnownVector row : known) {
        std::swap(row.vector.b[first], row.vector.b[second]);
        differs = differs || model("ampere", half_mma, row.vector) != row.d;
      }
      EXPECT_TRUE(differs) << first << ' ' << second;
    }
}

TEST(GpuVectors, RandomOnesTellGenerationsApartInEveryTellingCategory) {
  RealVectors random(kF16, kF32, 16, 1);
  std::map<std::string, int> differing;
  std::set<std::string> categories;
  for (int i = 0; i < 9 * 200; ++i) {
    const Vector vector = random.next();
    categories.insert(vector.category);
    differing[vector.category] +=
        model("ampere", half_mma, vector) != model("hopper", half_mma, vector) ? 1 : 0;
  }
  EXPECT_EQ(categories.size(), 9U);
  for (const char* category : {"ordinary", "clustered", "cancelled", "ties"})
    EXPECT_GT(differing[category], 2) << category;
}

TEST(GpuVectors, OneCategoryMakesAllWhereItIsNamed) {
  RealVectors random(kBf16, kF32, 16, 3, "zeros");
  int zeros = 0;
  for (int i = 0; i < 300; ++i) {
    const Vector vector = random.next();
    ASSERT_EQ(vector.category, "zeros");
    for (const std::uint64_t element : vector.a) zeros += (element & 0x7fff) == 0 ? 1 : 0;
  }
  EXPECT_NEAR(zeros / (300.0 * 16), 1.0 / 3, 0.03);
}

TEST(GpuVectors, AnUnknownCategoryIsRefusedWithTheKnownOnes) {
  try {
    const RealVectors random(kF16, kF32, 16, 1, "zeroes");
    FAIL() << "accepted";
  } catch (const ProgramError& error) {
    EXPECT_EQ(error.status(), kMistake);
    EXPECT_STREQ(
        error.what(),
        "'zeroes' is not a category (allowed: ordinary bits zeros clustered cancelled ties "
        "subnormal special overflow)");
  }
}

TEST(GpuVectors, PatternsFitTheirFormats) {
  for (const NumberFormat* format : {&kF16, &kBf16, &kTf32, &kE4m3, &kE5m2}) {
    RealVectors random(*format, kF32, 8, 7);
    for (int i = 0; i < 900; ++i) {
      const Vector vector = random.next();
      ASSERT_EQ(vector.a.size(), 8U);
      for (const std::uint64_t element : vector.a) EXPECT_EQ(element >> format->bits, 0U);
      EXPECT_EQ(vector.c >> 32, 0U);
    }
  }
}

TEST(GpuVectors, IntegersReachBothLimits) {
  IntegerVectors random(32, 1);
  const Instruction integer{"mma", nullptr, nullptr, 32};
  int saturated = 0;
  for (int i = 0; i < 600; ++i) {
    const Vector vector = random.next();
    if (vector.category != "saturated") continue;
    const std::uint64_t d = model("ampere", integer, vector);
    saturated += (d >> 31) != (vector.c >> 31) ? 1 : 0;
  }
  EXPECT_GT(saturated, 10);
}

TEST(GpuVectors, DirectedOnesAreThereForEveryFloatingPointPair) {
  EXPECT_GE(directed_vectors(half_mma).size(), 16U);
  EXPECT_GE(directed_vectors({"mma", &kF16, &kF16, 16}).size(), 6U);
  EXPECT_EQ(directed_vectors({"mma", &kF16, &kF16, 16})[0].a.size(), 16U);
  EXPECT_TRUE(directed_vectors({"mma", nullptr, nullptr, 32}).empty());
}

}  // namespace
}  // namespace tcsim::measure
