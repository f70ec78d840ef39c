#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "models/isa/built_name.hpp"
#include "models/isa/opcode.hpp"
#include "models/numerics/instruction.hpp"

namespace tcsim::isa {

// Products of a warpgroup, four warps with numbers 4i to 4i + 3 (PTX ISA, wgmma.mma_async). D, C:
// 64 x n in registers; B: k x n in shared memory; A: 64 x k in shared memory or, with .RS, in
// registers. Each warp holds 16 rows. A row of A has 32 bytes. With .SP (wgmma.mma_async.sp) A is
// 2:4 sparse: k is the logical one, twice what is stored of A, rows of B have 64 bytes along k, and
// src[3] is the register with the metadata of each warp's 16 rows, in the layout of mma.sp
// (numerics.md 11).
//
// They are asynchronous: operands are read, and D is written, between the issue by the last of the
// four warps and the end of a WARPGROUP.DEPBAR that waits for their group. Until then no other
// instruction may touch the registers of A, C and D. PTX has one operand for C and D: C is D or RZ,
// and A and the metadata, which are read while D is written, lie outside.

/// Bits of `immediate` of such a product: it is the last one of its group; C counts as zero.
inline constexpr int kClosesGroup = 1;
inline constexpr int kClearsSums = 2;
/// With .SP, the bits from this one on select the lanes that supply the metadata.
inline constexpr int kSelectorShift = 2;

/// Groups that WARPGROUP.DEPBAR can leave open: 0 to 7 (CUTLASS, warpgroup_wait).
inline constexpr int kMostOpenGroups = 7;

inline constexpr int kGroupWarps = 4;  ///< warps of a warpgroup
inline constexpr int kGroupRows = 64;  ///< rows of A and D
inline constexpr int kGroupRowBytes = 32;
inline constexpr int kGroupWidthStep = 8;  ///< n: multiples of 8 from 8 to 256
inline constexpr int kMostGroupWidth = 256;

struct GroupFormats {
  std::string_view prefix;  ///< "HGMMA"
  std::string_view suffix;  ///< ".F32.BF16"
  numerics::ElementType a;
  numerics::ElementType b;
  numerics::ElementType sum;
};

inline constexpr std::array kGroupFormats = [] {
  using enum numerics::ElementType;
  return std::array{
      GroupFormats{"HGMMA", ".F32", kFp16, kFp16, kFp32},
      GroupFormats{"HGMMA", ".F16", kFp16, kFp16, kFp16},
      GroupFormats{"HGMMA", ".F32.BF16", kBf16, kBf16, kFp32},
      GroupFormats{"HGMMA", ".F32.TF32", kTf32, kTf32, kFp32},
      GroupFormats{"QGMMA", ".F32.E4M3.E4M3", kE4m3, kE4m3, kFp32},
      GroupFormats{"QGMMA", ".F32.E4M3.E5M2", kE4m3, kE5m2, kFp32},
      GroupFormats{"QGMMA", ".F32.E5M2.E4M3", kE5m2, kE4m3, kFp32},
      GroupFormats{"QGMMA", ".F32.E5M2.E5M2", kE5m2, kE5m2, kFp32},
      GroupFormats{"IGMMA", ".S8.S8", kInt8, kInt8, kInt32},
  };
}();

/// One kind of warpgroup product.
struct GroupMma {
  GroupFormats formats;
  int n = 0;
  bool a_in_registers = false;
  bool sparse = false;

  /// Elements of a row of A that are stored.
  [[nodiscard]] constexpr int stored_k() const {
    return 8 * kGroupRowBytes / numerics::bits(formats.a);
  }
  [[nodiscard]] constexpr int k() const { return sparse ? 2 * stored_k() : stored_k(); }
  [[nodiscard]] constexpr bool exists() const { return numerics::is_wgmma_width(formats.a, n); }
};

/// Calls `take` for each kind.
template <typename Take>
constexpr void for_each_group_mma(Take take) {
  for (const bool sparse : {false, true})
    for (const GroupFormats& formats : kGroupFormats)
      for (int n = kGroupWidthStep; n <= kMostGroupWidth; n += kGroupWidthStep)
        for (const bool a_in_registers : {false, true})
          if (const GroupMma mma{formats, n, a_in_registers, sparse}; mma.exists()) take(mma);
}

constexpr std::size_t group_mma_count() {
  std::size_t count = 0;
  for_each_group_mma([&count](const GroupMma&) { ++count; });
  return count;
}

constexpr std::array<BuiltName, group_mma_count()> group_mma_names() {
  std::array<BuiltName, group_mma_count()> all{};
  std::size_t next = 0;
  for_each_group_mma([&](const GroupMma& mma) {
    BuiltName& name = all[next++];
    name.add(mma.formats.prefix);
    name.add(mma.sparse ? ".SP.64x" : ".64x");
    name.add(mma.n);
    name.add("x");
    name.add(mma.k());
    name.add(mma.formats.suffix);
    if (mma.a_in_registers) name.add(".RS");
  });
  return all;
}
inline constexpr auto kGroupMmaNames = group_mma_names();

/// The rows of these opcodes in the instruction table, in the order of for_each_group_mma. Shape
/// and registers are those of one warp; src[0] holds A with .RS, src[2] is C, src[3] the metadata
/// with .SP.
constexpr std::array<OpcodeInfo, group_mma_count()> group_mma_rows() {
  std::array<OpcodeInfo, group_mma_count()> rows{};
  std::size_t next = 0;
  for_each_group_mma([&](const GroupMma& mma) {
    OpcodeInfo& row = rows[next];
    row.mnemonic = kGroupMmaNames[next++].text();
    row.pipe = Pipe::kGroupTensor;
    row.fixed_latency = true;
    row.effect = Effect::kGroupMma;
    row.m = kGroupRows / kGroupWarps;
    row.n = static_cast<std::uint16_t>(mma.n);
    row.k = static_cast<std::uint16_t>(mma.k());
    const int sum_bits = numerics::bits(mma.formats.sum);
    row.dst_registers = static_cast<std::uint8_t>(row.m * mma.n * sum_bits / (32 * 32));
    row.src_registers = {static_cast<std::uint8_t>(mma.a_in_registers ? 4 : 0), 0,
                         row.dst_registers, static_cast<std::uint8_t>(mma.sparse ? 1 : 0)};
    row.sparse = mma.sparse;
    row.mma_input = input_of(mma.formats.a);
    row.mma_sum = mma.formats.sum;
  });
  return rows;
}

/// The product that `opcode` is. Requires is_group_mma(opcode).
const GroupMma& group_mma(Opcode opcode);
/// The opcode of `formats`, or empty if there is none of width `n`.
std::optional<Opcode> group_mma_opcode(const GroupFormats& formats, int n, bool a_in_registers,
                                       bool sparse = false);

/// Why `mnemonic`, of the form HGMMA.64xNxK..., is not a valid product; empty for other forms.
std::string why_no_group_mma(std::string_view mnemonic);

}  // namespace tcsim::isa
