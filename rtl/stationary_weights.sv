/// Blocks of B that stay in the cores while blocks of A stream through them: registers for one or
/// two blocks per core, filled column by column from the registers of the instruction.
module stationary_weights #(
    parameter int Slots          = 2,
    parameter int Cores          = 1,
    parameter int Columns        = 4,
    parameter int OperandRowBits = 64,
    parameter int Buffers        = 1,
    parameter int FillCycles     = 4,
    localparam int SlotBits      = Slots > 1 ? $clog2(Slots) : 1,
    localparam int RowBits       = mma_pkg::TableRowBits,
    localparam int BlockBits     = Columns * OperandRowBits
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic [Slots*RowBits-1:0]   rows_i,
    input  logic [Slots-1:0]           waiting_i,
    input  logic                       ends_i,         // the last pass with a block of B starts
    input  logic [31:0]                pass_cycles_i,  // cycles of that pass
    output logic                       hold_o,
    output logic [SlotBits-1:0]        read_slot_o,    // slot whose block is loaded next
    output logic [32*Cores-1:0]        read_n_o,
    output logic [32*Cores-1:0]        read_k_o,
    input  logic [Cores*BlockBits-1:0] block_i,
    output logic [Cores*BlockBits-1:0] block_o         // block for the passes
);

  logic                moves, buffer, pass_buffer, releases;
  logic [31:0]         portion, index, left_q;
  logic [SlotBits-1:0] slot;

  // A buffer is free when the last pass that uses it has started and its cycles have elapsed.
  assign releases = ends_i ? pass_cycles_i == 1 : left_q == 1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else if (ends_i) left_q <= pass_cycles_i - 1;
    else if (left_q != '0) left_q <= left_q - 1;
  end

  fill_sequencer #(
      .Slots     (Slots),
      .Buffers   (Buffers),
      .FillCycles(FillCycles),
      .PerIndex  (1'b1)
  ) fill_sequencer (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .rows_i       (rows_i),
      .waiting_i    (waiting_i),
      .allow_i      (1'b1),
      .ends_i       (ends_i),
      .release_i    (releases),
      .moves_o      (moves),
      .portion_o    (portion),
      .slot_o       (slot),
      .index_o      (index),
      .buffer_o     (buffer),
      .pass_buffer_o(pass_buffer),
      .hold_o       (hold_o)
  );

  assign read_slot_o = slot;
  logic [Cores-1:0]    unused_valid;
  logic [32*Cores-1:0] unused_m, unused_block;
  for (genvar core = 0; core < Cores; core++) begin : gen_core
    block_deal #(
        .Core        (core),
        .Cores       (Cores),
        .Organisation(mma_pkg::WeightStationary)
    ) block_deal (
        .row_i   (rows_i[32'(slot)*RowBits+:RowBits]),
        .index_i (index),
        .stream_i('0),
        .valid_o (unused_valid[core]),
        .m_o     (unused_m[32*core+:32]),
        .n_o     (read_n_o[32*core+:32]),
        .k_o     (read_k_o[32*core+:32]),
        .block_o (unused_block[32*core+:32])
    );
  end

  // Portion i of a fill covers columns i * Columns / FillCycles up to the first column of portion i
  // + 1.
  logic [Buffers*Cores*BlockBits-1:0] weights_d, weights_q;
  always_comb begin
    weights_d = weights_q;
    for (int core = 0; core < Cores; core++) begin
      for (int j = 0; j < Columns; j++) begin
        if (moves && 32'(j) >= portion * Columns / FillCycles &&
            32'(j) < (portion + 1) * Columns / FillCycles)
          weights_d[(32'(buffer)*Cores+core)*BlockBits+j*OperandRowBits+:OperandRowBits] =
              block_i[core*BlockBits+j*OperandRowBits+:OperandRowBits];
      end
    end
  end
  always_ff @(posedge clk_i) weights_q <= weights_d;
  assign block_o = weights_q[32'(pass_buffer)*Cores*BlockBits+:Cores*BlockBits];

  logic unused_deal;
  assign unused_deal = ^{unused_valid, unused_m, unused_block};

endmodule
