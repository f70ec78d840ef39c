/// Sums that stay in the cores: all of an instruction (outer product), or one block per core
/// (output-stationary). Registers for one or two sets of them, filled from C row by row and drained
/// to D row by row, in FillCycles and DrainCycles.
///
/// Fill and drain share one port. A drain is a command that follows the last pass through the
/// pipeline of the cores, so its rows leave when the sums of that pass return. A fill may follow
/// the last command, but no row of it may enter before that row has left.
module stationary_sums #(
    parameter int Slots         = 2,
    parameter int Cores         = 1,
    parameter int Rows          = 4,
    parameter int Columns       = 4,
    parameter int Organisation  = 1,
    parameter int Planes        = 2,  // blocks that a core holds; 1 if output-stationary
    parameter int PipelineDepth = 4,
    parameter int Buffers       = 1,
    parameter int FillCycles    = 4,
    parameter int DrainCycles   = 4,
    parameter int ImageBits     = 1024,
    localparam int SlotBits     = Slots > 1 ? $clog2(Slots) : 1,
    localparam int RowBits      = mma_pkg::TableRowBits,
    localparam int BlockBits    = 32 * Rows * Columns,
    localparam int CoresBits    = Cores * BlockBits
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic [Slots*RowBits-1:0] rows_i,
    input  logic [Slots-1:0]         waiting_i,
    output logic                     hold_o,
    input  logic                     start_i,        // of a pass
    input  logic [SlotBits-1:0]      slot_i,
    input  logic [31:0]              index_i,
    input  logic                     last_stream_i,
    input  logic                     last_i,
    output logic [CoresBits-1:0]     c_o,
    input  logic                     return_i,       // of a pass, PipelineDepth cycles later
    input  logic [31:0]              return_index_i,
    input  logic [Cores-1:0]         return_valid_i,
    input  logic [CoresBits-1:0]     d_i,
    output logic [SlotBits-1:0]      fill_slot_o,
    input  logic [ImageBits-1:0]     fill_image_i,   // registers of C of that slot
    output logic                     write_o,        // of registers of D
    output logic [SlotBits-1:0]      write_slot_o,
    input  logic [ImageBits-1:0]     write_image_i,
    output logic [ImageBits-1:0]     written_image_o,
    output logic                     done_o,         // D of an instruction is complete
    output logic [SlotBits-1:0]      done_slot_o
);

  localparam bit PerIndex = Organisation == mma_pkg::OutputStationary;
  localparam int Lanes = Planes * Cores;
  localparam int BufferBits = Lanes * BlockBits;

  // Fill.
  logic                moves, fill_buffer, pass_buffer, ends, releases, fill_allowed;
  logic [31:0]         portion, fill_index;
  logic [SlotBits-1:0] fill_slot;
  assign ends = start_i && (PerIndex ? last_stream_i : last_i);

  fill_sequencer #(
      .Slots     (Slots),
      .Buffers   (Buffers),
      .FillCycles(FillCycles),
      .PerIndex  (PerIndex)
  ) fill_sequencer (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .rows_i       (rows_i),
      .waiting_i    (waiting_i),
      .allow_i      (fill_allowed),
      .ends_i       (ends),
      .release_i    (releases),
      .moves_o      (moves),
      .portion_o    (portion),
      .slot_o       (fill_slot),
      .index_o      (fill_index),
      .buffer_o     (fill_buffer),
      .pass_buffer_o(pass_buffer),
      .hold_o       (hold_o)
  );
  assign fill_slot_o = fill_slot;

  // Drain: ended instructions wait for the port, two at most. Then a command is sent in each cycle,
  // and an empty one for each cycle beyond the first that the last pass takes.
  localparam int DrainBits = SlotBits + 34;  // slot, index, buffer, whether the instruction ends
  logic [2*DrainBits-1:0] ended_q;
  logic [1:0]             ended_count_q;
  logic [DrainBits-1:0]   ended, drained;
  logic [31:0]            command_q, commands, pass_cycles;
  logic                   commanding, last_command, drains;
  logic [31:0]            drain_portion;

  assign ended       = {slot_i, index_i, pass_buffer, last_i};
  assign pass_cycles =
      rows_i[32'(ended_q[DrainBits-1-:SlotBits])*RowBits+mma_pkg::FieldPassCycles*32+:32];
  assign commands     = DrainCycles + pass_cycles - 1;
  assign commanding   = ended_count_q != '0;
  assign last_command = commanding && command_q + 1 == commands;
  assign releases     = last_command;

  always_ff @(posedge clk_i) begin
    if (last_command) ended_q[DrainBits-1:0] <= ended_q[2*DrainBits-1:DrainBits];
    if (ends) begin
      if (ended_count_q == {1'b0, last_command}) ended_q[DrainBits-1:0] <= ended;
      else ended_q[2*DrainBits-1:DrainBits] <= ended;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ended_count_q <= '0;
      command_q     <= '0;
    end else begin
      ended_count_q <= ended_count_q + {1'b0, ends} - {1'b0, last_command};
      command_q     <= !commanding || last_command ? '0 : command_q + 1;
    end
  end

  delay_line #(
      .Depth(PipelineDepth - 1),
      .Width(DrainBits + 32)
  ) commands_line (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .valid_i(commanding && command_q < DrainCycles),
      .data_i ({ended_q[DrainBits-1:0], command_q}),
      .valid_o(drains),
      .data_o ({drained, drain_portion})
  );
  logic [SlotBits-1:0] drain_slot;
  logic [31:0]         drain_index;
  logic                drain_buffer, drain_last, last_portion;
  assign {drain_slot, drain_index, drain_buffer, drain_last} = drained;
  assign last_portion = drains && drain_portion + 1 == DrainCycles;

  // Rows of each buffer that have not left yet delay a fill.
  logic [1:0]  full_d, full_q;  // the buffer has such rows
  logic [31:0] left_now, left_q [2];
  logic [31:0] fill_end, drain_end;
  assign fill_end  = (portion + 1) * Rows / FillCycles;
  assign drain_end = (drain_portion + 1) * Rows / DrainCycles;
  assign left_now  = drains && drain_buffer == fill_buffer ? drain_end : left_q[fill_buffer];
  assign fill_allowed = (Buffers == 1 || !commanding) &&
      (!full_q[fill_buffer] || fill_end <= left_now);
  always_comb begin
    full_d = full_q;
    if (last_portion) full_d[drain_buffer] = 1'b0;
    if (ends) full_d[pass_buffer] = 1'b1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) full_q <= '0;
    else full_q <= full_d;
  end
  always_ff @(posedge clk_i) begin
    if (drains) left_q[drain_buffer] <= drain_end;
    if (ends) left_q[pass_buffer] <= '0;
  end

  // The blocks that the lanes fill and drain.
  logic [32*Lanes-1:0] fill_m, fill_n, drain_m, drain_n, unused_k, unused_block;
  logic [Lanes-1:0]    fill_valid, drain_valid;
  logic [64*Lanes-1:0] unused_deal;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    localparam int Plane = lane / Cores;
    block_deal #(
        .Core        (lane % Cores),
        .Cores       (Cores),
        .Organisation(Organisation)
    ) fill_deal (
        .row_i   (rows_i[32'(fill_slot)*RowBits+:RowBits]),
        .index_i (PerIndex ? fill_index : Plane),
        .stream_i('0),
        .valid_o (fill_valid[lane]),
        .m_o     (fill_m[32*lane+:32]),
        .n_o     (fill_n[32*lane+:32]),
        .k_o     (unused_k[32*lane+:32]),
        .block_o (unused_block[32*lane+:32])
    );
    block_deal #(
        .Core        (lane % Cores),
        .Cores       (Cores),
        .Organisation(Organisation)
    ) drain_deal (
        .row_i   (rows_i[32'(drain_slot)*RowBits+:RowBits]),
        .index_i (PerIndex ? drain_index : Plane),
        .stream_i('0),
        .valid_o (drain_valid[lane]),
        .m_o     (drain_m[32*lane+:32]),
        .n_o     (drain_n[32*lane+:32]),
        .k_o     (unused_deal[64*lane+:32]),
        .block_o (unused_deal[64*lane+32+:32])
    );
  end

  // The sums in the cores: returning, leaving and entering ones, in this order.
  logic                          return_buffer, unused_return;
  logic [Buffers*BufferBits-1:0] sums_q, sums_now, sums_d;
  logic [BufferBits-1:0]         filled, leaving;
  logic [Lanes*Rows-1:0]         drain_rows;
  logic [31:0]                   pass_plane, return_plane;
  assign pass_plane   = PerIndex ? '0 : index_i;
  assign return_plane = PerIndex ? '0 : return_index_i;

  delay_line #(
      .Depth(PipelineDepth),
      .Width(1)
  ) buffer_line (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .valid_i(start_i),
      .data_i (pass_buffer),
      .valid_o(unused_return),
      .data_o (return_buffer)
  );

  always_comb begin
    sums_now = sums_q;
    for (int core = 0; core < Cores; core++) begin
      if (return_i && return_valid_i[core])
        sums_now[32'(return_buffer)*BufferBits+(return_plane*Cores+core)*BlockBits+:BlockBits] =
            d_i[core*BlockBits+:BlockBits];
    end
    sums_d = sums_now;
    for (int lane = 0; lane < Lanes; lane++) begin
      for (int i = 0; i < Rows; i++) begin
        if (moves && 32'(i) >= portion * Rows / FillCycles && 32'(i) < fill_end)
          sums_d[32'(fill_buffer)*BufferBits+lane*BlockBits+i*32*Columns+:32*Columns] =
              filled[lane*BlockBits+i*32*Columns+:32*Columns];
      end
    end
  end
  always_ff @(posedge clk_i) sums_q <= sums_d;

  assign c_o =
      sums_now[32'(pass_buffer)*BufferBits+pass_plane*CoresBits+:CoresBits];
  assign leaving = sums_now[32'(drain_buffer)*BufferBits+:BufferBits];

  sum_gather #(
      .Lanes    (Lanes),
      .Rows     (Rows),
      .Columns  (Columns),
      .ImageBits(ImageBits)
  ) sum_gather (
      .row_i  (rows_i[32'(fill_slot)*RowBits+:RowBits]),
      .image_i(fill_image_i),
      .m_i    (fill_m),
      .n_i    (fill_n),
      .block_o(filled)
  );

  always_comb begin
    for (int lane = 0; lane < Lanes; lane++) begin
      for (int i = 0; i < Rows; i++)
        drain_rows[lane*Rows+i] = drains && drain_valid[lane] && 32'(i) < drain_end &&
            32'(i) >= drain_portion * Rows / DrainCycles;
    end
  end
  sum_scatter #(
      .Lanes    (Lanes),
      .Rows     (Rows),
      .Columns  (Columns),
      .ImageBits(ImageBits)
  ) sum_scatter (
      .row_i  (rows_i[32'(drain_slot)*RowBits+:RowBits]),
      .image_i(write_image_i),
      .m_i    (drain_m),
      .n_i    (drain_n),
      .write_i(drain_rows),
      .block_i(leaving),
      .image_o(written_image_o)
  );
  assign write_o      = drains;
  assign write_slot_o = drain_slot;

  // D is in the registers in the cycle after the last row has left.
  logic                done_q;
  logic [SlotBits-1:0] done_slot_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) done_q <= 1'b0;
    else done_q <= last_portion && drain_last;
  end
  always_ff @(posedge clk_i) done_slot_q <= drain_slot;
  assign done_o      = done_q;
  assign done_slot_o = done_slot_q;

  logic unused_signals;
  assign unused_signals = ^{fill_valid, unused_k, unused_block, unused_deal, unused_return};

  if (FillCycles < 1 || DrainCycles < 1 || PipelineDepth < 1) begin : gen_no_cycles
    $error("stationary_sums: fill, drain and pipeline take at least a cycle");
  end

endmodule
