/// A matrix unit: D[Rows][Columns] = A[Rows][K] * B[K][Columns] + C in one pass, with a new pass
/// each cycle. K is Products for FP16; other formats have their own parameters: usually the same
/// for BF16, half of it for TF32, twice for INT8 and FP8 (E4M3, E5M2). Products of a pass are added
/// in blocks of Block* products, one after another; blocks_i gives the number that the operation
/// needs. Ready/valid on both sides with back-pressure; a tag travels with each pass. Operands are
/// decoded once per row and column and shared by the dot products.
///
/// Row i of A: a_i[i*OperandRowBits +: OperandRowBits], with element k from the low bits up, each
/// element as wide as its register form (16 bits, 32 for TF32, 8 for INT8 and FP8). Column j of B:
/// the same. C, D: element (i, j) in 32 bits at i * Columns + j, FP16 in the low half.
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
    parameter bit HasFp8             = 1'b0,
    parameter bit HasFp16Accumulator = 1'b1,
    parameter bit Subnormals         = 1'b1,
    parameter bit CarrySave          = 1'b1,
    // Registers from operand to result: 1 result; 2 + aligned; 3 + terms; 4 + sum; 5 + operands.
    // Each of the first four is placed in every block before the next one, spread over the blocks
    // if there are fewer. Anything beyond all of these delays the result.
    parameter int PipelineDepth      = 5,
    parameter int TagBits            = 8,
    // Products of a pass and of a block, by format.
    parameter int Bf16Products       = Products,
    parameter int Tf32Products       = Products / 2,
    parameter int Int8Products       = 2 * Products,
    parameter int Fp8Products        = 2 * Products,
    parameter int BlockFp16          = Products,
    parameter int BlockBf16          = Bf16Products,
    parameter int BlockTf32          = Tf32Products,
    parameter int BlockFp8           = Fp8Products,
    // What may differ between formats: see dot_product_accumulate.
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
    localparam int BlocksFp16        = HasFp16 ? Products / BlockFp16 : 0,
    localparam int BlocksBf16        = HasBf16 ? Bf16Products / BlockBf16 : 0,
    localparam int BlocksTf32        = HasTf32 ? Tf32Products / BlockTf32 : 0,
    localparam int BlocksOf16        = BlocksFp16 > BlocksBf16 ? BlocksFp16 : BlocksBf16,
    localparam int BlocksFp8         = HasFp8 ? Fp8Products / BlockFp8 : 0,
    localparam int BlocksWide        = BlocksOf16 > BlocksTf32 ? BlocksOf16 : BlocksTf32,
    localparam int Blocks            = BlocksWide > BlocksFp8 ? BlocksWide : BlocksFp8,
    localparam int CountBits         = $clog2(Blocks + 1),
    localparam int BitsFp16          = HasFp16 ? 16 * Products : 0,
    localparam int BitsBf16          = HasBf16 ? 16 * Bf16Products : 0,
    localparam int BitsTf32          = HasTf32 ? 32 * Tf32Products : 0,
    localparam int BitsInt8          = HasInt8 ? 8 * Int8Products : 0,
    localparam int BitsOf16          = BitsFp16 > BitsBf16 ? BitsFp16 : BitsBf16,
    localparam int BitsFp8           = HasFp8 ? 8 * Fp8Products : 0,
    localparam int BitsOf8           = BitsInt8 > BitsFp8 ? BitsInt8 : BitsFp8,
    localparam int BitsOfOthers      = BitsTf32 > BitsOf8 ? BitsTf32 : BitsOf8,
    localparam int OperandRowBits    = BitsOf16 > BitsOfOthers ? BitsOf16 : BitsOfOthers,
    localparam int ABits             = Rows * OperandRowBits,
    localparam int BBits             = Columns * OperandRowBits,
    localparam int CBits             = Rows * Columns * 32
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 valid_i,
    output logic                 ready_o,
    input  logic [TagBits-1:0]   tag_i,
    input  logic [2:0]           format_i,  // mma_pkg::format_e of A, and of B except
    input  logic                 mixed_fp8_i,  // B has the other FP8 format
    input  logic                 accumulate_fp16_i,  // C, D are FP16, else FP32 (INT32 for INT8)
    input  logic [CountBits-1:0] blocks_i,  // at least 1, at most those of the format
    input  logic [ABits-1:0]     a_i,
    input  logic [BBits-1:0]     b_i,
    input  logic [CBits-1:0]     c_i,
    output logic                 valid_o,
    input  logic                 ready_i,
    output logic [TagBits-1:0]   tag_o,
    output logic [CBits-1:0]     d_o
);

  localparam int BlockCuts   = 4 * Blocks;
  localparam int Delay       = PipelineDepth > BlockCuts + 1 ? PipelineDepth - BlockCuts - 1 : 0;
  localparam int Cuts        = BlockCuts + 1 + Delay;
  localparam int ControlBits = TagBits + 5 + CountBits;
  localparam int OperandBits = mma_pkg::OperandBits;
  localparam int SlotsFp16   = HasFp16 ? BlockFp16 : 0;
  localparam int SlotsBf16   = HasBf16 ? BlockBf16 : 0;
  localparam int SlotsTf32   = HasTf32 ? BlockTf32 : 0;
  localparam int SlotsOf16   = SlotsFp16 > SlotsBf16 ? SlotsFp16 : SlotsBf16;
  localparam int SlotsFp8    = HasFp8 ? BlockFp8 : 0;
  localparam int SlotsWide   = SlotsOf16 > SlotsTf32 ? SlotsOf16 : SlotsTf32;
  localparam int Slots       = SlotsWide > SlotsFp8 ? SlotsWide : SlotsFp8;

  /// Which cuts hold a register. The cuts of a block are enabled in this order: result, aligned,
  /// terms, sum.
  function automatic logic [BlockCuts:0] enabled_cuts();
    int left, of_kind;
    enabled_cuts    = '0;
    enabled_cuts[0] = PipelineDepth > BlockCuts;
    left            = PipelineDepth;
    for (int kind = 0; kind < 4; kind++) begin
      of_kind = left > Blocks ? Blocks : left;
      left    = left - of_kind;
      for (int b = 0; b < Blocks; b++) begin
        enabled_cuts[4*b+(kind==0?4 : kind==1?2 : kind==2?1 : 3)] =
            (b + 1) * of_kind / Blocks > b * of_kind / Blocks;
      end
    end
  endfunction
  localparam bit [BlockCuts:0] Enabled = enabled_cuts();

  /// The last cut up to and including `from` that holds a register, or 0.
  function automatic int last_register(int from);
    last_register = 0;
    for (int cut = 1; cut <= BlockCuts; cut++) if (cut <= from && Enabled[cut]) last_register = cut;
  endfunction

  // Control: valid, tag, format, accumulator type and blocks pass through the cuts along with the
  // data.
  logic [Cuts:0]                  cut_valid, cut_ready;
  logic [Cuts-1:0]                cut_load;
  logic [(Cuts+1)*ControlBits-1:0] cut_control;

  assign cut_valid[0]                 = valid_i;
  assign cut_control[ControlBits-1:0] = {
      tag_i, format_i, mixed_fp8_i, accumulate_fp16_i, blocks_i
  };
  assign ready_o                      = cut_ready[0];
  assign cut_ready[Cuts]              = ready_i;
  assign valid_o                      = cut_valid[Cuts];
  assign tag_o                        = cut_control[(Cuts+1)*ControlBits-1-:TagBits];

  for (genvar cut = 0; cut < Cuts; cut++) begin : gen_cut
    localparam bit HasRegister = cut > BlockCuts || Enabled[cut > BlockCuts ? 0 : cut];
    pipeline_register #(
        .Width  (ControlBits),
        .Enabled(HasRegister)
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

  // Of the operation behind cut i: its format, accumulator and blocks.
  logic [3*(Cuts+1)-1:0] format_at;
  logic [Cuts:0]         fp16_at;
  for (genvar cut = 0; cut <= Cuts; cut++) begin : gen_control
    assign format_at[3*cut+:3] = cut_control[cut*ControlBits+CountBits+2+:3];
    assign fp16_at[cut]        = cut_control[cut*ControlBits+CountBits];
  end
  logic [Blocks-1:0]   active, enter_fp16, align_fp16, round_fp16;
  logic [3*Blocks-1:0] enter_format, enter_format_b, align_format, round_format;
  for (genvar b = 0; b < Blocks; b++) begin : gen_block_control
    // A single block is needed by every operation.
    assign active[b] = b == 0 ||
        cut_control[(4*b+1)*ControlBits+:CountBits] > CountBits'(b);
    assign enter_fp16[b]         = fp16_at[4*b+1];
    assign align_fp16[b]         = fp16_at[4*b+2];
    assign round_fp16[b]         = fp16_at[4*b+4];
    assign enter_format[3*b+:3]  = format_at[3*(4*b+1)+:3];
    assign enter_format_b[3*b+:3] =
        !(HasFp8 && cut_control[(4*b+1)*ControlBits+CountBits+1]) ? enter_format[3*b+:3] :
        enter_format[3*b+:3] == mma_pkg::FormatE4m3 ? mma_pkg::FormatE5m2 : mma_pkg::FormatE4m3;
    assign align_format[3*b+:3]  = format_at[3*(4*b+2)+:3];
    assign round_format[3*b+:3]  = format_at[3*(4*b+4)+:3];
  end
  logic enter_integer, result_integer;
  assign enter_integer  = HasInt8 && format_at[3+:3] == mma_pkg::FormatInt8;
  assign result_integer = HasInt8 && format_at[3*Cuts+:3] == mma_pkg::FormatInt8;

  // Operands after cut 0, and after those other cuts of all blocks but the last that hold a
  // register.
  localparam int OperandCuts = BlockCuts - 3;
  logic [OperandCuts*ABits-1:0] a_at;
  logic [OperandCuts*BBits-1:0] b_at;
  logic [CBits-1:0]             c;

  if (Enabled[0]) begin : gen_operands
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
    assign a_at[ABits-1:0] = a_q;
    assign b_at[BBits-1:0] = b_q;
    assign c               = c_q;
  end else begin : gen_operands_wire
    assign a_at[ABits-1:0] = a_i;
    assign b_at[BBits-1:0] = b_i;
    assign c               = c_i;
  end
  for (genvar cut = 1; cut < OperandCuts; cut++) begin : gen_later_operands
    if (Enabled[cut]) begin : gen_register
      localparam int From = last_register(cut - 1);
      logic [ABits-1:0] a_q;
      logic [BBits-1:0] b_q;
      always_ff @(posedge clk_i) begin
        if (cut_load[cut]) begin
          a_q <= a_at[From*ABits+:ABits];
          b_q <= b_at[From*BBits+:BBits];
        end
      end
      assign a_at[cut*ABits+:ABits] = a_q;
      assign b_at[cut*BBits+:BBits] = b_q;
    end else begin : gen_none
      assign a_at[cut*ABits+:ABits] = '0;
      assign b_at[cut*BBits+:BBits] = '0;
    end
  end

  // Decode: each row of A and each column of B once; each block takes its elements from where they
  // are at that time.
  localparam int BlockBits      = Slots * OperandBits;
  localparam int DecodedRowBits = Blocks * BlockBits;
  logic [Rows*DecodedRowBits-1:0]    a_decoded;
  logic [Columns*DecodedRowBits-1:0] b_decoded;

  for (genvar line = 0; line < Rows + Columns; line++) begin : gen_line
    for (genvar b = 0; b < Blocks; b++) begin : gen_decode
      localparam bit OfRow = line < Rows;
      localparam int Index = OfRow ? line : line - Rows;
      localparam int From = last_register(4 * b);
      logic [OperandRowBits-1:0] pattern;
      logic [BlockBits-1:0]      decoded;
      if (OfRow) begin : gen_row
        assign pattern = a_at[From*ABits+Index*OperandRowBits+:OperandRowBits];
        assign a_decoded[Index*DecodedRowBits+b*BlockBits+:BlockBits] = decoded;
      end else begin : gen_column
        assign pattern = b_at[From*BBits+Index*OperandRowBits+:OperandRowBits];
        assign b_decoded[Index*DecodedRowBits+b*BlockBits+:BlockBits] = decoded;
      end
      operand_decode #(
          .Products  (Slots),
          .HasFp16   (HasFp16),
          .HasBf16   (HasBf16),
          .HasTf32   (HasTf32),
          .HasFp8    (HasFp8),
          .Subnormals(Subnormals),
          .RowBits   (OperandRowBits),
          .FirstFp16 (b * BlockFp16),
          .FirstBf16 (b * BlockBf16),
          .FirstTf32 (b * BlockTf32),
          .FirstFp8  (b * BlockFp8),
          .CountFp16 (b < BlocksFp16 ? BlockFp16 : 0),
          .CountBf16 (b < BlocksBf16 ? BlockBf16 : 0),
          .CountTf32 (b < BlocksTf32 ? BlockTf32 : 0),
          .CountFp8  (b < BlocksFp8 ? BlockFp8 : 0)
      ) operand_decode (
          .format_i (OfRow ? enter_format[3*b+:3] : enter_format_b[3*b+:3]),
          .pattern_i(pattern),
          .operand_o(decoded)
      );
    end
  end

  // One chain of dot products for each element of D.
  for (genvar i = 0; i < Rows; i++) begin : gen_row
    for (genvar j = 0; j < Columns; j++) begin : gen_column
      localparam int Element = i * Columns + j;
      localparam int IntegerBits = HasInt8 ? BitsInt8 : 8;

      dot_product_chain #(
          .Products          (Slots),
          .WideProducts      (SlotsWide),
          .Blocks            (Blocks),
          .Delay             (Delay),
          .Enabled           (Enabled),
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
          .HasInt8           (HasInt8),
          .Int8Products      (IntegerBits / 8),
          .Subnormals        (Subnormals),
          .CarrySave         (CarrySave)
      ) chain (
          .clk_i           (clk_i),
          .load_i          (cut_load[Cuts-1:1]),
          .a_i             (a_decoded[i*DecodedRowBits+:DecodedRowBits]),
          .b_i             (b_decoded[j*DecodedRowBits+:DecodedRowBits]),
          .a_int8_i        (a_at[i*OperandRowBits+:IntegerBits]),
          .b_int8_i        (b_at[j*OperandRowBits+:IntegerBits]),
          .c_i             (c[32*Element+:32]),
          .active_i        (active),
          .enter_fp16_i    (enter_fp16),
          .align_fp16_i    (align_fp16),
          .round_fp16_i    (round_fp16),
          .align_format_i  (align_format),
          .round_format_i  (round_format),
          .enter_integer_i (enter_integer),
          .result_integer_i(result_integer),
          .d_o             (d_o[32*Element+:32])
      );
    end
  end

  // Unused if a cut has no register, or if nothing depends on it.
  logic unused_control;
  assign unused_control = ^{cut_load, cut_control, fp16_at, format_at, a_at, b_at, c};

  if (PipelineDepth < 1) begin : gen_depth_out_of_range
    $error("mma_array: PipelineDepth must be positive");
  end
  if (!(HasFp16 || HasBf16 || HasTf32 || HasFp8)) begin : gen_no_float
    $error("mma_array: a unit needs a floating-point input format");
  end
  if ((HasFp16 && Products != BlocksFp16 * BlockFp16) ||
      (HasBf16 && Bf16Products != BlocksBf16 * BlockBf16) ||
      (HasTf32 && Tf32Products != BlocksTf32 * BlockTf32) ||
      (HasFp8 && Fp8Products != BlocksFp8 * BlockFp8)) begin : gen_block_does_not_divide
    $error("mma_array: the products of a pass must be those of whole blocks");
  end

