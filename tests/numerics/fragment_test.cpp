#include "models/numerics/fragment.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "models/numerics/ptx_name.hpp"

namespace tcsim::numerics {
namespace {

MmaInstruction instruction(const std::string& ptx_name) {
  const auto parsed = parse_ptx_name(ptx_name);
  EXPECT_TRUE(parsed.has_value()) << ptx_name << ": "
                                  << (parsed.has_value() ? "" : parsed.refusal().reason);
  return parsed.value();
}

/// Row and column (k of A, column of B, ...) as functions of g, q and i, typed from section 13.
struct Formula {
  std::string ptx_name;
  OperandRole role;
  int elements;
  std::function<int(int g, int q, int i)> row;
  std::function<int(int g, int q, int i)> column;
};

constexpr const char* kHalf8 = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32";
constexpr const char* kHalf16 = "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16";
constexpr const char* kTf32K4 = "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32";
constexpr const char* kTf32K8 = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32";
constexpr const char* kInt8K16 = "mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32";
constexpr const char* kInt8K32 = "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32";
constexpr const char* kInt4K32 = "mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32";
constexpr const char* kInt4K64 = "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32";
constexpr const char* kFp64K16 = "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64";
constexpr const char* kSparse32 = "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32";
constexpr const char* kSmall8 = "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32";
constexpr const char* kSmall4 = "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32";
constexpr const char* kSmall64 = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64";

std::vector<Formula> wide_formulas() {
  const auto g_of = [](int g, int, int) { return g; };
  constexpr auto kA = OperandRole::kA;
  constexpr auto kB = OperandRole::kB;
  return {
      {kHalf8, kA, 4, [](int g, int, int i) { return g + 8 * (i / 2); },
       [](int, int q, int i) { return 2 * q + i % 2; }},
      {kHalf8, kB, 2, [](int, int q, int i) { return 2 * q + i; }, g_of},
      {kHalf16, kA, 8, [](int g, int, int i) { return g + 8 * (i / 2 % 2); },
       [](int, int q, int i) { return 2 * q + i % 2 + 8 * (i / 4); }},
      {kHalf16, kB, 4, [](int, int q, int i) { return 2 * q + i % 2 + 8 * (i / 2); }, g_of},
      {kTf32K4, kA, 2, [](int g, int, int i) { return g + 8 * i; },
       [](int, int q, int) { return q; }},
      {kTf32K4, kB, 1, [](int, int q, int) { return q; }, g_of},
      {kTf32K8, kA, 4, [](int g, int, int i) { return g + 8 * (i % 2); },
       [](int, int q, int i) { return q + 4 * (i / 2); }},
      {kTf32K8, kB, 2, [](int, int q, int i) { return q + 4 * i; }, g_of},
      {kInt8K16, kA, 8, [](int g, int, int i) { return g + 8 * (i / 4); },
       [](int, int q, int i) { return 4 * q + i % 4; }},
      {kInt8K16, kB, 4, [](int, int q, int i) { return 4 * q + i; }, g_of},
      {kInt8K32, kA, 16, [](int g, int, int i) { return g + 8 * (i / 4 % 2); },
       [](int, int q, int i) { return 4 * q + i % 4 + 16 * (i / 8); }},
      {kInt8K32, kB, 8, [](int, int q, int i) { return 4 * q + i % 4 + 16 * (i / 4); }, g_of},
      {kInt4K32, kA, 16, [](int g, int, int i) { return g + 8 * (i / 8); },
       [](int, int q, int i) { return 8 * q + i % 8; }},
      {kInt4K32, kB, 8, [](int, int q, int i) { return 8 * q + i; }, g_of},
      {kInt4K64, kA, 32, [](int g, int, int i) { return g + 8 * (i / 8 % 2); },
       [](int, int q, int i) { return 8 * q + i % 8 + 32 * (i / 16); }},
      {kInt4K64, kB, 16, [](int, int q, int i) { return 8 * q + i % 8 + 32 * (i / 8); }, g_of},
      {kFp64K16, kA, 8, [](int g, int, int i) { return g + 8 * (i % 2); },
       [](int, int q, int i) { return q + 4 * (i / 2); }},
      {kFp64K16, kB, 4, [](int, int q, int i) { return q + 4 * i; }, g_of},
      {kSparse32, kA, 8, [](int g, int, int i) { return g + 8 * (i / 2 % 2); },
       [](int, int q, int i) { return 2 * q + i % 2 + 8 * (i / 4); }},
      {kSparse32, kB, 8, [](int, int q, int i) { return 2 * q + i % 2 + 8 * (i / 2); }, g_of},
      {kHalf16, OperandRole::kC, 4, [](int g, int, int i) { return g + 8 * (i / 2); },
       [](int, int q, int i) { return 2 * q + i % 2; }},
  };
}

std::vector<Formula> small_formulas() {
  const auto g_of = [](int g, int, int) { return g; };
  const auto along = [](int width) { return [width](int, int q, int i) { return width * q + i; }; };
  return {
      {kSmall8, OperandRole::kA, 4, g_of, along(4)},
      {kSmall8, OperandRole::kB, 4, along(4), g_of},
      {kSmall4, OperandRole::kA, 8, g_of, along(8)},
      {kSmall4, OperandRole::kB, 8, along(8), g_of},
      {kSmall64, OperandRole::kA, 1, g_of, along(1)},
      {kSmall64, OperandRole::kB, 1, along(1), g_of},
      {kSmall8, OperandRole::kD, 2, g_of, along(2)},
      {kSmall64, OperandRole::kC, 2, g_of, along(2)},
  };
}

TEST(Fragment, WarpLayoutsFollowTheFormulasOfTheReference) {
  std::vector<Formula> formulas = wide_formulas();
  for (const Formula& formula : small_formulas()) formulas.push_back(formula);
  for (const Formula& formula : formulas) {
    const Fragment fragment(instruction(formula.ptx_name), formula.role);
    ASSERT_EQ(fragment.elements_per_lane(), formula.elements) << formula.ptx_name;
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < formula.elements; ++i) {
        const MatrixPosition at = fragment.position({lane, i});
        ASSERT_EQ(at.row, formula.row(lane / 4, lane % 4, i)) << formula.ptx_name;
        ASSERT_EQ(at.column, formula.column(lane / 4, lane % 4, i)) << formula.ptx_name;
      }
  }
}

std::string volta(const std::string& layouts, const std::string& d, const std::string& c) {
  return "mma.sync.aligned.m8n8k4." + layouts + "." + d + ".f16.f16." + c;
}

struct VoltaFormula {
  std::string ptx_name;
  OperandRole role;
  std::function<int(int t, int i)> row;
  std::function<int(int t, int i)> column;
};

TEST(Fragment, VoltaLayoutsFollowTheFormulasOfTheReference) {
  const auto place = [](int t, int) { return t; };
  const auto element = [](int, int i) { return i; };
  const auto band = [](int t, int i) { return i + 4 * (t / 4); };
  const auto within = [](int t, int) { return t % 4; };
  const std::vector<VoltaFormula> formulas = {
      {volta("row.col", "f32", "f32"), OperandRole::kA, place, element},
      {volta("col.col", "f32", "f32"), OperandRole::kA, band, within},
      {volta("row.col", "f32", "f32"), OperandRole::kB, element, place},
      {volta("row.row", "f32", "f32"), OperandRole::kB, within, band},
      {volta("col.row", "f16", "f16"), OperandRole::kD, place, element},
      {volta("col.row", "f32", "f16"), OperandRole::kC, place, element},
      {volta("col.row", "f32", "f16"), OperandRole::kD,
       [](int t, int i) { return t % 2 + (i & 2) + 4 * (t / 4); },
       [](int t, int i) { return (i & 4) + (t & 2) + i % 2; }},
  };
  for (const VoltaFormula& formula : formulas) {
    const Fragment fragment(instruction(formula.ptx_name), formula.role);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < fragment.elements_per_lane(); ++i) {
        const int t = lane % 4 + (lane >= 16 ? 4 : 0);
        const MatrixPosition at = fragment.position({lane, i});
        ASSERT_EQ(at.matrix, lane % 16 / 4);
        ASSERT_EQ(at.row, formula.row(t, i)) << formula.ptx_name;
        ASSERT_EQ(at.column, formula.column(t, i)) << formula.ptx_name;
      }
  }
}

