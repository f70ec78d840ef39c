/// A matrix unit: D[Rows][Columns] = A[Rows][K] * B[K][Columns] + C in one pass, a new one each
/// cycle, K = Products for FP16 and BF16, half of it for TF32, twice for INT8. Ready/valid on both
/// sides with back-pressure; a tag travels with each pass. Operands are decoded once per row and
/// column and shared by the dot products.
///
/// Row i of A: a_i[i*OperandRowBits +: OperandRowBits], element k from the low bits up, an element
/// as wide as its register form (16 bits, 32 for TF32, 8 for INT8). Column j of B likewise. C, D:
/// element (i, j) in 32 bits at i * Columns + j, FP16 in the low half.
module mma_array #(
    parameter int Rows               = 4,
    parameter int Columns            = 4,
    parameter int Products           = 4,
    parameter int GridFractionBits   = 23,
    parameter int ExponentFloorFp32  = -131,
    parameter int ExponentFloorFp16  = -20,
    parameter bit HasFp16            = 1'b1,
    parameter bit HasBf16            = 1'b0,
    parameter bit HasTf32            = 1'b0,
    parameter bit HasInt8            = 1'b0,
    parameter bit HasFp16Accumulator = 1'b1,
    parameter bit Subnormals         = 1'b1,
    parameter bit CarrySave          = 1'b1,
    // Registers from operand to result: 1 result; 2 + aligned; 3 + terms; 4 + sum; 5 + operands.
    parameter int PipelineDepth      = 5,
    parameter int TagBits            = 8,
    localparam int OperandRowBits    = 16 * Products,
    localparam int ABits             = Rows * OperandRowBits,
    localparam int BBits             = Columns * OperandRowBits,
    localparam int CBits             = Rows * Columns * 32
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               valid_i,
    output logic               ready_o,
    input  logic [TagBits-1:0] tag_i,
    input  logic [2:0]         format_i,  // mma_pkg::format_e of A and B
    input  logic               accumulate_fp16_i,  // C and D are FP16, else FP32 (INT32 for INT8)
    input  logic [ABits-1:0]   a_i,
    input  logic [BBits-1:0]   b_i,
    input  logic [CBits-1:0]   c_i,
    output logic               valid_o,
    input  logic               ready_i,
    output logic [TagBits-1:0] tag_o,
    output logic [CBits-1:0]   d_o
);

  localparam bit RegisterOperands = PipelineDepth >= 5;
  localparam bit RegisterTerms    = PipelineDepth >= 3;
  localparam bit RegisterAligned  = PipelineDepth >= 2;
  localparam bit RegisterSum      = PipelineDepth >= 4;
  localparam int ControlBits      = TagBits + 4;
  localparam int OperandBits      = mma_pkg::OperandBits;

  // Control: valid, tag, format and accumulator type go through the cuts beside the data.
  logic [5:0]             cut_valid;
  logic [5:0]             cut_ready;
  logic [4:0]             cut_load;
  logic [6*ControlBits-1:0] cut_control;

  assign cut_valid[0]                = valid_i;
  assign cut_control[ControlBits-1:0] = {tag_i, format_i, accumulate_fp16_i};
  assign ready_o                     = cut_ready[0];
  assign cut_ready[5]                = ready_i;
  assign valid_o                     = cut_valid[5];
  assign tag_o                       = cut_control[5*ControlBits+4+:TagBits];

  for (genvar cut = 0; cut < 5; cut++) begin : gen_cut
    localparam bit Enabled = cut == 0 ? RegisterOperands : cut == 1 ? RegisterTerms :
        cut == 2 ? RegisterAligned : cut == 3 ? RegisterSum : 1'b1;
    pipeline_register #(
        .Width  (ControlBits),
        .Enabled(Enabled)
    ) pipeline_register (
        .clk_i  (clk_i),
        .rst_ni (rst_ni),
        .valid_i(cut_valid[cut]),
        .ready_o(cut_ready[cut]),
        .data_i (cut_control[cut*ControlBits+:ControlBits]),
        .valid_o(cut_valid[cut+1]),
        .ready_i(cut_ready[cut+1]),
        .data_o (cut_control[(cut+1)*ControlBits+:ControlBits]),
        .load_o (cut_load[cut])
    );
  end

  // Operand registers.
  logic [ABits-1:0] a;
  logic [BBits-1:0] b;
  logic [CBits-1:0] c;
  if (RegisterOperands) begin : gen_operands
    logic [ABits-1:0] a_q;
    logic [BBits-1:0] b_q;
    logic [CBits-1:0] c_q;
    always_ff @(posedge clk_i) begin
      if (cut_load[0]) begin
        a_q <= a_i;
        b_q <= b_i;
        c_q <= c_i;
      end
    end
    assign a = a_q;
    assign b = b_q;
    assign c = c_q;
  end else begin : gen_operands_wire
    assign a = a_i;
    assign b = b_i;
    assign c = c_i;
    logic unused_load;
    assign unused_load = cut_load[0];
  end

  logic [2:0] operand_format;
  logic       operand_accumulate_fp16, align_accumulate_fp16, round_accumulate_fp16;
  logic       is_integer, result_is_integer;
  assign operand_format          = cut_control[ControlBits+1+:3];
  assign operand_accumulate_fp16 = cut_control[ControlBits];
  assign align_accumulate_fp16   = cut_control[2*ControlBits];
  assign round_accumulate_fp16   = cut_control[4*ControlBits];
  assign is_integer              = HasInt8 && operand_format == mma_pkg::FormatInt8;
  assign result_is_integer       =
      HasInt8 && cut_control[5*ControlBits+1+:3] == mma_pkg::FormatInt8;

  // Decode: each row of A and each column of B once.
  localparam int DecodedRowBits = Products * OperandBits;
  logic [Rows*DecodedRowBits-1:0]    a_decoded;
  logic [Columns*DecodedRowBits-1:0] b_decoded;

  for (genvar i = 0; i < Rows; i++) begin : gen_row_decode
    operand_decode #(
        .Products  (Products),
        .HasFp16   (HasFp16),
        .HasBf16   (HasBf16),
        .HasTf32   (HasTf32),
        .Subnormals(Subnormals)
    ) operand_decode (
        .format_i (operand_format),
        .pattern_i(a[i*OperandRowBits+:OperandRowBits]),
        .operand_o(a_decoded[i*DecodedRowBits+:DecodedRowBits])
    );
  end
  for (genvar j = 0; j < Columns; j++) begin : gen_column_decode
    operand_decode #(
        .Products  (Products),
        .HasFp16   (HasFp16),
        .HasBf16   (HasBf16),
        .HasTf32   (HasTf32),
        .Subnormals(Subnormals)
    ) operand_decode (
        .format_i (operand_format),
        .pattern_i(b[j*OperandRowBits+:OperandRowBits]),
        .operand_o(b_decoded[j*DecodedRowBits+:DecodedRowBits])
    );
  end

  // One dot product for each element of D.
  for (genvar i = 0; i < Rows; i++) begin : gen_row
    for (genvar j = 0; j < Columns; j++) begin : gen_column
      localparam int Element = i * Columns + j;
      logic [31:0] float_d, integer_d;

      dot_product_accumulate #(
          .Products          (Products),
          .GridFractionBits  (GridFractionBits),
          .ExponentFloorFp32 (ExponentFloorFp32),
          .ExponentFloorFp16 (ExponentFloorFp16),
          .HasFp16Accumulator(HasFp16Accumulator),
          .Subnormals        (Subnormals),
          .CarrySave         (CarrySave),
          .RegisterTerms     (RegisterTerms),
          .RegisterAligned   (RegisterAligned),
          .RegisterSum       (RegisterSum)
      ) dot_product (
          .clk_i                  (clk_i),
          .load_i                 (cut_load[4:1]),
          .a_i                    (a_decoded[i*DecodedRowBits+:DecodedRowBits]),
          .b_i                    (b_decoded[j*DecodedRowBits+:DecodedRowBits]),
          .c_i                    (c[32*Element+:32]),
          .c_is_fp16_i            (operand_accumulate_fp16),
          .align_accumulate_fp16_i(align_accumulate_fp16),
          .round_accumulate_fp16_i(round_accumulate_fp16),
          .d_o                    (float_d)
      );

      if (HasInt8) begin : gen_integer
        integer_dot_product #(
            .Products       (2 * Products),
            .RegisterTerms  (RegisterTerms),
            .RegisterAligned(RegisterAligned),
            .RegisterSum    (RegisterSum)
        ) integer_dot_product (
            .clk_i   (clk_i),
            .load_i  (cut_load[4:1]),
            .active_i(is_integer),
            .a_i     (a[i*OperandRowBits+:OperandRowBits]),
            .b_i     (b[j*OperandRowBits+:OperandRowBits]),
            .c_i     (c[32*Element+:32]),
            .d_o     (integer_d)
        );
      end else begin : gen_no_integer
        assign integer_d = '0;
      end

      assign d_o[32*Element+:32] = result_is_integer ? integer_d : float_d;
    end
  end

  if (!HasInt8) begin : gen_unused_integer
    logic unused_is_integer;
    assign unused_is_integer = is_integer;
  end

  if (PipelineDepth < 1 || PipelineDepth > 5) begin : gen_depth_out_of_range
    $error("mma_array: PipelineDepth must be 1 to 5");
  end
  if (!(HasFp16 || HasBf16 || HasTf32)) begin : gen_no_float
    $error("mma_array: a unit needs a floating-point input format");
  end

`ifndef SYNTHESIS
  // A format that the unit lacks must not be offered.
  assert property (@(posedge clk_i) disable iff (!rst_ni) !valid_i ||
                   (format_i == mma_pkg::FormatFp16 && HasFp16) ||
                   (format_i == mma_pkg::FormatBf16 && HasBf16) ||
                   (format_i == mma_pkg::FormatTf32 && HasTf32) ||
                   (format_i == mma_pkg::FormatInt8 && HasInt8))
  else $error("mma_array: format that this unit lacks");
  // FP16 accumulators go with FP16 inputs only.
  assert property (@(posedge clk_i) disable iff (!rst_ni) !valid_i || !accumulate_fp16_i ||
                   (HasFp16Accumulator && format_i == mma_pkg::FormatFp16))
  else $error("mma_array: FP16 accumulator with another input format");
`endif

endmodule
