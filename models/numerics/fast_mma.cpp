#include "models/numerics/fast_mma.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "models/numerics/fast_kernel.hpp"
#include "models/numerics/mma.hpp"

namespace tcsim::numerics {

namespace {

constexpr int kGroup = OperandPanel::kGroup;

FastFormat fast_format(const Format& format) {
  return {format.ignored_low_bits,         format.fraction_bits,
          (1 << format.exponent_bits) - 1, format.bias,
          format.sign_position(),          format.specials == SpecialRule::kNanOnly};
}

FastParams fast_params(const BlockParams& block) {
  FastParams params{};
  params.products = block.products;
  params.grid_fraction_bits = block.grid_fraction_bits;
  params.exponent_floor = block.exponent_floor;
  params.product_shift = block.grid_fraction_bits - format_of(block.a_type).fraction_bits -
                         format_of(block.b_type).fraction_bits;
  const int unused_bits =
      format_of(block.result.type).fraction_bits - block.result.kept_fraction_bits;
  params.result_mask = ~((1U << unused_bits) - 1);
  params.fp16_accumulator = block.result.type == ElementType::kFp16;
  params.underflow_keeps_sign = block.underflow_keeps_sign;
  return params;
}

/// The plain path for one element whose operands hold an infinity or a NaN.
std::uint32_t plain_element(const Arithmetic& arithmetic, const OperandPanel& single, int s,
                            const OperandPanel& wide, int v, std::uint32_t c) {
  const auto length = static_cast<std::size_t>(single.length());
  std::vector<std::uint64_t> a(length);
  std::vector<std::uint64_t> b(length);
  for (std::size_t k = 0; k < length; ++k) {
    a[k] = single.pattern(s, static_cast<int>(k));
    b[k] = wide.pattern(v, static_cast<int>(k));
  }
  Arithmetic by_panel = arithmetic;
  by_panel.block.a_type = single.type();
  by_panel.block.b_type = wide.type();
  return static_cast<std::uint32_t>(mma(by_panel, a, b, c));
}

}  // namespace

void OperandPanel::load(ElementType type, std::span<const std::uint32_t> patterns, int vectors,
                        int length, int vector_stride, int k_stride) {
  assert(bits(type) <= 32);
  type_ = type;
  vectors_ = vectors;
  length_ = length;
  const std::size_t size = group_offset(groups());
  patterns_.assign(size, 0);
  exponents_.resize(size);
  significands_.resize(size);
  has_special_.assign(static_cast<std::size_t>(groups()) * kGroup, 0);
  for (int vector = 0; vector < vectors; ++vector) {
    std::uint32_t* to = patterns_.data() + group_offset(vector / kGroup) + vector % kGroup;
    const std::uint32_t* from =
        patterns.data() + static_cast<std::ptrdiff_t>(vector) * vector_stride;
    for (int k = 0; k < length; ++k)
      to[static_cast<std::ptrdiff_t>(k) * kGroup] = from[static_cast<std::ptrdiff_t>(k) * k_stride];
  }
  const FastFormat format = fast_format(format_of(type));
  for (int group = 0; group < groups(); ++group)
    decode_rows(format, patterns_.data() + group_offset(group), static_cast<std::size_t>(length),
                exponents_.data() + group_offset(group), significands_.data() + group_offset(group),
                has_special_.data() + static_cast<std::ptrdiff_t>(group) * kGroup);
}

bool OperandPanel::group_has_special(int group) const {
  const auto begin = has_special_.begin() + static_cast<std::ptrdiff_t>(group) * kGroup;
  return std::any_of(begin, begin + kGroup, [](std::uint32_t word) { return word != 0; });
}

std::uint32_t OperandPanel::pattern(int vector, int k) const {
  return patterns_[group_offset(vector / kGroup) + static_cast<std::size_t>(k) * kGroup +
                   static_cast<std::size_t>(vector % kGroup)];
}

bool fast_path_covers(const Arithmetic& arithmetic) {
  if (arithmetic.scheme != Scheme::kBlocks || arithmetic.order != BlockOrder::kAscending)
    return false;
  const BlockParams& block = arithmetic.block;
  const bool fp16 = block.result.type == ElementType::kFp16;
  const RoundingMode usual = fp16 ? RoundingMode::kNearestEven : RoundingMode::kTruncate;
  if (block.result.mode != usual || !block.result.subnormals || block.zero_product_raises_maximum)
    return false;
  const int product_shift = fast_params(block).product_shift;
  const bool sum_fits =
      std::int64_t{4} * block.products << block.grid_fraction_bits <= std::int64_t{1} << 31;
  return product_shift >= 0 && block.grid_fraction_bits <= kAccumulatorFractionBits && sum_fits;
}

void fast_mma(const Arithmetic& arithmetic, const OperandPanel& single, const OperandPanel& wide,
              std::span<std::uint32_t> accumulators, int stride) {
  assert(fast_path_covers(arithmetic));
  assert(single.length() == wide.length());
  const FastParams params = fast_params(arithmetic.block);
  std::array<std::uint32_t, kGroup> sums{};
  for (int group = 0; group < wide.groups(); ++group) {
    const int first = group * kGroup;
    const auto lanes = static_cast<std::size_t>(std::min(kGroup, wide.vectors() - first));
    const bool special_lanes = wide.group_has_special(group);
    for (int s = 0; s < single.vectors(); ++s) {
      std::uint32_t* row = accumulators.data() + static_cast<std::ptrdiff_t>(s) * stride + first;
      std::copy_n(row, lanes, sums.begin());
      const int single_group = s / kGroup;
      const int single_lane = s % kGroup;
      run_fast_task(params, {single.exponents(single_group) + single_lane,
                             single.significands(single_group) + single_lane, wide.exponents(group),
                             wide.significands(group), sums.data(), single.length()});
      if (special_lanes || single.has_special(s))
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          const int v = first + static_cast<int>(lane);
          if (single.has_special(s) || wide.has_special(v))
            sums[lane] = plain_element(arithmetic, single, s, wide, v, row[lane]);
        }
      std::copy_n(sums.begin(), lanes, row);
    }
  }
}

}  // namespace tcsim::numerics
