/// One element of D of a pass: blocks of products, one after another, each with the sum of the
/// previous one as its c; and alongside them the dot product of integers. Cut 0 of the array comes
/// before this module; block b has cuts 4b + 1 (terms) to 4b + 4 (result), and Delay more follow
/// the last one. `Enabled` tells which of them hold a register.
module dot_product_chain #(
    parameter int Products           = 4,  // of a block
    parameter int WideProducts       = Products,
    parameter int Blocks             = 1,
    parameter int Delay              = 0,
    parameter bit [4*Blocks:0] Enabled = '1,
    parameter int GridFractionBits   = 23,
    parameter int ExponentFloorFp32  = -131,
    parameter int ExponentFloorFp16  = -20,
    parameter int ExponentFloorBf16  = ExponentFloorFp32,
    parameter int ExponentFloorTf32  = ExponentFloorFp32,
    parameter int GridFp16           = GridFractionBits,
    parameter int GridBf16           = GridFractionBits,
    parameter int GridTf32           = GridFractionBits,
    parameter int GridFp8            = GridFractionBits,
    parameter int KeptFp16           = 23,
    parameter int KeptBf16           = 23,
    parameter int KeptTf32           = 23,
    parameter int KeptFp8            = 23,
    parameter bit NearestFp32        = 1'b0,
    parameter bit NearestFp16        = 1'b1,
    parameter bit UnderflowKeepsSign = 1'b1,
    parameter bit HasFp16Accumulator = 1'b1,
    parameter bit HasInt8            = 1'b0,
    parameter int Int8Products       = 8,
    parameter bit Subnormals         = 1'b1,
    parameter bit CarrySave          = 1'b1,
    localparam int Cuts              = 4 * Blocks + Delay,
    localparam int BlockBits         = Products * mma_pkg::OperandBits,
    localparam int Int8Bits          = 8 * Int8Products
) (
    input  logic                        clk_i,
    input  logic [Cuts-1:0]             load_i,    // of cut i + 1
    input  logic [Blocks*BlockBits-1:0] a_i,       // decoded, as each block takes them
    input  logic [Blocks*BlockBits-1:0] b_i,
    input  logic [Int8Bits-1:0]         a_int8_i,  // as block 0 takes them
    input  logic [Int8Bits-1:0]         b_int8_i,
    input  logic [31:0]                 c_i,
    input  logic [Blocks-1:0]           active_i,  // of the operation before each block
    input  logic [Blocks-1:0]           enter_fp16_i,  // its accumulator
    input  logic [Blocks-1:0]           align_fp16_i,  // of the operation there
    input  logic [Blocks-1:0]           round_fp16_i,
    input  logic [3*Blocks-1:0]         align_format_i,
    input  logic [3*Blocks-1:0]         round_format_i,
    input  logic                        enter_integer_i,
    input  logic                        result_integer_i,
    output logic [31:0]                 d_o
);

  // Before each block, and after the last.
  logic [32*(Blocks+1)-1:0] sum /*verilator split_var*/;
  assign sum[31:0] = c_i;

  for (genvar b = 0; b < Blocks; b++) begin : gen_block
    dot_product_accumulate #(
        .Products          (Products),
        .WideProducts      (WideProducts),
        .GridFractionBits  (GridFractionBits),
        .ExponentFloorFp32 (ExponentFloorFp32),
        .ExponentFloorFp16 (ExponentFloorFp16),
        .ExponentFloorBf16 (ExponentFloorBf16),
        .ExponentFloorTf32 (ExponentFloorTf32),
        .GridFp16          (GridFp16),
        .GridBf16          (GridBf16),
        .GridTf32          (GridTf32),
        .GridFp8           (GridFp8),
        .KeptFp16          (KeptFp16),
        .KeptBf16          (KeptBf16),
        .KeptTf32          (KeptTf32),
        .KeptFp8           (KeptFp8),
        .NearestFp32       (NearestFp32),
        .NearestFp16       (NearestFp16),
        .UnderflowKeepsSign(UnderflowKeepsSign),
        .HasFp16Accumulator(HasFp16Accumulator),
        .Subnormals        (Subnormals),
        .CarrySave         (CarrySave),
        .RegisterTerms     (Enabled[4*b+1]),
        .RegisterAligned   (Enabled[4*b+2]),
        .RegisterSum       (Enabled[4*b+3]),
        .RegisterResult    (Enabled[4*b+4]),
        .CanPass           (b > 0)
    ) dot_product (
        .clk_i                  (clk_i),
        .load_i                 (load_i[4*b+:4]),
        .a_i                    (a_i[b*BlockBits+:BlockBits]),
        .b_i                    (b_i[b*BlockBits+:BlockBits]),
        .c_i                    (sum[32*b+:32]),
        .active_i               (active_i[b]),
        .c_is_fp16_i            (enter_fp16_i[b]),
        .align_accumulate_fp16_i(align_fp16_i[b]),
        .round_accumulate_fp16_i(round_fp16_i[b]),
        .align_format_i         (align_format_i[3*b+:3]),
        .round_format_i         (round_format_i[3*b+:3]),
        .d_o                    (sum[32*(b+1)+:32])
    );
  end

  // Integers use the cuts of the first block; the later cuts only delay them.
  logic [31:0] integer_result;
  if (HasInt8) begin : gen_integer
    logic [32*(Cuts-3)-1:0] delayed /*verilator split_var*/;
    integer_dot_product #(
        .Products       (Int8Products),
        .RegisterTerms  (Enabled[1]),
        .RegisterAligned(Enabled[2]),
        .RegisterSum    (Enabled[3]),
        .RegisterResult (Enabled[4])
    ) integer_dot_product (
        .clk_i   (clk_i),
        .load_i  (load_i[3:0]),
        .active_i(enter_integer_i),
        .a_i     (a_int8_i),
        .b_i     (b_int8_i),
        .c_i     (c_i),
        .d_o     (delayed[31:0])
    );
    for (genvar i = 4; i < Cuts; i++) begin : gen_delay
      if (i >= 4 * Blocks || Enabled[i+1]) begin : gen_register
        logic [31:0] delayed_q;
        always_ff @(posedge clk_i) if (load_i[i]) delayed_q <= delayed[32*(i-4)+:32];
        assign delayed[32*(i-3)+:32] = delayed_q;
      end else begin : gen_wire
        assign delayed[32*(i-3)+:32] = delayed[32*(i-4)+:32];
      end
    end
    assign integer_result = delayed[32*(Cuts-4)+:32];
  end else begin : gen_no_integer
    assign integer_result = '0;
  end

  logic [32*(Delay+1)-1:0] result;
  assign result[31:0] = sum[32*Blocks+:32];
  for (genvar i = 0; i < Delay; i++) begin : gen_result_delay
    logic [31:0] result_q;
    always_ff @(posedge clk_i) if (load_i[4*Blocks+i]) result_q <= result[32*i+:32];
    assign result[32*(i+1)+:32] = result_q;
  end

  assign d_o = HasInt8 && result_integer_i ? integer_result : result[32*Delay+:32];

  // Unused without integers, or if a cut has no register.
  logic unused_pins;
  assign unused_pins = ^{a_int8_i, b_int8_i, load_i, enter_integer_i, result_integer_i, Enabled[0]};

endmodule
