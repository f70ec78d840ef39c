/// Sums that stay in no core: each pass reads them from the registers of its instruction and writes
/// them back. Sums that return in the cycle in which a pass needs them are forwarded to it.
/// Combinational.
module passing_sums #(
    parameter int SlotBits  = 1,
    parameter int Cores     = 1,
    parameter int Rows      = 4,
    parameter int Columns   = 4,
    parameter int ImageBits = 1024,
    localparam int RowBits  = mma_pkg::TableRowBits,
    localparam int DealBits = 32 * Cores,
    localparam int BlockBits = 32 * Rows * Columns
) (
    input  logic [RowBits-1:0]         row_i,            // of the instruction table, for a pass
    input  logic [ImageBits-1:0]       image_i,          // registers of its instruction
    input  logic [SlotBits-1:0]        slot_i,
    input  logic [Cores-1:0]           valid_i,
    input  logic [DealBits-1:0]        m_i,
    input  logic [DealBits-1:0]        n_i,
    input  logic [DealBits-1:0]        block_i,
    output logic [Cores*BlockBits-1:0] c_o,
    input  logic                       return_i,         // of another pass
    input  logic [RowBits-1:0]         return_row_i,
    input  logic [SlotBits-1:0]        return_slot_i,
    input  logic [Cores-1:0]           return_valid_i,
    input  logic [DealBits-1:0]        return_m_i,
    input  logic [DealBits-1:0]        return_n_i,
    input  logic [DealBits-1:0]        return_block_i,
    input  logic [Cores*BlockBits-1:0] d_i,
    input  logic [ImageBits-1:0]       write_image_i,    // registers of its instruction
    output logic [ImageBits-1:0]       written_image_o   // with what returns
);

  logic [Cores*BlockBits-1:0] c_of_registers;
  sum_gather #(
      .Lanes    (Cores),
      .Rows     (Rows),
      .Columns  (Columns),
      .ImageBits(ImageBits)
  ) sum_gather (
      .row_i  (row_i),
      .image_i(image_i),
      .m_i    (m_i),
      .n_i    (n_i),
      .block_o(c_of_registers)
  );
  always_comb begin
    c_o = c_of_registers;
    for (int i = 0; i < Cores; i++) begin
      for (int j = 0; j < Cores; j++) begin
        if (return_i && return_slot_i == slot_i && valid_i[i] && return_valid_i[j] &&
            return_block_i[32*j+:32] == block_i[32*i+:32])
          c_o[i*BlockBits+:BlockBits] = d_i[j*BlockBits+:BlockBits];
      end
    end
  end

  logic [Cores*Rows-1:0] written_rows;
  for (genvar core = 0; core < Cores; core++) begin : gen_written
    assign written_rows[core*Rows+:Rows] = {Rows{return_i && return_valid_i[core]}};
  end
  sum_scatter #(
      .Lanes    (Cores),
      .Rows     (Rows),
      .Columns  (Columns),
      .ImageBits(ImageBits)
  ) sum_scatter (
      .row_i  (return_row_i),
      .image_i(write_image_i),
      .m_i    (return_m_i),
      .n_i    (return_n_i),
      .write_i(written_rows),
      .block_i(d_i),
      .image_o(written_image_o)
  );

endmodule
