// Vector kernel of the fast path, compiled once per instruction set by Highway. Its stages are
// those of block.cpp; only the order of the terms in a lane differs, which does not affect an exact
// sum.
#include "models/numerics/fast_kernel.hpp"

#include <algorithm>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/numerics/fast_kernel.cpp"
#include <hwy/foreach_target.h>  // must precede highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tcsim::numerics {  // NOLINT(modernize-concat-nested-namespaces): as Highway expects
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using SignedTag = hn::CappedTag<std::int32_t, kFastGroup>;
using UnsignedTag = hn::RebindToUnsigned<SignedTag>;
using Signed = hn::Vec<SignedTag>;
using Unsigned = hn::Vec<UnsignedTag>;

HWY_INLINE Signed constant(std::int32_t value) { return hn::Set(SignedTag(), value); }

/// Accumulators of both types in a common form, with kAccumulatorFractionBits digits.
struct Accumulator {
  Signed negative_mask;
  Signed exponent;
  Signed magnitude;
  hn::Mask<SignedTag> special;
  Signed special_result;
};

/// `kFieldBits` of exponent and `kFractionBits` describe FP32 or FP16.
template <int kFieldBits, int kFractionBits>
HWY_INLINE Accumulator decode_accumulator(Signed pattern) {
  constexpr std::int32_t kFieldMask = (1 << kFieldBits) - 1;
  constexpr std::int32_t kInfinity = kFieldMask << kFractionBits;
  constexpr std::int32_t kBias = kFieldMask / 2;
  constexpr auto kAllButSign =
      static_cast<std::int32_t>((std::uint32_t{1} << (kFieldBits + kFractionBits)) - 1);
  const SignedTag d;
  const Signed payload = hn::And(pattern, constant(kAllButSign));
  const Signed field = hn::ShiftRight<kFractionBits>(payload);
  const Signed fraction = hn::And(payload, constant((1 << kFractionBits) - 1));
  const auto subnormal = hn::Eq(field, hn::Zero(d));
  const Signed significand =
      hn::IfThenElse(subnormal, fraction, hn::Or(fraction, constant(1 << kFractionBits)));
  Accumulator result;
  result.negative_mask =
      hn::ShiftRight<31>(hn::ShiftLeft<31 - kFieldBits - kFractionBits>(pattern));
  result.exponent = hn::Max(field, constant(1)) - constant(kBias);
  result.exponent =
      hn::IfThenElse(hn::Eq(significand, hn::Zero(d)), constant(kZeroExponent), result.exponent);
  result.magnitude = hn::ShiftLeft<kAccumulatorFractionBits - kFractionBits>(significand);
  result.special = hn::Eq(field, constant(kFieldMask));
  // The canonical NaN of both types has all bits set except the sign.
  result.special_result =
      hn::IfThenElse(hn::Gt(payload, constant(kInfinity)), constant(kAllButSign), pattern);
  return result;
}

/// Number of leading zeros of a non-zero word. The conversion to float only locates the leading
/// one. The bit below it is cleared first, so that rounding cannot move it.
HWY_INLINE Signed leading_zeros(Signed value) {
  const Unsigned word = hn::BitCast(UnsignedTag(), value);
  const Unsigned isolated = hn::AndNot(hn::ShiftRight<1>(word), word);
  const hn::RebindToFloat<SignedTag> float_tag;
  const auto as_float = hn::ConvertTo(float_tag, hn::BitCast(SignedTag(), isolated));
  const Signed exponent = hn::ShiftRight<23>(hn::BitCast(SignedTag(), as_float));
  const Signed count = hn::Min(constant(158) - exponent, constant(31));
  return hn::IfThenElse(hn::Lt(value, constant(0)), constant(0), count);
}

HWY_INLINE Unsigned shift_right(Unsigned value, Signed count) {
  return value >> hn::BitCast(UnsignedTag(), count);
}

/// Truncates the normalised magnitude, whose leading one is bit 31 with weight 2^exponent, to FP32.
HWY_INLINE Unsigned pack_fp32(Unsigned normalized, Signed exponent, std::uint32_t result_mask) {
  const UnsignedTag du;
  const Signed clamped = hn::Max(exponent, constant(-126));
  // One place is shifted separately, so that a count limited to 31 leaves nothing.
  const Signed drop = hn::Min(constant(7) + (clamped - exponent), constant(31));
  const Unsigned digits = shift_right(hn::ShiftRight<1>(normalized), drop);
  const Unsigned field = hn::BitCast(du, hn::ShiftLeft<23>(clamped + constant(126)));
  return hn::And(hn::Min(digits + field, hn::Set(du, 0x7f800000U)), hn::Set(du, result_mask));
}

