#pragma once

namespace tcsim::numerics {

/// Points on which published measurements are silent or contradict each other: one switch each. The
/// comment names the question of the numerics reference (section 17) and the GPU experiment that
/// decides it. An H200 has answered all of them for Hopper (kHopperBehavior); for earlier
/// generations the defaults are assumptions.
struct UndecidedBehavior {
  /// Q1: a negative sum that rounds to zero gives -0 (else +0). FP16 result: a 8001, b 0400, c 0.
  bool underflow_keeps_sign = true;

  /// Q2: added to the exponent floor of an FP16 accumulator. One source has the floor one higher.
  /// Test: a0*b0 = 2^-25, a1*b1 = 2^-p, c 0; the last p that gives 0001 decides.
  int fp16_floor_offset = 0;

  /// Q4: a product with a zero factor takes part in the maximum exponent, with the exponent of its
  /// fields. BF16 a 0000 3f80, b 7f00 3f80, c 35800000: 3f800008 if it does not, 00000000 if it
  /// does.
  bool zero_product_raises_maximum = false;

  /// Q5: products summed before `.satfinite` clamps; 0 means that the whole instruction clamps
  /// once. m16n8k32 s8: c 7fffff00 and two cancelling products at k = 0 and k = s, for growing s.
  int satfinite_granule = 0;

  /// Q6: a block of a sparse instruction takes L selected products (otherwise those of L dense
  /// positions). Test: one large cancelling product at a growing index, against c; this counts the
  /// products of later blocks.
  bool sparse_block_counts_selected = true;

  /// Q7: an element of B at an unselected position can make the result a NaN. Test: a NaN in such a
  /// row.
  bool unselected_operand_is_seen = false;

  /// Q10: added to the exponent floor of an FP32 accumulator. Test: BF16 worked example 26 on an
  /// H200.
  int fp32_floor_offset = 0;
};

/// The answers of an H200 (OWN, scripts/gpu/bits/questions.cu). The answers to Q2, Q3 and Q10
/// are the floors in the parameter table: with FP16 results, -21 for both mma.sync and wgmma.
inline constexpr UndecidedBehavior kHopperBehavior = {.underflow_keeps_sign = false};

}  // namespace tcsim::numerics
