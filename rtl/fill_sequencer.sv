/// Loads stationary operands into the buffers of the cores, one after the other: for each
/// instruction, in the order of the slots, once, or once for each of its stationary blocks
/// (PerIndex). A fill takes FillCycles cycles in which it may move, each moving a portion of the
/// rows. It begins when the buffer is free; passes may begin in the cycle after it.
module fill_sequencer #(
    parameter int Slots      = 2,
    parameter int Buffers    = 1,  // 1 or 2
    parameter int FillCycles = 4,
    parameter bit PerIndex   = 1'b1,
    localparam int SlotBits  = Slots > 1 ? $clog2(Slots) : 1,
    localparam int RowBits   = mma_pkg::TableRowBits
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic [Slots*RowBits-1:0] rows_i,     // of the instruction table, one per slot
    input  logic [Slots-1:0]         waiting_i,  // operands loaded, last pass not yet started
    input  logic                     allow_i,    // this portion may move in this cycle
    input  logic                     ends_i,     // the last pass of the current buffer starts
    input  logic                     release_i,  // the oldest used buffer is free in the next cycle
    output logic                     moves_o,
    output logic [31:0]              portion_o,  // 0..FillCycles-1
    output logic [SlotBits-1:0]      slot_o,
    output logic [31:0]              index_o,
    output logic                     buffer_o,
    output logic                     pass_buffer_o,
    output logic                     hold_o      // passes must wait
);

  logic [SlotBits-1:0] slot_q;
  logic [31:0]         index_q, portion_q, stationary;
  logic                buffer_q, pass_buffer_q, release_buffer_q, last_portion, last_index;
  logic [1:0]          used_d, used_q, filled_d, filled_q;

  assign stationary   = rows_i[32'(slot_q)*RowBits+mma_pkg::FieldStationary*32+:32];
  assign last_portion = portion_q + 1 == FillCycles;
  assign last_index   = !PerIndex || index_q + 1 == stationary;
  assign moves_o =
      waiting_i[slot_q] && (portion_q != '0 || !used_q[buffer_q]) && allow_i;
  assign portion_o     = portion_q;
  assign slot_o        = slot_q;
  assign index_o       = index_q;
  assign buffer_o      = buffer_q;
  assign pass_buffer_o = pass_buffer_q;
  assign hold_o        = !filled_q[pass_buffer_q];

  always_comb begin
    used_d   = used_q;
    filled_d = filled_q;
    if (release_i) used_d[release_buffer_q] = 1'b0;
    if (ends_i) filled_d[pass_buffer_q] = 1'b0;
    if (moves_o) begin
      used_d[buffer_q] = 1'b1;
      if (last_portion) filled_d[buffer_q] = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q           <= '0;
      index_q          <= '0;
      portion_q        <= '0;
      buffer_q         <= 1'b0;
      pass_buffer_q    <= 1'b0;
      release_buffer_q <= 1'b0;
      used_q           <= '0;
      filled_q         <= '0;
    end else begin
      used_q   <= used_d;
      filled_q <= filled_d;
      if (moves_o) portion_q <= last_portion ? '0 : portion_q + 1;
      if (moves_o && last_portion) begin
        buffer_q <= Buffers > 1 && !buffer_q;
        index_q  <= last_index ? '0 : index_q + 1;
        if (last_index) slot_q <= 32'(slot_q) + 1 == Slots ? '0 : slot_q + 1'b1;
      end
      if (ends_i) pass_buffer_q <= Buffers > 1 && !pass_buffer_q;
      if (release_i) release_buffer_q <= Buffers > 1 && !release_buffer_q;
    end
  end

  logic unused_rows;
  assign unused_rows = ^rows_i;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !ends_i || filled_q[pass_buffer_q])
  else $error("fill_sequencer: passes with an empty buffer");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !release_i || used_q[release_buffer_q])
  else $error("fill_sequencer: an empty buffer released");
`endif

endmodule