/// Rounds the magnitude to the nearest FP16, ties to even.
HWY_INLINE Unsigned pack_fp16(Unsigned normalized, Signed exponent) {
  const UnsignedTag du;
  const Unsigned one = hn::Set(du, 1U);
  // 24 digits with a sticky bit for the rest; 13 or more of them are rounded off.
  const auto rest = hn::Ne(hn::And(normalized, hn::Set(du, 0xffU)), hn::Zero(du));
  const Unsigned marked = hn::Or(hn::ShiftRight<8>(normalized), hn::IfThenElseZero(rest, one));
  const Signed clamped = hn::Max(exponent, constant(-14));
  const Signed drop = hn::Min(constant(13) + (clamped - exponent), constant(26));
  const Unsigned count = hn::BitCast(du, drop);
  const Unsigned half_less_one = (one << (count - one)) - one;
  const Unsigned odd = hn::And(marked >> count, one);
  const Unsigned digits = (marked + half_less_one + odd) >> count;
  const Unsigned field = hn::BitCast(du, hn::ShiftLeft<10>(clamped + constant(14)));
  return hn::Min(digits + field, hn::Set(du, 0x7c00U));
}

/// One block over k in [begin, end) for the lanes at `lane`.
template <bool kFp16>
HWY_INLINE Signed run_block(const FastParams& params, const FastTask& task, std::size_t begin,
                            std::size_t end, std::size_t lane, Signed accumulator_pattern) {
  const SignedTag d;
  const UnsignedTag du;
  const Accumulator c = kFp16 ? decode_accumulator<5, 10>(accumulator_pattern)
                              : decode_accumulator<8, 23>(accumulator_pattern);
  Signed maximum = hn::Max(constant(params.exponent_floor), c.exponent);
  for (std::size_t k = begin; k < end; ++k) {
    const Signed wide = hn::LoadU(d, task.wide_exponents + k * kFastGroup + lane);
    maximum = hn::Max(maximum, wide + constant(task.single_exponents[k * kFastGroup]));
  }
  Signed sum = hn::Zero(d);
  for (std::size_t k = begin; k < end; ++k) {
    const Signed wide_exponent = hn::LoadU(d, task.wide_exponents + k * kFastGroup + lane);
    const Signed significand = hn::LoadU(d, task.wide_significands + k * kFastGroup + lane);
    const Signed product =
        significand * constant(task.single_significands[k * kFastGroup] << params.product_shift);
    const Signed room = maximum - constant(task.single_exponents[k * kFastGroup]);
    const Signed shift = hn::Min(room - wide_exponent, constant(31));
    // One's complement truncates the magnitude: ~(x >> s) = ~x >> s.
    const Signed sign = hn::ShiftRight<31>(product);
    sum = sum + (((product + sign) >> shift) - sign);
  }
  const Signed c_shift =
      hn::Min(maximum - c.exponent + constant(kAccumulatorFractionBits - params.grid_fraction_bits),
              constant(31));
  const Signed c_term = ((c.magnitude >> c_shift) ^ c.negative_mask) - c.negative_mask;
  // Products stay below 2^31 in magnitude. With c the total needs 33 bits, so the sign is taken
  // from the terms if they agree and from the total if they do not.
  const Signed total = sum + c_term;
  const Signed negative =
      hn::ShiftRight<31>(hn::Or(hn::And(sum, c_term), hn::And(hn::Or(sum, c_term), total)));
  const Signed magnitude = (total ^ negative) - negative;
  const Signed zeros = leading_zeros(magnitude);
  const Unsigned normalized = hn::BitCast(du, magnitude) << hn::BitCast(du, zeros);
  const Signed exponent = maximum + constant(31 - params.grid_fraction_bits) - zeros;
  const Unsigned packed =
      kFp16 ? pack_fp16(normalized, exponent) : pack_fp32(normalized, exponent, params.result_mask);
  Signed sign_bit = hn::And(negative, constant(kFp16 ? 0x8000 : INT32_MIN));
  if (!params.underflow_keeps_sign)
    sign_bit = hn::IfThenZeroElse(hn::Eq(hn::BitCast(d, packed), hn::Zero(d)), sign_bit);
  const Signed value =
      hn::IfThenZeroElse(hn::Eq(magnitude, hn::Zero(d)), hn::Or(hn::BitCast(d, packed), sign_bit));
  return hn::IfThenElse(c.special, c.special_result, value);
}

