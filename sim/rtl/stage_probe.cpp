#include "sim/rtl/stage_probe.hpp"

#include <fmt/format.h>

#include <bit>

namespace tcsim::rtl {

namespace {

using numerics::BlockTrace;
using numerics::ElementType;
using numerics::ExactValue;
using numerics::SpecialCase;

// Layout of the structures of mma_pkg, from the low bits up.
constexpr int kOperandMagnitudeBits = 11;
constexpr int kProductMagnitudeBits = 22;
constexpr int kAccumulatorMagnitudeBits = 24;
constexpr int kExponentBits = 10;
constexpr int kTagBits = 8;
constexpr int kOperationBits =
    5;  // format, mixed FP8, accumulator type; the number of blocks is below them

/// Nothing if `rtl` equals `model`.
std::optional<Divergence> differing(const char* stage, const std::string& value, std::int64_t rtl,
                                    std::int64_t model) {
  if (rtl == model) return std::nullopt;
  return Divergence{-1, stage, value, fmt::format("{0} ({0:#x})", rtl),
                    fmt::format("{0} ({0:#x})", model)};
}

/// Compares value_class, negative, exponent and magnitude at `low` of `signal`.
std::optional<Divergence> compare_value(const char* stage, const std::string& name,
                                        const Signal& signal, int low, int magnitude_bits,
                                        const ExactValue& model, int magnitude_shift) {
  const int exponent = low + magnitude_bits;
  const int sign = exponent + kExponentBits;
  const auto difference = [&](const char* field, std::int64_t rtl, std::int64_t expected) {
    return differing(stage, name + "." + field, rtl, expected);
  };
  const auto value_class = static_cast<std::int64_t>(signal.bits(sign + 1, 2));
  if (value_class != static_cast<int>(model.value_class))
    return difference("value_class", value_class, static_cast<int>(model.value_class));
  const bool negative = signal.bits(sign, 1) != 0;
  if (negative != model.negative) return difference("negative", negative, model.negative);
  const std::int64_t rtl_exponent = signal.signed_bits(exponent, kExponentBits);
  if (rtl_exponent != model.exponent) return difference("exponent", rtl_exponent, model.exponent);
  const auto magnitude = static_cast<std::int64_t>(signal.bits(low, magnitude_bits));
  const auto expected = static_cast<std::int64_t>(model.magnitude << magnitude_shift);
  if (magnitude != expected) return difference("magnitude", magnitude, expected);
  return std::nullopt;
}

int fraction_bits(ElementType type) { return numerics::format_of(type).fraction_bits; }

}  // namespace

StageProbe::StageProbe(const MatrixUnit& unit, const Operation& operation)
    : info_(unit.info()),
      operation_(operation),
      product_slots_(info_.slots()),
      count_bits_(static_cast<int>(std::bit_width(static_cast<unsigned>(info_.blocks)))) {
  const std::string& array = unit.array_path();
  valid_ = unit.signal(array, "cut_valid");
  control_ = unit.signal(array, "cut_control");
  a_decoded_ = unit.signal(array, "a_decoded");
  b_decoded_ = unit.signal(array, "b_decoded");
  const bool integer = operation.input == ElementType::kInt8;
  if (!integer) {
    a_shift_ = kOperandMagnitudeBits - 1 - fraction_bits(operation.input);
    b_shift_ = kOperandMagnitudeBits - 1 - fraction_bits(operation.b);
    accumulator_shift_ = kAccumulatorMagnitudeBits - 1 - fraction_bits(operation.accumulator);
    result_shift_ = kAccumulatorMagnitudeBits - 1 -
                    arithmetic_of(info_, operation).block.result.kept_fraction_bits;
    if (info_.grid_fraction_bits > 0)
      grid_shift_ =
          info_.grid_fraction_bits - arithmetic_of(info_, operation).block.grid_fraction_bits;
  }
  for (int element = 0; element < info_.elements(); ++element) {
    const std::string chain = fmt::format("{}.gen_row[{}].gen_column[{}].chain.", array,
                                          element / info_.columns, element % info_.columns);
    ElementSignals signals;
    if (integer) {
      const std::string dot = chain + "gen_integer.integer_dot_product.";
      signals.integer_terms = unit.signal(dot + "gen_terms", "terms_q");
      signals.integer_sum = unit.signal(dot + "gen_aligned", "sum_q");
    } else {
      for (int block = 0; block < info_.blocks; ++block)
        signals.blocks.push_back(
            signals_of(unit, chain + fmt::format("gen_block[{}].dot_product", block)));
    }
    elements_.push_back(signals);
  }
}

StageProbe::BlockSignals StageProbe::signals_of(const MatrixUnit& unit,
                                                const std::string& block) const {
  BlockSignals signals;
  signals.products = unit.signal(block + ".gen_terms", "products_q");
  signals.c_term = unit.signal(block + ".gen_terms", "c_term_q");
  signals.special = unit.signal(block + ".gen_terms", "special_q");
  signals.aligned = unit.signal(block + ".gen_aligned", "aligned_q");
  signals.unit_exponent = unit.signal(block + ".gen_aligned", "unit_exponent_q");
  signals.floor_decided = unit.signal(block + ".gen_aligned", "floor_decided_q");
  signals.sum = unit.signal(block + ".gen_sum", "sum_q");
  signals.rounded = unit.signal(block + ".gen_result", "rounded_q");
  return signals;
}

CutState StageProbe::state(int cut) const {
  const int control_bits = kTagBits + kOperationBits + count_bits_;
  const int tag = (cut + 1) * control_bits + kOperationBits + count_bits_;
  return {valid_.bits(cut + 1, 1) != 0, static_cast<std::uint8_t>(control_.bits(tag, kTagBits))};
}

std::optional<Divergence> StageProbe::compare(int cut, int element,
                                              const ElementModel& model) const {
  const ElementSignals& signals = elements_[static_cast<std::size_t>(element)];
  const int block = (cut - 1) / kCutsOfABlock;  // of a cut after the operands
  const auto kind = static_cast<Cut>((cut - 1) % kCutsOfABlock);
  const auto blocks = static_cast<int>(model.traces.size());
  Found found;
  if (operation_.input == ElementType::kInt8) {
    if (cut > 0 && block == 0) found = compare_integer(kind, signals, model);
  } else {
    if (cut > 0 && block < blocks)
      found = compare_block(kind, signals.blocks[static_cast<std::size_t>(block)],
                            model.traces[static_cast<std::size_t>(block)]);
    const int next = cut / kCutsOfABlock;  // block before which the operation is
    if (!found && cut % kCutsOfABlock == 0 && next < blocks)
      found = compare_operands(element, next, model.traces[static_cast<std::size_t>(next)]);
  }
  if (found) found->element = element;
  return found;
}

StageProbe::Found StageProbe::compare_block(Cut cut, const BlockSignals& signals,
                                            const BlockTrace& trace) const {
  if (cut == Cut::kTerms) return compare_terms(signals, trace);
  if (trace.special != SpecialCase::kNone) return std::nullopt;
  if (cut == Cut::kAligned) return compare_aligned(signals, trace);
  if (cut == Cut::kResult) return compare_rounded(signals, trace);
  return differing("sum", "sum", signals.sum.signed_bits(0, signals.sum.width()),
                   trace.sum << grid_shift_);
}

StageProbe::Found StageProbe::compare_decoded(const char* operand, const Signal& decoded, int line,
                                              int block, const BlockTrace& trace,
                                              const ExactValue* model, int shift) const {
  const int bits = kOperandMagnitudeBits + kExponentBits + 3;
  for (int k = 0; k < product_slots_; ++k) {
    const int low = ((line * info_.blocks + block) * product_slots_ + k) * bits;
    const std::string name = fmt::format("{}[{}]", operand, k);
    if (k >= trace.product_count) {
      if (auto found = differing("decode", name + ".value_class",
                                 static_cast<std::int64_t>(decoded.bits(low + bits - 2, 2)), 0))
        return found;
      continue;
    }
    if (auto found =
            compare_value("decode", name, decoded, low, kOperandMagnitudeBits, model[k], shift))
      return found;
  }
  return std::nullopt;
}

StageProbe::Found StageProbe::compare_operands(int element, int block,
                                               const BlockTrace& trace) const {
  const int row = element / info_.columns;
  const int column = element % info_.columns;
  // A row is shared by all columns and a column by all rows: each is compared once.
  if (column == 0)
    if (auto found = compare_decoded("a", a_decoded_, row, block, trace, trace.a.data(), a_shift_))
      return found;
  if (row == 0)
    return compare_decoded("b", b_decoded_, column, block, trace, trace.b.data(), b_shift_);
  return std::nullopt;
}

StageProbe::Found StageProbe::compare_terms(const BlockSignals& signals,
                                            const BlockTrace& trace) const {
  const int bits = kProductMagnitudeBits + kExponentBits + 3;
  for (int k = 0; k < trace.product_count; ++k)
    if (auto found =
            compare_value("multiply", fmt::format("terms[{}]", k), signals.products, k * bits,
                          kProductMagnitudeBits, trace.terms[k], a_shift_ + b_shift_))
      return found;
  if (auto found = compare_value("decode", "c", signals.c_term, 0, kAccumulatorMagnitudeBits,
                                 trace.terms[trace.product_count], accumulator_shift_))
    return found;
  return differing("special_case", "special", static_cast<std::int64_t>(signals.special.value()),
                   static_cast<int>(trace.special));
}

StageProbe::Found StageProbe::compare_aligned(const BlockSignals& signals,
                                              const BlockTrace& trace) const {
  const char* const maximum = "maximum_exponent";
  if (auto found =
          differing(maximum, "unit_exponent", signals.unit_exponent.signed_bits(0, kExponentBits),
                    trace.unit_exponent - grid_shift_))
    return found;
  if (auto found =
          differing(maximum, "floor_decided",
                    static_cast<std::int64_t>(signals.floor_decided.value()), trace.floor_decided))
    return found;
  const int bits = signals.aligned.width() / (product_slots_ + 1);
  for (int i = 0; i < trace.term_count(); ++i) {
    const int slot = i == trace.product_count ? product_slots_ : i;
    if (auto found = differing("align", fmt::format("aligned[{}]", i),
                               signals.aligned.signed_bits(slot * bits, bits),
                               trace.aligned[i].value << grid_shift_))
      return found;
  }
  return std::nullopt;
}

StageProbe::Found StageProbe::compare_rounded(const BlockSignals& signals,
                                              const BlockTrace& trace) const {
  const char* const stage = "round_and_pack";
  const numerics::Rounded& model = trace.rounded;
  const Signal& rounded = signals.rounded;
  const int exponent = kAccumulatorMagnitudeBits;
  const int flags = exponent + kExponentBits;
  if (auto found = differing(stage, "significand",
                             static_cast<std::int64_t>(rounded.bits(0, kAccumulatorMagnitudeBits)),
                             static_cast<std::int64_t>(model.significand << result_shift_)))
    return found;
  if (auto found = differing(stage, "exponent", rounded.signed_bits(exponent, kExponentBits),
                             model.exponent))
    return found;
  if (auto found = differing(stage, "overflow", static_cast<std::int64_t>(rounded.bits(flags, 1)),
                             model.overflow))
    return found;
  if (auto found =
          differing(stage, "rounded_up", static_cast<std::int64_t>(rounded.bits(flags + 1, 1)),
                    model.rounded_up))
    return found;
  return differing(stage, "inexact", static_cast<std::int64_t>(rounded.bits(flags + 2, 1)),
                   model.inexact);
}

StageProbe::Found StageProbe::compare_integer(Cut cut, const ElementSignals& signals,
                                              const ElementModel& model) const {
  const auto& terms = model.integer_terms;
  if (cut == Cut::kTerms)
    for (std::size_t i = 0; i < terms.size(); ++i)
      if (auto found =
              differing("multiply", fmt::format("terms[{}]", i),
                        signals.integer_terms.signed_bits(static_cast<int>(32 * i), 32), terms[i]))
        return found;
  if (cut == Cut::kAligned)
    return differing("sum", "sum modulo 2^32",
                     static_cast<std::int64_t>(signals.integer_sum.value()),
                     static_cast<std::int64_t>(model.pattern));
  return std::nullopt;
}

}  // namespace tcsim::rtl
