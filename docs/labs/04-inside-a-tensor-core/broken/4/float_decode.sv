/// numerics::decode: class, sign, exponent and significand of a pattern. A subnormal keeps the
/// smallest normal exponent and leading zeros; TF32 ignores its 13 low bits; E4M3 has no infinity and
/// one NaN. Shorter significands are left-justified, so one product serves every format.
/// Combinational.
module float_decode #(
    parameter int FractionBits = 10,  // of magnitude_o, below the hidden bit
    parameter bit HasFp16      = 1'b1,
    parameter bit HasBf16      = 1'b1,
    parameter bit HasTf32      = 1'b1,
    parameter bit HasFp32      = 1'b0,
    parameter bit HasFp8       = 1'b0,  // E4M3 and E5M2
    parameter bit Subnormals   = 1'b1  // 0: they count as zero
) (
    input  logic [2:0]            format_i,   // mma_pkg::format_e
    input  logic [31:0]           pattern_i,  // low bits, as in numerics
    output logic [1:0]            class_o,    // mma_pkg::value_class_e
    output logic                  negative_o,
    output logic [9:0]            exponent_o,  // signed
    output logic [FractionBits:0] magnitude_o
);

  localparam logic [9:0] Fp16Bias = 10'd15;  // also of E5M2
  localparam logic [9:0] E4m3Bias = 10'd7;
  localparam logic [9:0] Fp32Bias = 10'd127;  // also of BF16 and TF32

  logic                    is_fp16, has_five_bits;  // exponent fields of FP16 and E5M2
  logic [7:0]              field;
  logic [FractionBits-1:0] fraction;
  logic                    field_is_zero, field_is_largest, fraction_is_zero;
  logic [9:0]              bias;
  logic [FractionBits+23:0] wide;  // fraction, then what does not fit

  // A unit with one format needs no choice: it never looks at format_i.
  logic is_bf16, is_tf32, is_fp32, is_fp8, is_e4m3, is_e5m2;
  assign is_bf16 = HasBf16 &&
      (format_i == mma_pkg::FormatBf16 || !(HasFp16 || HasTf32 || HasFp32 || HasFp8));
  assign is_tf32 = HasTf32 &&
      (format_i == mma_pkg::FormatTf32 || !(HasFp16 || HasBf16 || HasFp32 || HasFp8));
  assign is_fp32 = HasFp32 &&
      (format_i == mma_pkg::FormatFp32 || !(HasFp16 || HasBf16 || HasTf32 || HasFp8));
  assign is_fp8 = HasFp8 && (format_i == mma_pkg::FormatE4m3 || format_i == mma_pkg::FormatE5m2 ||
                             !(HasFp16 || HasBf16 || HasTf32 || HasFp32));
  assign is_e5m2 = is_fp8 && format_i == mma_pkg::FormatE5m2;
  assign is_e4m3 = is_fp8 && !is_e5m2;
  assign is_fp16 = HasFp16 && !is_bf16 && !is_tf32 && !is_fp32 && !is_fp8;
  assign has_five_bits = is_fp16 || is_e5m2;

  always_comb begin
    negative_o = pattern_i[15];
    field      = {3'b000, pattern_i[14:10]};
    wide       = {pattern_i[9:0], {(FractionBits + 14) {1'b0}}};
    if (is_bf16) begin
      field = pattern_i[14:7];
      wide  = {pattern_i[6:0], {(FractionBits + 17) {1'b0}}};
    end
    if (is_tf32) begin
      negative_o = pattern_i[31];
      field      = pattern_i[30:23];
      wide       = {pattern_i[22:13], {(FractionBits + 14) {1'b0}}};
    end
    if (is_fp32) begin
      negative_o = pattern_i[31];
      field      = pattern_i[30:23];
      wide       = {pattern_i[22:0], {(FractionBits + 1) {1'b0}}};
    end
    if (is_e4m3) begin
      negative_o = pattern_i[7];
      field      = {4'b0000, pattern_i[6:3]};
      wide       = {pattern_i[2:0], {(FractionBits + 21) {1'b0}}};
    end
    if (is_e5m2) begin
      negative_o = pattern_i[7];
      field      = {3'b000, pattern_i[6:2]};
      wide       = {pattern_i[1:0], {(FractionBits + 22) {1'b0}}};
    end
  end

  assign fraction         = wide[FractionBits+23-:FractionBits];
  assign field_is_zero    = field == '0;
  // The largest field of E4M3 is that of a NaN with a fraction of ones, else of a number.
  assign field_is_largest = is_e4m3 ? pattern_i[6:0] == '1 :
      has_five_bits ? field[4:0] == '1 : field == '1;
  assign fraction_is_zero = fraction == '0 && (format_i != mma_pkg::FormatTf32 || pattern_i[12:0] == '0);
  assign bias             = is_e4m3 ? E4m3Bias : has_five_bits ? Fp16Bias : Fp32Bias;
  assign exponent_o       = {2'b00, field} + {9'b0, field_is_zero} - bias;

  always_comb begin
    class_o     = mma_pkg::ClassFinite;
    magnitude_o = {!field_is_zero, fraction};
    if (field_is_largest) begin
      class_o = fraction_is_zero ? mma_pkg::ClassInfinity : mma_pkg::ClassNan;
    end else if (field_is_zero && (fraction_is_zero || !Subnormals)) begin
      class_o     = mma_pkg::ClassZero;
      magnitude_o = '0;
    end
  end

  // The low part of `wide` is a format's zero padding.
  logic unused_padding;
  assign unused_padding = ^{wide[23:0], pattern_i, format_i};

endmodule
