#include "models/numerics/tensor_arithmetic.hpp"
#include "sim/config/schema_tables.hpp"

namespace tcsim::config {
namespace {

constexpr double kProducts = numerics::kMaxBlockProducts;
constexpr double kGrid = numerics::kMaxGridFractionBits;
constexpr double kKept = numerics::kMaxAccumulatorFractionBits;

/// A key that machine files may leave out.
Key with_fallback(Key key, std::string_view fallback) {
  key.fallback = fallback;
  return key;
}

Key derivable(Key key) { return with_fallback(key, kDerived); }

}  // namespace

std::vector<Key> numerics_keys() {
  return {
      with_fallback({TC_KEY(numerics.base), "", 0, 0, "architecture|volta|turing|ampere|ada|hopper",
                     "values", "Generation whose arithmetic the keys below change."},
                    "architecture"),
      derivable({TC_KEY(numerics.fp16.products), "", 1, kProducts, "", "values",
                 "FP16 products that are added to a sum at once, before it is rounded."}),
      derivable({TC_KEY(numerics.fp16.grid_fraction_bits), "", 1, kGrid, "", "values",
                 "Binary digits below the largest exponent at which FP16 products and their sum "
                 "are cut off."}),
      derivable({TC_KEY(numerics.fp16.accumulator_fraction_bits), "", 1, kKept, "", "values",
                 "Fraction bits that an FP32 sum of FP16 products keeps; at least 20."}),
      derivable({TC_KEY(numerics.bf16.products), "", 1, kProducts, "", "values",
                 "BF16 products that are added to a sum at once."}),
      derivable({TC_KEY(numerics.bf16.grid_fraction_bits), "", 1, kGrid, "", "values",
                 "Binary digits at which BF16 products and their sum are cut off."}),
      derivable({TC_KEY(numerics.bf16.accumulator_fraction_bits), "", 1, kKept, "", "values",
                 "Fraction bits that a sum of BF16 products keeps; at least 14."}),
      derivable({TC_KEY(numerics.tf32.products), "", 1, kProducts, "", "values",
                 "TF32 products that are added to a sum at once."}),
      derivable({TC_KEY(numerics.tf32.grid_fraction_bits), "", 1, kGrid, "", "values",
                 "Binary digits at which TF32 products and their sum are cut off."}),
      derivable({TC_KEY(numerics.tf32.accumulator_fraction_bits), "", 1, kKept, "", "values",
                 "Fraction bits that a sum of TF32 products keeps; at least 20."}),
      derivable({TC_KEY(numerics.fp8.products), "", 1, kProducts, "", "values",
                 "FP8 products that are added to a sum at once."}),
      derivable({TC_KEY(numerics.fp8.grid_fraction_bits), "", 1, kGrid, "", "values",
                 "Binary digits at which FP8 products and their sum are cut off."}),
      derivable({TC_KEY(numerics.fp8.accumulator_fraction_bits), "", 1, kKept, "", "values",
                 "Fraction bits that an FP32 sum of FP8 products keeps; at least 6."}),
      with_fallback({TC_KEY(numerics.fp32_rounding), "", 0, 0, "derived|truncate|nearest_even",
                     "values", "How a sum becomes FP32."},
                    kDerived),
      with_fallback({TC_KEY(numerics.fp16_rounding), "", 0, 0, "derived|truncate|nearest_even",
                     "values", "How a sum becomes FP16."},
                    kDerived),
      with_fallback(
          {TC_KEY(numerics.block_order), "", 0, 0, "ascending|descending|interleaved", "values",
           "Order in which the blocks of one instruction are added to its sum: from the first "
           "elements along k up, from the last down, or interleaved, where block i of n has every "
           "n-th element from i on."},
          "ascending"),
      with_fallback({TC_KEY(numerics.subnormals), "", 0, 0, "honoured|flushed", "values",
                     "Whether subnormal operands and sums count, or are taken as zero."},
                    "honoured"),
  };
}

}  // namespace tcsim::config