TEST(Fragment, WarpgroupLayoutsFollowTheFormulasOfTheReference) {
  const MmaInstruction half = instruction("wgmma.mma_async.sync.aligned.m64n24k16.f32.f16.f16");
  const MmaInstruction byte = instruction("wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e5m2");
  const MmaInstruction tf32 = instruction("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32");
  for (int t = 0; t < 128; ++t) {
    const int row = 16 * (t / 32) + t % 32 / 4;
    for (int i = 0; i < 12; ++i)
      ASSERT_EQ(Fragment(half, OperandRole::kD).position({t, i}),
                (MatrixPosition{0, row + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (t % 4) + i % 2}));
    for (int i = 0; i < 8; ++i)
      ASSERT_EQ(Fragment(half, OperandRole::kA).position({t, i}),
                (MatrixPosition{0, row + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (t % 4) + i % 2}));
    for (int i = 0; i < 16; ++i)
      ASSERT_EQ(Fragment(byte, OperandRole::kA).position({t, i}),
                (MatrixPosition{0, row + 8 * (i / 4 % 2), 16 * (i / 8) + 4 * (t % 4) + i % 4}));
    for (int i = 0; i < 4; ++i)
      ASSERT_EQ(Fragment(tf32, OperandRole::kA).position({t, i}),
                (MatrixPosition{0, row + 8 * (i % 2), 4 * (i / 2) + t % 4}));
  }
}