`ifndef SYNTHESIS
  // A format that the unit lacks must not be offered.
  assert property (@(posedge clk_i) disable iff (!rst_ni) !valid_i ||
                   (format_i == mma_pkg::FormatFp16 && HasFp16) ||
                   (format_i == mma_pkg::FormatBf16 && HasBf16) ||
                   (format_i == mma_pkg::FormatTf32 && HasTf32) ||
                   (format_i == mma_pkg::FormatInt8 && HasInt8) ||
                   (format_i == mma_pkg::FormatE4m3 && HasFp8) ||
                   (format_i == mma_pkg::FormatE5m2 && HasFp8))
  else $error("mma_array: format that this unit lacks");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !valid_i || !mixed_fp8_i ||
                   format_i == mma_pkg::FormatE4m3 || format_i == mma_pkg::FormatE5m2)
  else $error("mma_array: mixed formats that are not of FP8");
  // FP16 accumulators go with FP16 and FP8 inputs only.
  assert property (@(posedge clk_i) disable iff (!rst_ni) !valid_i || !accumulate_fp16_i ||
                   (HasFp16Accumulator && (format_i == mma_pkg::FormatFp16 ||
                                           format_i == mma_pkg::FormatE4m3 ||
                                           format_i == mma_pkg::FormatE5m2)))
  else $error("mma_array: FP16 accumulator with another input format");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !valid_i || blocks_i != '0)
  else $error("mma_array: an operation without blocks");
`endif

endmodule
