#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "models/isa/built_name.hpp"
#include "models/isa/opcode.hpp"

namespace tcsim::isa {

// MMAs of shapes that SASS does not have. D, C: m x n; A: m x k; B: k x n. The fragments of a warp
// are those of m16n8 (m8n8 if m is 8), one after another: of A along m, of B along n, of C and D
// along m and within that along n (numerics::Fragment).

/// The formats of such an MMA, as in its mnemonic: MMA.M16N8K16.<sum>.<input>.
struct ShapedFormats {
  numerics::ElementType input;
  std::string_view input_name;
  numerics::ElementType sum;
  std::string_view sum_name;

  constexpr int input_bits() const { return numerics::bits(input); }
};

inline constexpr std::array kShapedFormats = [] {
  using enum numerics::ElementType;
  return std::array{
      ShapedFormats{kFp16, "F16", kFp16, "F16"},  ShapedFormats{kFp16, "F16", kFp32, "F32"},
      ShapedFormats{kBf16, "BF16", kFp32, "F32"}, ShapedFormats{kTf32, "TF32", kFp32, "F32"},
      ShapedFormats{kInt8, "S8", kInt32, "S32"},  ShapedFormats{kFp64, "F64", kFp64, "F64"},
  };
}();

namespace shaped {

inline constexpr std::array kSides{8, 16, 32, 64};
inline constexpr std::array kRowBytes{16, 32, 64, 128};  ///< bytes of a row of A or column of B
inline constexpr int kLanesOfARow = 4;                   ///< lanes that hold a row of A: one
                                                         ///< element each
inline constexpr int kMostRegisters = 240;  ///< for A, B and C of a thread; it may have 255

struct Shape {
  ShapedFormats formats;
  int m;
  int n;
  int k;

  /// 32-bit registers per lane for a matrix of `elements` elements.
  static constexpr int registers(int elements, int bits) { return elements * bits / (32 * 32); }
  constexpr int registers_a() const { return registers(m * k, formats.input_bits()); }
  constexpr int registers_b() const { return registers(n * k, formats.input_bits()); }
  constexpr int registers_c() const { return registers(m * n, numerics::bits(formats.sum)); }
};

/// Calls `take` for every shape whose fragments fit into registers.
template <typename Take>
constexpr void for_each(Take take) {
  for (const ShapedFormats& formats : kShapedFormats)
    for (const int m : kSides)
      for (const int n : kSides)
        for (const int bytes : kRowBytes) {
          const Shape shape{formats, m, n, 8 * bytes / formats.input_bits()};
          if (shape.k < kLanesOfARow) continue;
          if (shape.registers_a() + shape.registers_b() + shape.registers_c() <= kMostRegisters)
            take(shape);
        }
}

constexpr std::size_t count() {
  std::size_t shapes = 0;
  for_each([&shapes](const Shape&) { ++shapes; });
  return shapes;
}

constexpr std::array<BuiltName, count()> names() {
  std::array<BuiltName, count()> all{};
  std::size_t next = 0;
  for_each([&](const Shape& shape) {
    BuiltName& name = all[next++];
    name.add("MMA.M");
    name.add(shape.m);
    name.add("N");
    name.add(shape.n);
    name.add("K");
    name.add(shape.k);
    name.add(".");
    name.add(shape.formats.sum_name);
    name.add(".");
    name.add(shape.formats.input_name);
  });
  return all;
}

inline constexpr std::array<BuiltName, count()> kNames = names();

}  // namespace shaped

/// Why `mnemonic`, of the form MMA.M16N8K16.<sum>.<input>, is not such an MMA: every reason, with
/// figures. Empty for another form, or if it is one.
std::string why_no_shaped_mma(std::string_view mnemonic);

/// The rows of these MMAs in the instruction table.
constexpr std::array<OpcodeInfo, shaped::count()> shaped_mmas() {
  std::array<OpcodeInfo, shaped::count()> rows{};
  std::size_t next = 0;
  shaped::for_each([&](const shaped::Shape& shape) {
    OpcodeInfo& row = rows[next];
    row.mnemonic = shaped::kNames[next++].text();
    row.pipe = Pipe::kTensor;
    row.fixed_latency = shape.formats.input != numerics::ElementType::kFp64;  // as DMMA
    row.effect = Effect::kNone;
    row.src_registers = {static_cast<std::uint8_t>(shape.registers_a()),
                         static_cast<std::uint8_t>(shape.registers_b()),
                         static_cast<std::uint8_t>(shape.registers_c())};
    row.dst_registers = static_cast<std::uint8_t>(shape.registers_c());
    row.m = static_cast<std::uint16_t>(shape.m);
    row.n = static_cast<std::uint16_t>(shape.n);
    row.k = static_cast<std::uint16_t>(shape.k);
    row.mma_input = input_of(shape.formats.input);
    row.mma_sum = shape.formats.sum;
    row.shaped = true;
  });
  return rows;
}

}  // namespace tcsim::isa
