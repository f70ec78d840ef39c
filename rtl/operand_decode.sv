/// The decoded elements of one row of A or column of B for one block of products: FP16 and BF16 in
/// 16 bits each, TF32 in 32, E4M3 and E5M2 in 8. Of each format the block takes a number of
/// elements from a first one on; the remaining slots are zero. Combinational.
module operand_decode #(
    parameter int Products   = 4,  // slots
    parameter bit HasFp16    = 1'b1,
    parameter bit HasBf16    = 1'b1,
    parameter bit HasTf32    = 1'b1,
    parameter bit HasFp8     = 1'b0,
    parameter bit Subnormals = 1'b1,
    parameter int RowBits    = 16 * Products,
    parameter int FirstFp16  = 0,
    parameter int FirstBf16  = 0,
    parameter int FirstTf32  = 0,
    parameter int FirstFp8   = 0,
    parameter int CountFp16  = Products,
    parameter int CountBf16  = Products,
    parameter int CountTf32  = Products / 2,
    parameter int CountFp8   = 0
) (
    input  logic [2:0]                               format_i,   // mma_pkg::format_e
    input  logic [RowBits-1:0]                       pattern_i,
    output logic [Products*mma_pkg::OperandBits-1:0] operand_o
);


  logic is_bf16, is_tf32, is_fp8;
  assign is_fp8 =
      HasFp8 && (format_i == mma_pkg::FormatE4m3 || format_i == mma_pkg::FormatE5m2 ||
                 !(HasFp16 || HasBf16 || HasTf32));
  assign is_bf16 = HasBf16 && (format_i == mma_pkg::FormatBf16 || !(HasFp16 || HasFp8));
  assign is_tf32 =
      HasTf32 && (format_i == mma_pkg::FormatTf32 || !(HasFp16 || HasBf16 || HasFp8));

  for (genvar k = 0; k < Products; k++) begin : gen_element
    localparam bit SlotFp16 = HasFp16 && k < CountFp16;
    localparam bit SlotBf16 = HasBf16 && k < CountBf16;
    localparam bit SlotTf32 = HasTf32 && k < CountTf32;
    localparam bit SlotFp8 = HasFp8 && k < CountFp8;
    localparam bit SlotWide = SlotFp16 || SlotBf16 || SlotTf32;
    logic [7:0]  fp8;
    logic [15:0] fp16, bf16;
    logic [31:0] tf32, pattern;
    logic [1:0]  value_class;
    logic        negative;
    logic [9:0]  exponent;
    logic [10:0] magnitude;

    if (SlotFp16) begin : gen_fp16
      assign fp16 = pattern_i[16*(FirstFp16+k)+:16];
    end else begin : gen_no_fp16
      assign fp16 = '0;
    end
    if (SlotBf16) begin : gen_bf16
      assign bf16 = pattern_i[16*(FirstBf16+k)+:16];
    end else begin : gen_no_bf16
      assign bf16 = '0;
    end
    if (SlotTf32) begin : gen_tf32
      assign tf32 = pattern_i[32*(FirstTf32+k)+:32];
    end else begin : gen_no_tf32
      assign tf32 = '0;
    end
    if (SlotFp8) begin : gen_fp8
      assign fp8 = pattern_i[8*(FirstFp8+k)+:8];
    end else begin : gen_no_fp8
      assign fp8 = '0;
    end
    assign pattern = is_fp8 ? {24'b0, fp8} : is_tf32 ? tf32 : is_bf16 ? {16'b0, bf16}
                                                              : {16'b0, fp16};

    if (SlotWide || SlotFp8) begin : gen_decode
      // A slot that only one format fills needs no selection; the others would put zero there.
      float_decode #(
          .FractionBits(mma_pkg::OperandFractionBits),
          .HasFp16     (HasFp16 && SlotWide),
          .HasBf16     (HasBf16 && SlotWide),
          .HasTf32     (SlotTf32),
          .HasFp32     (1'b0),
          .HasFp8      (SlotFp8),
          .Subnormals  (Subnormals)
      ) float_decode (
          .format_i   (format_i),
          .pattern_i  (pattern),
          .class_o    (value_class),
          .negative_o (negative),
          .exponent_o (exponent),
          .magnitude_o(magnitude)
      );
    end else begin : gen_empty
      logic unused_pattern;
      assign unused_pattern = ^pattern;
      assign value_class    = mma_pkg::ClassZero;
      assign negative       = 1'b0;
      assign exponent       = '0;
      assign magnitude      = '0;
    end
    assign operand_o[k*mma_pkg::OperandBits+:mma_pkg::OperandBits] =
        {value_class, negative, exponent, magnitude};  // mma_pkg::operand_t
  end

  // Elements of other blocks.
  logic unused_pattern;
  assign unused_pattern = ^pattern_i ^ ^format_i;

endmodule