/// Worked fragment examples at the end of section 15.
TEST(Fragment, Lane13OfM16n8k16HoldsTheElementsOfTheWorkedExample) {
  const Fragment a(instruction(kHalf16), OperandRole::kA);
  const std::vector<std::pair<int, int>> a_elements = {{3, 2},  {3, 3},  {11, 2},  {11, 3},
                                                       {3, 10}, {3, 11}, {11, 10}, {11, 11}};
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(a.position({13, i}), (MatrixPosition{0, a_elements[i].first, a_elements[i].second}));
  const Fragment b(instruction(kHalf16), OperandRole::kB);
  const std::vector<int> b_rows = {2, 3, 10, 11};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(b.position({13, i}), (MatrixPosition{0, b_rows[i], 3}));
  const Fragment c(instruction(kHalf16), OperandRole::kC);
  EXPECT_EQ(c.position({13, 0}), (MatrixPosition{0, 3, 2}));
  EXPECT_EQ(c.position({13, 3}), (MatrixPosition{0, 11, 3}));
}

TEST(Fragment, Lane21OfTheVoltaAccumulatorHoldsTheElementOfTheWorkedExample) {
  const Fragment d(instruction(volta("row.col", "f32", "f32")), OperandRole::kD);
  EXPECT_EQ(d.position({21, 6}), (MatrixPosition{1, 7, 4}));
}

