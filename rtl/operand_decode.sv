/// The decoded elements of one row of A or column of B: FP16 and BF16 in 16 bits each, or half as
/// many TF32 in 32 bits each, the other elements zero. Combinational.
module operand_decode #(
    parameter int Products   = 4,
    parameter bit HasFp16    = 1'b1,
    parameter bit HasBf16    = 1'b1,
    parameter bit HasTf32    = 1'b1,
    parameter bit Subnormals = 1'b1
) (
    input  logic [2:0]                               format_i,   // mma_pkg::format_e
    input  logic [16*Products-1:0]                   pattern_i,
    output logic [Products*mma_pkg::OperandBits-1:0] operand_o
);


  logic is_tf32;
  assign is_tf32 = HasTf32 && format_i == mma_pkg::FormatTf32;

  for (genvar k = 0; k < Products; k++) begin : gen_element
    localparam bit InLowerHalf = k < Products / 2;
    logic [31:0] pattern;
    logic [1:0]  value_class;
    logic        negative;
    logic [9:0]  exponent;
    logic [10:0] magnitude;

    if (InLowerHalf && HasTf32) begin : gen_both
      assign pattern = is_tf32 ? pattern_i[32*k+:32] : {16'b0, pattern_i[16*k+:16]};
    end else begin : gen_narrow
      assign pattern = is_tf32 ? '0 : {16'b0, pattern_i[16*k+:16]};
    end

    float_decode #(
        .FractionBits(mma_pkg::OperandFractionBits),
        .HasFp16     (HasFp16),
        .HasBf16     (HasBf16),
        .HasTf32     (HasTf32 && InLowerHalf),
        .HasFp32     (1'b0),
        .Subnormals  (Subnormals)
    ) float_decode (
        .format_i   (format_i),
        .pattern_i  (pattern),
        .class_o    (value_class),
        .negative_o (negative),
        .exponent_o (exponent),
        .magnitude_o(magnitude)
    );
    assign operand_o[k*mma_pkg::OperandBits+:mma_pkg::OperandBits] =
        {value_class, negative, exponent, magnitude};  // mma_pkg::operand_t
  end

endmodule