template <bool kFp16>
HWY_INLINE void run_chain(const FastParams& params, const FastTask& task) {
  const SignedTag d;
  auto* accumulators = reinterpret_cast<std::int32_t*>(task.accumulators);
  const auto length = static_cast<std::size_t>(task.length);
  const auto products = static_cast<std::size_t>(params.products);
  for (std::size_t lane = 0; lane < kFastGroup; lane += hn::Lanes(d)) {
    Signed accumulator = hn::LoadU(d, accumulators + lane);
    for (std::size_t k = 0; k < length; k += products)
      accumulator =
          run_block<kFp16>(params, task, k, std::min(length, k + products), lane, accumulator);
    hn::StoreU(accumulator, d, accumulators + lane);
  }
}

void run_task(const FastParams& params, const FastTask& task) {
  if (params.fp16_accumulator)
    run_chain<true>(params, task);
  else
    run_chain<false>(params, task);
}

void decode(const FastFormat& format, const std::uint32_t* patterns, std::size_t count,
            std::int32_t* exponents, std::int32_t* significands, std::uint32_t* special) {
  const SignedTag d;
  const UnsignedTag du;
  const Unsigned fraction_mask = hn::Set(du, (1U << format.fraction_bits) - 1);
  for (std::size_t lane = 0; lane < kFastGroup; lane += hn::Lanes(d)) {
    Unsigned seen = hn::Zero(du);
    for (std::size_t row = 0; row < count; ++row) {
      const std::size_t at = row * kFastGroup + lane;
      const Unsigned pattern = hn::LoadU(du, patterns + at);
      const Unsigned kept = hn::ShiftRightSame(pattern, format.ignored_low_bits);
      const Unsigned fraction = hn::And(kept, fraction_mask);
      const Signed field = hn::And(hn::BitCast(d, hn::ShiftRightSame(kept, format.fraction_bits)),
                                   constant(format.field_mask));
      const Signed hidden =
          hn::IfThenZeroElse(hn::Eq(field, hn::Zero(d)), constant(1 << format.fraction_bits));
      const Signed magnitude = hn::Or(hn::BitCast(d, fraction), hidden);
      const Signed negative =
          hn::ShiftRight<31>(hn::BitCast(d, hn::ShiftLeftSame(pattern, 31 - format.sign_position)));
      const Signed exponent = hn::Max(field, constant(1)) - constant(format.bias);
      hn::StoreU(hn::IfThenElse(hn::Eq(magnitude, hn::Zero(d)), constant(kZeroExponent), exponent),
                 d, exponents + at);
      hn::StoreU((magnitude ^ negative) - negative, d, significands + at);
      auto is_special = hn::Eq(field, constant(format.field_mask));
      if (format.nan_only)
        is_special =
            hn::And(is_special, hn::Eq(hn::BitCast(d, fraction), hn::BitCast(d, fraction_mask)));
      seen = hn::Or(seen, hn::BitCast(du, hn::VecFromMask(d, is_special)));
    }
    hn::StoreU(hn::Or(seen, hn::LoadU(du, special + lane)), du, special + lane);
  }
}

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace tcsim::numerics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tcsim::numerics {

HWY_EXPORT(run_task);
HWY_EXPORT(decode);
HWY_EXPORT(target_name);

void run_fast_task(const FastParams& params, const FastTask& task) {
  HWY_DYNAMIC_DISPATCH(run_task)(params, task);
}
void decode_rows(const FastFormat& format, const std::uint32_t* patterns, std::size_t count,
                 std::int32_t* exponents, std::int32_t* significands, std::uint32_t* special) {
  HWY_DYNAMIC_DISPATCH(decode)(format, patterns, count, exponents, significands, special);
}
const char* fast_kernel_target() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace tcsim::numerics
#endif  // HWY_ONCE
