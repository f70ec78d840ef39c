/// Selects the pass that the cores of a warp_mma start next. Each instruction is in a slot and goes
/// through its passes in order: rounds over all its blocks of sums, or, if an operand is stationary
/// (IndexOuter), everything that streams through one block before the next block. A pass starts
/// when the sums that it adds to are available: one bit per block, cleared when a pass starts and
/// set when its sums return.
///
/// Interleave: the oldest instruction that can start goes. Otherwise only the oldest one may, and
/// only while `hold_i` is 0.
module pass_sequencer #(
    parameter int Slots        = 2,
    parameter int Cores        = 1,
    parameter int Organisation = 0,
    parameter int MostBlocks   = 4,  // blocks of sums of an instruction
    localparam bit Interleave  = Organisation == mma_pkg::DotProduct,
    localparam bit IndexOuter  = Organisation == mma_pkg::OutputStationary ||
        Organisation == mma_pkg::WeightStationary,
    localparam int SlotBits    = Slots > 1 ? $clog2(Slots) : 1,
    localparam int RowBits     = mma_pkg::TableRowBits,
    localparam int DealBits    = 32 * Cores
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic [Slots*RowBits-1:0] rows_i,       // of the instruction table, one per slot
    input  logic                     load_i,       // an instruction enters a slot
    input  logic [SlotBits-1:0]      load_slot_i,  // slots are used in turn
    input  logic [Slots-1:0]         loaded_i,     // the operands of the slot are loaded
    input  logic                     hold_i,
    input  logic                     return_i,     // sums return
    input  logic [SlotBits-1:0]      return_slot_i,
    input  logic [Cores-1:0]         return_valid_i,
    input  logic [DealBits-1:0]      return_block_i,
    output logic [Slots-1:0]         waiting_o,    // loaded, and not all of its passes have started
    output logic                     start_o,
    output logic [SlotBits-1:0]      slot_o,
    output logic [31:0]              index_o,
    output logic [31:0]              stream_o,
    output logic                     last_stream_o,  // the last pass through the stationary operand
    output logic                     last_o,         // the last pass of the instruction
    output logic [Cores-1:0]         valid_o,
    output logic [DealBits-1:0]      m_o,
    output logic [DealBits-1:0]      n_o,
    output logic [DealBits-1:0]      k_o,
    output logic [DealBits-1:0]      block_o
);

  logic [Slots-1:0]            waits_d, waits_q;  // slot waits for a pass to start
  logic [32*Slots-1:0]         index_q, stream_q;
  logic [Slots*MostBlocks-1:0] present_d, present_q, present_now;
  logic [SlotBits-1:0]         oldest_d, oldest_q;
  logic [31:0]                 busy_d, busy_q;  // cycles after this one that the pass occupies

  // Sums that return in this cycle are already available in it.
  always_comb begin
    present_now = present_q;
    for (int c = 0; c < Cores; c++) begin
      if (return_i && return_valid_i[c])
        present_now[32'(return_slot_i)*MostBlocks+return_block_i[32*c+:32]] = 1'b1;
    end
  end

  // The next pass of each slot.
  logic [Slots-1:0]          ready;
  logic [Slots*Cores-1:0]    deal_valid;
  logic [Slots*DealBits-1:0] deal_m, deal_n, deal_k, deal_block;
  for (genvar s = 0; s < Slots; s++) begin : gen_slot
    logic [Cores-1:0] missing;
    for (genvar c = 0; c < Cores; c++) begin : gen_core
      localparam int At = 32 * (s * Cores + c);
      block_deal #(
          .Core        (c),
          .Cores       (Cores),
          .Organisation(Organisation)
      ) block_deal (
          .row_i   (rows_i[s*RowBits+:RowBits]),
          .index_i (index_q[32*s+:32]),
          .stream_i(stream_q[32*s+:32]),
          .valid_o (deal_valid[s*Cores+c]),
          .m_o     (deal_m[At+:32]),
          .n_o     (deal_n[At+:32]),
          .k_o     (deal_k[At+:32]),
          .block_o (deal_block[At+:32])
      );
      assign missing[c] =
          deal_valid[s*Cores+c] && !present_now[s*MostBlocks+deal_block[At+:32]];
    end
    assign ready[s] = waits_q[s] && loaded_i[s] && missing == '0;
  end

  logic [31:0]        candidate;
  logic [RowBits-1:0] row;
  always_comb begin
    start_o = 1'b0;
    slot_o  = oldest_q;
    for (int i = Slots - 1; i >= 0; i--) begin
      candidate = (32'(oldest_q) + 32'(i)) % Slots;
      if (ready[candidate] && (i == 0 || Interleave)) begin
        start_o = busy_q == '0 && !hold_i;
        slot_o  = SlotBits'(candidate);
      end
    end
  end
  always_comb begin
    row      = rows_i[32'(slot_o)*RowBits+:RowBits];
    index_o  = index_q[32'(slot_o)*32+:32];
    stream_o = stream_q[32'(slot_o)*32+:32];
    valid_o  = deal_valid[32'(slot_o)*Cores+:Cores];
    m_o      = deal_m[32'(slot_o)*DealBits+:DealBits];
    n_o      = deal_n[32'(slot_o)*DealBits+:DealBits];
    k_o      = deal_k[32'(slot_o)*DealBits+:DealBits];
    block_o  = deal_block[32'(slot_o)*DealBits+:DealBits];
  end

  // Where the slot continues.
  logic        last_index;
  logic [31:0] next_index, next_stream;
  assign last_index    = index_o + 1 == row[mma_pkg::FieldStationary*32+:32];
  assign last_stream_o = stream_o + 1 == row[mma_pkg::FieldStreamed*32+:32];
  assign last_o        = last_index && last_stream_o;
  assign next_index    = IndexOuter ? (last_stream_o ? index_o + 1 : index_o)
                                    : (last_index ? '0 : index_o + 1);
  assign next_stream   = IndexOuter ? (last_stream_o ? '0 : stream_o + 1)
                                    : (last_index ? stream_o + 1 : stream_o);

  always_comb begin
    waits_d   = waits_q;
    present_d = present_now;
    oldest_d  = oldest_q;
    busy_d    = busy_q == '0 ? '0 : busy_q - 1;
    if (start_o) begin
      busy_d = row[mma_pkg::FieldPassCycles*32+:32] - 1;
      for (int c = 0; c < Cores; c++) begin
        if (valid_o[c]) present_d[32'(slot_o)*MostBlocks+block_o[32*c+:32]] = 1'b0;
      end
      if (last_o) waits_d[slot_o] = 1'b0;
    end
    // Slots are used in turn, so the oldest one is the first that waits.
    for (int i = 0; i < Slots; i++) begin
      if (!waits_d[oldest_d] && (waits_d != '0 || (load_i && oldest_d != load_slot_i)))
        oldest_d = 32'(oldest_d) + 1 == Slots ? '0 : oldest_d + 1'b1;
    end
    if (load_i) begin
      waits_d[load_slot_i]                                  = 1'b1;
      present_d[32'(load_slot_i)*MostBlocks+:MostBlocks] = '1;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int s = 0; s < Slots; s++) begin
      if (load_i && load_slot_i == SlotBits'(s)) begin
        index_q[32*s+:32]  <= '0;
        stream_q[32*s+:32] <= '0;
      end else if (start_o && slot_o == SlotBits'(s)) begin
        index_q[32*s+:32]  <= next_index;
        stream_q[32*s+:32] <= next_stream;
      end
    end
    present_q <= present_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q  <= '0;
      oldest_q <= '0;
      busy_q   <= '0;
    end else begin
      waits_q  <= waits_d;
      oldest_q <= oldest_d;
      busy_q   <= busy_d;
    end
  end

  assign waiting_o = waits_q & loaded_i;

  logic unused_row;
  assign unused_row = ^{row, candidate};

endmodule
