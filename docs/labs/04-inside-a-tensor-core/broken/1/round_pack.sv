/// numerics::round_and_pack: normalises, rounds once and packs a sum. Each of FP32 and FP16 truncates
/// or rounds to nearest even, straight from the sum, and FP32 may keep fewer fraction bits than it
/// has; subnormals are results like any other (or become zero with their sign where Subnormals is
/// 0); a result beyond the largest number is an infinity. A sum of exactly zero is +0, and with
/// UnderflowKeepsSign 0 so is one that rounds to zero.
/// Combinational.
module round_pack #(
    parameter int SumBits           = 29,
    parameter int LeastUnitExponent = -154,  // of an FP32 accumulator: floor - GridFractionBits
    parameter int LeastUnitExponentFp16 = -43,
    parameter bit HasFp16Accumulator = 1'b1,
    parameter bit Subnormals         = 1'b1,
    parameter bit NearestFp32        = 1'b0,
    parameter bit NearestFp16        = 1'b1,
    parameter bit UnderflowKeepsSign = 1'b1  // of a negative sum that rounds to zero
) (
    input  logic                accumulate_fp16_i,
    input  logic [SumBits-1:0]  sum_i,            // two's complement, in units of 2^unit_exponent_i
    input  logic [9:0]          unit_exponent_i,  // signed
    input  logic [4:0]          dropped_i,        // fraction bits of FP32 that are not kept
    output mma_pkg::rounded_t   rounded_o,
    output logic [31:0]         pattern_o  // FP16 in the low half
);

  localparam int MagnitudeBits = SumBits - 1;
  localparam int SmallestExponentFp32 = -126;
  localparam int SmallestExponentFp16 = -14;
  // Zeros above the magnitude, so that the exponent of the top bit is never below that of the
  // subnormals and normalising is always a shift to the left.
  localparam int HeadroomFp32 =
      SmallestExponentFp32 - (LeastUnitExponent + MagnitudeBits - 1);
  localparam int HeadroomFp16 =
      SmallestExponentFp16 - (LeastUnitExponentFp16 + MagnitudeBits - 1);
  localparam int HeadroomLarger = HeadroomFp32 > HeadroomFp16 ? HeadroomFp32 : HeadroomFp16;
  localparam int Headroom = HeadroomLarger > 0 ? HeadroomLarger : 0;
  localparam int MinimumBits = 26;  // FP32 significand and two digits below it
  localparam int Tail =
      MagnitudeBits + Headroom < MinimumBits ? MinimumBits - MagnitudeBits - Headroom : 0;
  localparam int Width = Headroom + MagnitudeBits + Tail;

  logic                     is_fp16, negative;
  logic [MagnitudeBits-1:0] magnitude;
  logic [9:0]               top_exponent, smallest_exponent, limit, exponent;
  logic [Width-1:0]         normalized;
  logic [5:0]               shift;

  assign is_fp16   = HasFp16Accumulator && accumulate_fp16_i;
  assign negative  = sum_i[SumBits-1];
  assign magnitude = negative ? -sum_i[MagnitudeBits-1:0] : sum_i[MagnitudeBits-1:0];
  assign smallest_exponent = is_fp16 ? 10'(SmallestExponentFp16) : 10'(SmallestExponentFp32);
  assign top_exponent = unit_exponent_i + 10'(Headroom + MagnitudeBits - 1);
  assign limit        = Subnormals ? top_exponent - smallest_exponent : 10'd63;  // 63: no limit

  normalize #(
      .Width(Width)
  ) normalize (
      .magnitude_i ({{Headroom{1'b0}}, magnitude, {Tail{1'b0}}}),
      .limit_i     (limit),
      .normalized_o(normalized),
      .shift_o     (shift)
  );
  assign exponent = top_exponent - {4'b0, shift};

  // Rounding of FP32: the digits above the last one that is kept, and it.
  logic [23:0] digits, last_digit, cut;
  logic [24:0] rounded_fp32;
  logic        below_fp32, half_fp32, below_half_fp32, up_fp32;

  assign digits     = normalized[Width-1-:24];
  assign last_digit = 24'd1 << dropped_i;
  assign cut        = digits & (last_digit - 24'd1);
  assign below_fp32 = cut != '0 || normalized[Width-25:0] != '0;
  assign half_fp32  = dropped_i == '0 ? normalized[Width-25] : (cut & (last_digit >> 1)) != '0;
  assign below_half_fp32 = dropped_i == '0 ? normalized[Width-26:0] != '0
      : (cut & ((last_digit >> 1) - 24'd1)) != '0 || normalized[Width-25:0] != '0;
  assign up_fp32 =
      NearestFp32 && half_fp32 && (below_half_fp32 || (digits & last_digit) != '0);
  assign rounded_fp32 = {1'b0, digits & ~cut} + {1'b0, up_fp32 ? last_digit : 24'd0};

  // Rounding of FP16: 11 digits.
  logic        half, below_half, round_up, carry_out;
  logic [11:0] rounded_fp16;

  assign half         = normalized[Width-12];
  assign below_half   = normalized[Width-13] != '0;
  assign round_up     = is_fp16 ? NearestFp16 && half && (below_half || normalized[Width-11])
                                : up_fp32;
  assign rounded_fp16 = {1'b0, normalized[Width-1-:11]} + {11'b0, round_up};
  assign carry_out    = is_fp16 ? rounded_fp16[11] : rounded_fp32[24];

  // Packing.
  logic        is_zero, flushed, overflow, sign;
  logic [9:0]  rounded_exponent;
  logic [23:0] significand;
  logic [4:0]  field_fp16;
  logic [7:0]  field_fp32;

  assign is_zero          = magnitude == '0;
  assign rounded_exponent = is_zero ? smallest_exponent : exponent + {9'b0, carry_out};
  assign flushed          = !Subnormals && $signed(exponent) < $signed(smallest_exponent);
  assign overflow         = $signed(rounded_exponent) > (is_fp16 ? 10'sd15 : 10'sd127);
  assign sign             = negative && (UnderflowKeepsSign || significand != '0);
  assign field_fp16       = significand[23] ? rounded_exponent[4:0] + 5'd15 : '0;
  assign field_fp32       = significand[23] ? rounded_exponent[7:0] + 8'd127 : '0;

  always_comb begin
    significand = rounded_fp32[23:0];
    if (is_fp16) significand = {rounded_fp16[10:0], 13'b0};
    if (carry_out) significand[23] = 1'b1;
  end

  always_comb begin
    pattern_o = {sign, field_fp32, significand[22:0]};
    if (overflow) pattern_o = {sign, 8'hff, 23'b0};
    if (flushed) pattern_o = {sign, 31'b0};
    if (is_fp16) begin
      pattern_o = {16'b0, sign, field_fp16, significand[22:13]};
      if (overflow) pattern_o = {16'b0, sign, 5'h1f, 10'b0};
      if (flushed) pattern_o = {16'b0, sign, 15'b0};
    end
  end

  assign rounded_o.inexact     = is_fp16 ? half || below_half : below_fp32;
  assign rounded_o.rounded_up  = round_up;
  assign rounded_o.overflow    = overflow;
  assign rounded_o.exponent    = rounded_exponent;
  assign rounded_o.significand = significand;

endmodule
