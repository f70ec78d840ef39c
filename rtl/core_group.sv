/// The cores of a sub-core, an mma_array each. They start a pass together. Results return
/// PipelineDepth cycles later, with the pass and the blocks that the cores had in it.
module core_group #(
    parameter int Rows               = 4,
    parameter int Columns            = 4,
    parameter int Products           = 4,
    parameter int GridFractionBits   = 24,
    parameter int ExponentFloorFp32  = -132,
    parameter int ExponentFloorFp16  = -21,
    parameter bit HasFp16            = 1'b1,
    parameter bit HasBf16            = 1'b0,
    parameter bit HasTf32            = 1'b0,
    parameter bit HasInt8            = 1'b0,
    parameter bit HasFp16Accumulator = 1'b1,
    parameter bit Subnormals         = 1'b1,
    parameter int PipelineDepth      = 4,
    parameter int Bf16Products       = Products,
    parameter int Tf32Products       = Products / 2,
    parameter int Int8Products       = 2 * Products,
    parameter int BlockFp16          = Products,
    parameter int BlockBf16          = Bf16Products,
    parameter int BlockTf32          = Tf32Products,
    parameter int ExponentFloorBf16  = ExponentFloorFp32,
    parameter int ExponentFloorTf32  = ExponentFloorFp32,
    parameter int GridFp16           = GridFractionBits,
    parameter int GridBf16           = GridFractionBits,
    parameter int GridTf32           = GridFractionBits,
    parameter int KeptFp16           = 23,
    parameter int KeptBf16           = 23,
    parameter int KeptTf32           = 23,
    parameter bit NearestFp32        = 1'b0,
    parameter bit NearestFp16        = 1'b1,
    parameter bit UnderflowKeepsSign = 1'b1,
    parameter int OperandRowBits     = 64,  // of the arrays
    parameter int CountBits          = 1,
    parameter int Organisation       = 0,
    parameter int Cores              = 1,
    parameter int Slots              = 2,
    parameter int ForwardCycles      = 0,  // delay until the next round, beyond the pipeline
    localparam int SlotBits          = Slots > 1 ? $clog2(Slots) : 1,
    localparam int RowBits           = mma_pkg::TableRowBits,
    localparam int DealBits          = 32 * Cores,
    localparam int BlockBits         = 32 * Rows * Columns,
    localparam int ABits             = Rows * OperandRowBits,
    localparam int BBits             = Columns * OperandRowBits
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic [Slots*RowBits-1:0]   rows_i,            // of the table, of each slot
    input  logic                       start_i,
    input  logic                       last_i,            // last pass of its instruction
    input  logic [SlotBits-1:0]        slot_i,
    input  logic [31:0]                index_i,
    input  logic [31:0]                stream_i,
    input  logic [CountBits-1:0]       product_blocks_i,
    input  logic [Cores*ABits-1:0]     a_i,
    input  logic [Cores*BBits-1:0]     b_i,
    input  logic [Cores*BlockBits-1:0] c_i,
    output logic                       return_o,
    output logic                       return_last_o,
    output logic [SlotBits-1:0]        return_slot_o,
    output logic [31:0]                return_index_o,
    output logic [Cores-1:0]           return_valid_o,    // the core had a block in that pass
    output logic [DealBits-1:0]        return_m_o,
    output logic [DealBits-1:0]        return_n_o,
    output logic [DealBits-1:0]        return_block_o,
    output logic [Cores*BlockBits-1:0] d_o,
    output logic                       give_back_o,       // sums are available for the next round
    output logic [SlotBits-1:0]        give_back_slot_o,
    output logic [Cores-1:0]           give_back_valid_o,
    output logic [DealBits-1:0]        give_back_block_o
);

  localparam int TagBits = 65 + SlotBits;
  logic [TagBits-1:0] return_tag;
  logic [31:0]        return_stream;
  logic [RowBits-1:0] row, return_row;
  assign {return_last_o, return_slot_o, return_index_o, return_stream} = return_tag;
  assign row        = rows_i[32'(slot_i)*RowBits+:RowBits];
  assign return_row = rows_i[32'(return_slot_o)*RowBits+:RowBits];

  for (genvar core = 0; core < Cores; core++) begin : gen_core
    logic                    array_valid, array_ready;
    logic [31:0]             return_k;
    logic [TagBits-1:0] array_tag;
    mma_array #(
        .Rows              (Rows),
        .Columns           (Columns),
        .Products          (Products),
        .GridFractionBits  (GridFractionBits),
        .ExponentFloorFp32 (ExponentFloorFp32),
        .ExponentFloorFp16 (ExponentFloorFp16),
        .HasFp16           (HasFp16),
        .HasBf16           (HasBf16),
        .HasTf32           (HasTf32),
        .HasInt8           (HasInt8),
        .HasFp16Accumulator(HasFp16Accumulator),
        .Subnormals        (Subnormals),
        .CarrySave         (1'b0),
        .PipelineDepth     (PipelineDepth),
        .TagBits           (TagBits),
        .Bf16Products      (Bf16Products),
        .Tf32Products      (Tf32Products),
        .Int8Products      (Int8Products),
        .BlockFp16         (BlockFp16),
        .BlockBf16         (BlockBf16),
        .BlockTf32         (BlockTf32),
        .ExponentFloorBf16 (ExponentFloorBf16),
        .ExponentFloorTf32 (ExponentFloorTf32),
        .GridFp16          (GridFp16),
        .GridBf16          (GridBf16),
        .GridTf32          (GridTf32),
        .KeptFp16          (KeptFp16),
        .KeptBf16          (KeptBf16),
        .KeptTf32          (KeptTf32),
        .NearestFp32       (NearestFp32),
        .NearestFp16       (NearestFp16),
        .UnderflowKeepsSign(UnderflowKeepsSign)
    ) array (
        .clk_i            (clk_i),
        .rst_ni           (rst_ni),
        .valid_i          (start_i),
        .ready_o          (array_ready),
        .tag_i            ({last_i, slot_i, index_i, stream_i}),
        .format_i         (row[mma_pkg::FieldFormat*32+:3]),
        .mixed_fp8_i      (1'b0),
        .accumulate_fp16_i(row[mma_pkg::FieldFp16*32]),
        .blocks_i         (product_blocks_i),
        .a_i              (a_i[core*ABits+:ABits]),
        .b_i              (b_i[core*BBits+:BBits]),
        .c_i              (c_i[core*BlockBits+:BlockBits]),
        .valid_o          (array_valid),
        .ready_i          (1'b1),
        .tag_o            (array_tag),
        .d_o              (d_o[core*BlockBits+:BlockBits])
    );
    logic unused_pins;  // the array never stalls
    assign unused_pins = array_ready ^ ^return_k;
    if (core == 0) begin : gen_tag
      assign return_o   = array_valid;
      assign return_tag = array_tag;
    end else begin : gen_no_tag
      logic unused_tag;
      assign unused_tag = ^{array_valid, array_tag};
    end
    block_deal #(
        .Core        (core),
        .Cores       (Cores),
        .Organisation(Organisation)
    ) return_deal (
        .row_i   (return_row),
        .index_i (return_index_o),
        .stream_i(return_stream),
        .valid_o (return_valid_o[core]),
        .m_o     (return_m_o[32*core+:32]),
        .n_o     (return_n_o[32*core+:32]),
        .k_o     (return_k),
        .block_o (return_block_o[32*core+:32])
    );
  end

  // What waits for the path through the registers.
  localparam int GiveBackBits = SlotBits + Cores + DealBits;
  delay_line #(
      .Depth(ForwardCycles),
      .Width(GiveBackBits)
  ) forwarding (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .valid_i(return_o),
      .data_i ({return_slot_o, return_valid_o, return_block_o}),
      .valid_o(give_back_o),
      .data_o ({give_back_slot_o, give_back_valid_o, give_back_block_o})
  );

  logic unused_row;
  assign unused_row = ^row;

endmodule
