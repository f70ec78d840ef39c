#include "workloads/kernels/attention/sum_conversion.hpp"

#include <utility>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/warpgroup_plan.hpp"

namespace tcsim::kernels {
namespace {

using isa::Expression;
using isa::kGroupWarps;
using isa::kLanes;
using isa::Opcode;
using isa::Variable;

class ConversionKernel {
 public:
  explicit ConversionKernel(const SumConversion& conversion)
      : c_(conversion),
        tile_(conversion.tile),
        builder_("convert"),
        work_(tile_.registers(), kAddressRegisters) {}

  isa::KernelLaunch launch(std::string name) {
    begin_kernel(builder_, work_, 3, work_.vector_ops(kSetupOps));
    load_sums();
    convert();
    builder_.append(control(Opcode::kBarSync));
    for (int round = 0; round < rounds(); ++round) load_row(round);
    for (int round = 0; round < rounds(); ++round) store_row(round);
    return uniform_launch({.name = std::move(name),
                           .grid = {blocks(), c_.heads, c_.batch},
                           .warps_per_cta = kWarps,
                           .registers_per_thread = tile_.registers() + kAddressRegisters,
                           .shared_bytes_per_cta = tile_.rows * tile_.dim * kElementBytes},
                          builder_.finish());
  }

 private:
  [[nodiscard]] std::int64_t blocks() const { return ceil_div<std::int64_t>(c_.rows, tile_.rows); }

  void load_sums() {
    for (int i = 0; i < tile_.registers(); i += kVectorRegisters) {
      isa::MemoryAccess access{.buffer = 0};
      const std::int64_t head_bytes = blocks() * tile_.bytes();
      access.global.offset = sum_vector({0,
                                         {{Variable::kCtaX, tile_.bytes()},
                                          {Variable::kCtaY, head_bytes},
                                          {Variable::kCtaZ, c_.heads * head_bytes},
                                          {Variable::kWarp, tile_.group_bytes(), kGroupWarps}}},
                                        i / kVectorRegisters);
      builder_.append(
          load(Opcode::kLdg128, reg(i), work_.pointer(i), builder_.access(std::move(access))));
    }
  }

  /// Converts in place, and stores to panels in shared memory.
  void convert() {
    for (int i = 0; i < tile_.registers(); ++i)
      builder_.append(with_literal(Opcode::kFmul, i, i, c_.factor));
    builder_.append(pack_pairs(c_.element, 0, 0, tile_.registers()));
    const Expression place{0, {{Variable::kWarp, tile_.group_stride(), kGroupWarps}}};
    builder_.append(stage_packed(builder_, 0, tile_.width(), place, tile_.panel_bytes(),
                                 tile_.is_transposed()));
  }

  // Lanes take neighbouring vectors of a row, one row after another.
  [[nodiscard]] int vectors_of_row() const { return tile_.dim / kVectorElements; }
  [[nodiscard]] int rows_of_warp() const { return kLanes / vectors_of_row(); }
  [[nodiscard]] int rounds() const { return tile_.rows / (kWarps * rows_of_warp()); }
  [[nodiscard]] Expression row(int round) const {
    return {std::int64_t{round} * kWarps * rows_of_warp(),
            {{Variable::kWarp, rows_of_warp()},
             {Variable::kLane, 1, static_cast<std::uint32_t>(vectors_of_row())}}};
  }

  void load_row(int round) {
    constexpr int kVectorsOfPanel = warpgroups::kRowBytes / SumTile::kVectorBytes;
    isa::MemoryAccess access;
    Expression& offset = access.shared.offset;
    add_scaled(offset, row(round), warpgroups::kRowBytes);
    offset.terms.push_back({Variable::kLane, SumTile::kVectorBytes, 1, kVectorsOfPanel});
    if (const int panels = vectors_of_row() / kVectorsOfPanel; panels > 1)
      offset.terms.push_back({Variable::kLane, tile_.panel_bytes(), kVectorsOfPanel,
                              static_cast<std::uint32_t>(panels)});
    access.shared.swizzle = isa::swizzle_of(warpgroups::kSwizzle);
    builder_.append(load(Opcode::kLds128, reg(round * kVectorRegisters),
                         reg(work_.fragment_address_a()), builder_.access(std::move(access))));
  }

  void store_row(int round) {
    Expression number = row(round);
    number.terms.push_back({Variable::kCtaX, tile_.rows});
    const Expression column{
        0, {{Variable::kLane, kVectorElements, 1, static_cast<std::uint32_t>(vectors_of_row())}}};
    isa::Guard inside;
    if (c_.rows % tile_.rows != 0) inside.bounds.push_back({number, c_.rows});
    if (c_.dim < tile_.dim) inside.bounds.push_back({column, c_.dim});
    isa::MemoryAccess access{.buffer = 1};
    Expression& offset = access.global.offset;
    const std::int64_t head_bytes = c_.dim * kElementBytes;
    offset.terms = {{Variable::kCtaY, head_bytes},
                    {Variable::kCtaZ, c_.rows * c_.heads * head_bytes}};
    add_scaled(offset, number, c_.heads * head_bytes);
    add_scaled(offset, column, kElementBytes);
    builder_.append(work_.vector_ops(kOpsPerAccess));
    builder_.append(store(Opcode::kStg128, reg(round * kVectorRegisters), work_.pointer(round),
                          builder_.access(std::move(access)), builder_.guard(inside)));
  }

  static constexpr int kWarps = SumTile::kGroups * kGroupWarps;
  static constexpr int kSetupOps = 24;  // index, bounds and pointers (assumption)
  static constexpr int kAddressRegisters = 16;
  static constexpr int kElementBytes = 2;
  static constexpr int kVectorElements = SumTile::kVectorBytes / kElementBytes;

  const SumConversion& c_;
  const SumTile& tile_;
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

isa::KernelLaunch convert_sums(std::string name, const SumConversion& conversion) {
  return ConversionKernel(conversion).launch(std::move(name));
}

}  // namespace tcsim::kernels