std::vector<MmaInstruction> every_instruction() {
  std::vector<MmaInstruction> all;
  using enum ElementType;
  for (const ElementType type : {kFp16, kBf16, kTf32, kFp64, kE4m3, kInt8, kInt4, kB1})
    for (const bool sparse : {false, true})
      for (const InstructionKind kind : {InstructionKind::kMma, InstructionKind::kWgmma}) {
        if (sparse && (type == kFp64 || type == kB1)) continue;
        for (const ShapeRow& row : shapes_of(kind, type, sparse)) {
          MmaInstruction one;
          one.kind = kind;
          one.shape = row.shape;
          one.a = one.b = type;
          one.sparse = sparse;
          one.c = one.d = type == kFp64                       ? kFp64
                          : (is_integer(type) || type == kB1) ? kInt32
                                                              : kFp32;
          if (kind == InstructionKind::kWgmma) one.shape.n = 40;
          all.push_back(one);
          if (one.matrices() == 4) {
            one.a_layout = Layout::kColumn;
            one.b_layout = Layout::kRow;
            one.d = kFp16;
            all.push_back(one);
          }
        }
      }
  return all;
}

TEST(Fragment, EverySlotHoldsADifferentElementAndIsFoundAgain) {
  const std::vector<MmaInstruction> all = every_instruction();
  EXPECT_GE(all.size(), 30U);
  for (const MmaInstruction& one : all)
    for (const OperandRole role :
         {OperandRole::kA, OperandRole::kB, OperandRole::kC, OperandRole::kD}) {
      if (role == OperandRole::kB && one.kind == InstructionKind::kWgmma) continue;
      const Fragment fragment(one, role);
      std::set<std::tuple<int, int, int>> seen;
      for (int lane = 0; lane < fragment.lanes(); ++lane)
        for (int i = 0; i < fragment.elements_per_lane(); ++i) {
          const MatrixPosition at = fragment.position({lane, i});
          ASSERT_TRUE(at.row < fragment.rows() && at.column < fragment.columns());
          ASSERT_TRUE(seen.insert({at.matrix, at.row, at.column}).second);
          ASSERT_EQ(fragment.slot(at), (FragmentSlot{lane, i})) << to_string(one.shape);
        }
      ASSERT_EQ(static_cast<int>(seen.size()),
                fragment.matrices() * fragment.rows() * fragment.columns());
    }
}

TEST(Fragment, PackingPutsElementZeroLowest) {
  const Fragment half(instruction(kHalf16), OperandRole::kA);
  EXPECT_EQ(half.registers_per_lane(), 4);
  EXPECT_EQ(half.field(3).index, 1);
  EXPECT_EQ(half.field(3).shift, 16);
  const Fragment byte(instruction(kInt8K32), OperandRole::kA);
  EXPECT_EQ(byte.field(6).index, 1);
  EXPECT_EQ(byte.field(6).shift, 16);
  const Fragment nibble(instruction(kInt4K64), OperandRole::kB);
  EXPECT_EQ(nibble.registers_per_lane(), 2);
  EXPECT_EQ(nibble.field(9).index, 1);
  EXPECT_EQ(nibble.field(9).shift, 4);
}

TEST(Fragment, WritingAnElementLeavesItsNeighboursAlone) {
  const Fragment half(instruction(kHalf16), OperandRole::kC);
  std::vector<std::uint32_t> registers = {0xaaaabbbb, 0xccccdddd};
  half.write(registers, 2, 0x1234);
  EXPECT_EQ(registers[0], 0xaaaabbbbU);
  EXPECT_EQ(registers[1], 0xcccc1234U);
  EXPECT_EQ(half.read(registers, 2), 0x1234U);
  EXPECT_EQ(half.read(registers, 3), 0xccccU);
}

TEST(Fragment, DoublesTakeARegisterPairLowWordFirst) {
  const Fragment wide(instruction(kFp64K16), OperandRole::kC);
  std::vector<std::uint32_t> registers(8);
  wide.write(registers, 1, 0x3ff0000000000001);
  EXPECT_EQ(registers[2], 1U);
  EXPECT_EQ(registers[3], 0x3ff00000U);
  EXPECT_EQ(wide.read(registers, 1), 0x3ff0000000000001U);
}

}  // namespace
}  // namespace tcsim::numerics
