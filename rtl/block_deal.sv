/// Which blocks a core works on in the pass (index, stream) of an instruction: block rows, block
/// columns and block position along k, and the number of the block of sums. Combinational.
///
/// Blocks of sums are dealt to the cores in turn, and stream is the round along k. If B is
/// stationary, blocks of B are dealt instead, with k running fastest; `sharing` cores hold the same
/// one, and stream counts the blocks of rows that pass through each. Cores must not hold blocks of
/// different k at once: they would add to the same sums in one pass (sim/core_rtl refuses this).
module block_deal #(
    parameter int Core         = 0,
    parameter int Cores        = 1,
    parameter int Organisation = 0
) (
    input  logic [mma_pkg::TableRowBits-1:0] row_i,  // of the instruction table
    input  logic [31:0]                      index_i,
    input  logic [31:0]                      stream_i,
    output logic                             valid_o,  // the core has work
    output logic [31:0]                      m_o,
    output logic [31:0]                      n_o,
    output logic [31:0]                      k_o,
    output logic [31:0]                      block_o
);

  logic [31:0] blocks_m, blocks_n, blocks_k;
  assign blocks_m = row_i[mma_pkg::FieldBlocksM*mma_pkg::FieldBits+:32];
  assign blocks_n = row_i[mma_pkg::FieldBlocksN*mma_pkg::FieldBits+:32];
  assign blocks_k = row_i[mma_pkg::FieldBlocksK*mma_pkg::FieldBits+:32];

  if (Organisation == mma_pkg::WeightStationary) begin : gen_weights
    logic [31:0] sharing, weights;
    assign sharing = row_i[mma_pkg::FieldSharing*mma_pkg::FieldBits+:32];
    assign weights = index_i * (32'(Cores) / sharing) + 32'(Core) / sharing;
    assign m_o     = stream_i * sharing + 32'(Core) % sharing;
    assign n_o     = weights / blocks_k;
    assign k_o     = weights % blocks_k;
    assign valid_o = 32'(Core) / sharing < 32'(Cores) / sharing && m_o < blocks_m && n_o < blocks_n;
    assign block_o = m_o * blocks_n + n_o;
  end else begin : gen_sums
    logic unused_blocks_k;
    assign unused_blocks_k = ^blocks_k;
    assign block_o         = index_i * 32'(Cores) + 32'(Core);
    assign m_o             = block_o / blocks_n;
    assign n_o             = block_o % blocks_n;
    assign k_o             = stream_i;
    assign valid_o         = m_o < blocks_m;
  end

  logic unused_fields;
  assign unused_fields = ^row_i;

endmodule
