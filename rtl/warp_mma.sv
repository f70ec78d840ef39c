/// The tensor cores of a sub-core at the registers of a warp, for any core and any dense MMA whose
/// fragments are those of m16n8 or m8n8, one after another. Instructions are rows of Table.
///
/// An instruction is issued with C and the first registers of A and B. The others follow,
/// OperandRegisters per cycle: those of A, then those of B, each as often as the table states. D
/// leaves as a whole, with the tag of its instruction, and is taken in that cycle. A register is
/// the image of 32 lanes, lane 0 lowest. `issue_ready_o` tells when the sub-core may issue the next
/// instruction.
///
/// Organisation selects what stays in a core: nothing, all sums of an instruction, a block of sums
/// or a block of B; stationary_sums and stationary_weights move it in and out.
module warp_mma #(
    parameter int Rows             = 4,  // of mma_array, as are all down to UnderflowKeepsSign
    parameter int Columns          = 4,
    parameter int Products         = 4,
    parameter int GridFractionBits = 24,
    parameter int ExponentFloorFp32 = -132, ExponentFloorFp16 = -21,
    parameter bit HasFp16 = 1'b1, HasBf16 = 1'b0, HasTf32 = 1'b0, HasInt8 = 1'b0,
    parameter bit HasFp16Accumulator = 1'b1,
    parameter bit Subnormals       = 1'b1,
    parameter int PipelineDepth    = 4,
    parameter int Bf16Products = Products, Tf32Products = Products / 2, Int8Products = 2 * Products,
    parameter int BlockFp16 = Products, BlockBf16 = Bf16Products, BlockTf32 = Tf32Products,
    parameter int ExponentFloorBf16 = ExponentFloorFp32,
    parameter int ExponentFloorTf32 = ExponentFloorFp32,
    parameter int GridFp16 = GridFractionBits, GridBf16 = GridFractionBits,
    parameter int GridTf32         = GridFractionBits,
    parameter int KeptFp16 = 23, KeptBf16 = 23, KeptTf32 = 23,
    parameter bit NearestFp32 = 1'b0, NearestFp16 = 1'b1, UnderflowKeepsSign = 1'b1,
    parameter int OperandRowBits   = 64,  // of the array
    parameter int CountBits        = 1,    // of the number of its blocks
    parameter int Organisation     = 0,
    parameter int Cores            = 1,
    parameter int Instructions     = 1,
    parameter logic [Instructions*mma_pkg::TableRowBits-1:0] Table = mma_pkg::ExampleRow,
    parameter int MostM            = 8,  // of an instruction, like the following ones
    parameter int MostN            = 8,
    parameter int MostRowBits      = 256,
    parameter int MostBlocks       = 4,
    parameter int MostStationary   = 4,
    parameter int MostSumRegisters = 1,
    parameter int MostInterval     = 16,
    parameter int Slots            = 4,  // instructions in flight
    parameter int OperandRegisters = 1,  // registers of A and B that arrive per cycle
    parameter int FillCycles = 0, DrainCycles = 0,
    parameter int Buffers          = 1,  // buffers for the stationary operand
    parameter int ForwardCycles    = 0,  // delay of sums to the next round, beyond the pipeline
    parameter int ResultCycles     = 8,  // sums to the registers
    localparam int OpBits          = Instructions > 1 ? $clog2(Instructions) : 1,
    localparam int ImageBits       = 1024 * MostSumRegisters
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic                             issue_valid_i,
    output logic                             issue_ready_o,
    input  logic [OpBits-1:0]                issue_op_i,  // row of Table
    input  logic [7:0]                       issue_tag_i,
    input  logic [ImageBits-1:0]             c_i,
    input  logic                             operand_valid_i,
    input  logic [1024*OperandRegisters-1:0] operand_i,
    output logic                             result_valid_o,
    output logic [7:0]                       result_tag_o,
    output logic [ImageBits-1:0]             result_o
);

  localparam int SlotBits = Slots > 1 ? $clog2(Slots) : 1;
  localparam int RowBits  = mma_pkg::TableRowBits;
  localparam int DealBits = 32 * Cores;
  localparam int BlockBits = 32 * Rows * Columns;
  localparam bit HoldsSums = Organisation == mma_pkg::OuterProduct ||
      Organisation == mma_pkg::OutputStationary;
  localparam bit HoldsWeights = Organisation == mma_pkg::WeightStationary;

  // Slots: instructions from issue to result, in turn.
  logic [Slots-1:0]         used_q, loaded_q;
  logic [8*Slots-1:0]       tag_q;
  logic [Slots*RowBits-1:0] rows_q;
  logic [SlotBits-1:0]      next_q;
  logic [RowBits-1:0]       issue_row;
  logic                     issued, interval_over;

  assign issue_row     = Table[32'(issue_op_i)*RowBits+:RowBits];
  assign issue_ready_o = interval_over && !used_q[next_q] && !loading;
  assign issued        = issue_valid_i && issue_ready_o;

  issue_slot #(
      .MaxPasses(MostInterval)
  ) issue_slot (
      .clk_i    (clk_i),
      .rst_ni   (rst_ni),
      .valid_i  (issued),
      .ready_o  (interval_over),
      .passes_i (issue_row[mma_pkg::FieldInterval*32+:$clog2(MostInterval+1)]),
      .stalled_i(1'b0)
  );

  // Operands arrive from the cycle of issue on.
  logic [SlotBits-1:0]            load_slot;
  logic [RowBits-1:0]             load_row;
  logic [OperandRegisters-1:0]    valid_a, valid_b;
  logic [32*OperandRegisters-1:0] register_a, register_b;
  logic                           loading, loads_last;
  operand_loader #(
      .SlotBits(SlotBits),
      .Ports   (OperandRegisters)
  ) operand_loader (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .issued_i    (issued),
      .slot_i      (next_q),
      .row_i       (issue_row),
      .valid_i     (operand_valid_i),
      .loading_o   (loading),
      .slot_o      (load_slot),
      .row_o       (load_row),
      .valid_a_o   (valid_a),
      .valid_b_o   (valid_b),
      .register_a_o(register_a),
      .register_b_o(register_b),
      .last_o      (loads_last)
  );

  // Passes.
  logic                start, last_stream, last, hold, returns;
  logic [Slots-1:0]    waiting;
  logic [SlotBits-1:0] slot, return_slot;
  logic [31:0]         index, stream, return_index;
  logic [Cores-1:0]    valid, return_valid;
  logic [DealBits-1:0] m, n, k, block, return_m, return_n, return_block;
  logic                give_back;  // sums are available for the next round
  logic [SlotBits-1:0] give_back_slot;
  logic [Cores-1:0]    give_back_valid;
  logic [DealBits-1:0] give_back_block;

  pass_sequencer #(
      .Slots       (Slots),
      .Cores       (Cores),
      .Organisation(Organisation),
      .MostBlocks  (MostBlocks)
  ) pass_sequencer (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .rows_i        (rows_q),
      .load_i        (issued),
      .load_slot_i   (next_q),
      .loaded_i      (loaded_q),
      .hold_i        (hold),
      .return_i      (give_back),
      .return_slot_i (give_back_slot),
      .return_valid_i(give_back_valid),
      .return_block_i(give_back_block),
      .waiting_o     (waiting),
      .start_o       (start),
      .slot_o        (slot),
      .index_o       (index),
      .stream_o      (stream),
      .last_stream_o (last_stream),
      .last_o        (last),
      .valid_o       (valid),
      .m_o           (m),
      .n_o           (n),
      .k_o           (k),
      .block_o       (block)
  );

  logic [RowBits-1:0]   row, return_row;
  logic [CountBits-1:0] product_blocks;
  assign row            = rows_q[32'(slot)*RowBits+:RowBits];
  assign return_row     = rows_q[32'(return_slot)*RowBits+:RowBits];
  assign product_blocks = k[31:0] + 1 == row[mma_pkg::FieldBlocksK*32+:32] ?
      row[mma_pkg::FieldLastBlocks*32+:CountBits] : row[mma_pkg::FieldProductBlocks*32+:CountBits];

  // Operands of a pass.
  logic [Cores*Rows*OperandRowBits-1:0]    a;
  logic [Cores*Columns*OperandRowBits-1:0] b, b_of_registers;
  logic [SlotBits-1:0]                     b_slot;
  logic [DealBits-1:0]                     b_n, b_k;
  operand_rows #(
      .Slots    (Slots),
      .Lines    (MostM),
      .RowBits  (MostRowBits),
      .IsA      (1'b1),
      .Ports    (OperandRegisters),
      .Cores    (Cores),
      .PassLines(Rows),
      .PassBits (OperandRowBits)
  ) rows_of_a (
      .clk_i          (clk_i),
      .load_slot_i    (load_slot),
      .load_row_i     (load_row),
      .load_valid_i   (valid_a),
      .load_register_i(register_a),
      .load_data_i    (operand_i),
      .read_slot_i    (slot),
      .read_row_i     (row),
      .read_block_i   (m),
      .read_k_i       (k),
      .operand_o      (a)
  );
  operand_rows #(
      .Slots    (Slots),
      .Lines    (MostN),
      .RowBits  (MostRowBits),
      .IsA      (1'b0),
      .Ports    (OperandRegisters),
      .Cores    (Cores),
      .PassLines(Columns),
      .PassBits (OperandRowBits)
  ) columns_of_b (
      .clk_i          (clk_i),
      .load_slot_i    (load_slot),
      .load_row_i     (load_row),
      .load_valid_i   (valid_b),
      .load_register_i(register_b),
      .load_data_i    (operand_i),
      .read_slot_i    (b_slot),
      .read_row_i     (rows_q[32'(b_slot)*RowBits+:RowBits]),
      .read_block_i   (b_n),
      .read_k_i       (b_k),
      .operand_o      (b_of_registers)
  );

  // The cores.
  logic [Cores*BlockBits-1:0] c, d;
  logic                       return_last;
  core_group #(
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
      .PipelineDepth     (PipelineDepth),
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
      .UnderflowKeepsSign(UnderflowKeepsSign),
      .OperandRowBits    (OperandRowBits),
      .CountBits         (CountBits),
      .Organisation      (Organisation),
      .Cores             (Cores),
      .Slots             (Slots),
      .ForwardCycles     (ForwardCycles)
  ) core_group (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .rows_i           (rows_q),
      .start_i          (start),
      .last_i           (last),
      .slot_i           (slot),
      .index_i          (index),
      .stream_i         (stream),
      .product_blocks_i (product_blocks),
      .a_i              (a),
      .b_i              (b),
      .c_i              (c),
      .return_o         (returns),
      .return_last_o    (return_last),
      .return_slot_o    (return_slot),
      .return_index_o   (return_index),
      .return_valid_o   (return_valid),
      .return_m_o       (return_m),
      .return_n_o       (return_n),
      .return_block_o   (return_block),
      .d_o              (d),
      .give_back_o      (give_back),
      .give_back_slot_o (give_back_slot),
      .give_back_valid_o(give_back_valid),
      .give_back_block_o(give_back_block)
  );

  // Sums as registers: C before the passes, D after them.
  logic                 sums_written, done, finishes;
  logic [SlotBits-1:0]  sums_slot, done_slot, finish_slot;
  logic [ImageBits-1:0] sums, sums_now;  // of sums_slot, before and after this cycle's write
  logic [ImageBits-1:0] image_q [Slots];

  assign sums = image_q[sums_slot];
  always_ff @(posedge clk_i) begin
    if (issued) image_q[next_q] <= c_i;
    if (sums_written) image_q[sums_slot] <= sums_now;
  end

  if (HoldsSums) begin : gen_stationary_sums
    logic [SlotBits-1:0] fill_slot;
    stationary_sums #(
        .Slots        (Slots),
        .Cores        (Cores),
        .Rows         (Rows),
        .Columns      (Columns),
        .Organisation (Organisation),
        .Planes       (Organisation == mma_pkg::OuterProduct ? MostStationary : 1),
        .PipelineDepth(PipelineDepth),
        .Buffers      (Buffers),
        .FillCycles   (FillCycles),
        .DrainCycles  (DrainCycles),
        .ImageBits    (ImageBits)
    ) stationary_sums (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .rows_i         (rows_q),
        .waiting_i      (waiting),
        .hold_o         (hold),
        .start_i        (start),
        .slot_i         (slot),
        .index_i        (index),
        .last_stream_i  (last_stream),
        .last_i         (last),
        .c_o            (c),
        .return_i       (returns),
        .return_index_i (return_index),
        .return_valid_i (return_valid),
        .d_i            (d),
        .fill_slot_o    (fill_slot),
        .fill_image_i   (image_q[fill_slot]),
        .write_o        (sums_written),
        .write_slot_o   (sums_slot),
        .write_image_i  (sums),
        .written_image_o(sums_now),
        .done_o         (done),
        .done_slot_o    (done_slot)
    );
  end else begin : gen_passing_sums
    passing_sums #(
        .SlotBits (SlotBits),
        .Cores    (Cores),
        .Rows     (Rows),
        .Columns  (Columns),
        .ImageBits(ImageBits)
    ) passing_sums (
        .row_i          (row),
        .image_i        (image_q[slot]),
        .slot_i         (slot),
        .valid_i        (valid),
        .m_i            (m),
        .n_i            (n),
        .block_i        (block),
        .c_o            (c),
        .return_i       (returns),
        .return_row_i   (return_row),
        .return_slot_i  (return_slot),
        .return_valid_i (return_valid),
        .return_m_i     (return_m),
        .return_n_i     (return_n),
        .return_block_i (return_block),
        .d_i            (d),
        .write_image_i  (sums),
        .written_image_o(sums_now)
    );
    assign sums_written = returns;
    assign sums_slot    = return_slot;
    assign done         = returns && return_last;
    assign done_slot    = return_slot;
  end

  if (HoldsWeights) begin : gen_stationary_weights
    stationary_weights #(
        .Slots         (Slots),
        .Cores         (Cores),
        .Columns       (Columns),
        .OperandRowBits(OperandRowBits),
        .Buffers       (Buffers),
        .FillCycles    (FillCycles)
    ) stationary_weights (
        .clk_i        (clk_i),
        .rst_ni       (rst_ni),
        .rows_i       (rows_q),
        .waiting_i    (waiting),
        .ends_i       (start && last_stream),
        .pass_cycles_i(row[mma_pkg::FieldPassCycles*32+:32]),
        .hold_o       (hold),
        .read_slot_o  (b_slot),
        .read_n_o     (b_n),
        .read_k_o     (b_k),
        .block_i      (b_of_registers),
        .block_o      (b)
    );
  end else begin : gen_passing_weights
    assign b_slot = slot;
    assign b_n    = n;
    assign b_k    = k;
    assign b      = b_of_registers;
    if (!HoldsSums) begin : gen_no_hold
      assign hold = 1'b0;
    end
  end

  // The path to the registers.
  localparam int WayCycles = ResultCycles + (HoldsWeights ? DrainCycles : 0);
  delay_line #(
      .Depth(WayCycles),
      .Width(SlotBits)
  ) result_way (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .valid_i(done),
      .data_i (done_slot),
      .valid_o(finishes),
      .data_o (finish_slot)
  );
  assign result_valid_o = finishes;
  assign result_tag_o   = tag_q[32'(finish_slot)*8+:8];
  // Stationary sums are complete only when their last row has been written.
  assign result_o       = WayCycles == 0 && !HoldsSums ? sums_now : image_q[finish_slot];

  always_ff @(posedge clk_i) begin
    if (issued) begin
      tag_q[32'(next_q)*8+:8]              <= issue_tag_i;
      rows_q[32'(next_q)*RowBits+:RowBits] <= issue_row;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q   <= '0;
      loaded_q <= '0;
      next_q   <= '0;
    end else begin
      if (finishes) used_q[finish_slot] <= 1'b0;
      if (issued) begin
        used_q[next_q] <= 1'b1;
        next_q         <= 32'(next_q) + 1 == Slots ? '0 : next_q + 1'b1;
      end
      if (issued) loaded_q[next_q] <= loads_last;
      else if (loads_last) loaded_q[load_slot] <= 1'b1;
    end
  end

  // Unused by some organisations.
  logic unused_signals;
  assign unused_signals = ^{last_stream, waiting, return_row, valid, block, m, n, return_m, return_n,
                            return_last, return_block, return_index};

endmodule
