/// Counts the registers of A and B of an instruction as they arrive: first those of A, then those
/// of B, each as often as the table states. The first ones arrive in the cycle of issue.
module operand_loader #(
    parameter int SlotBits  = 1,
    parameter int Ports     = 1,  // registers per cycle
    localparam int RowBits  = mma_pkg::TableRowBits
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                issued_i,
    input  logic [SlotBits-1:0] slot_i,
    input  logic [RowBits-1:0]  row_i,         // of the instruction table
    input  logic                valid_i,       // registers arrive in this cycle
    output logic                loading_o,     // an issued instruction lacks registers
    output logic [SlotBits-1:0] slot_o,
    output logic [RowBits-1:0]  row_o,
    output logic [Ports-1:0]    valid_a_o,     // a register of A arrives on the port
    output logic [Ports-1:0]    valid_b_o,
    output logic [32*Ports-1:0] register_a_o,  // its number
    output logic [32*Ports-1:0] register_b_o,
    output logic                last_o         // these are the last ones
);

  logic                loads, loading_q;
  logic [SlotBits-1:0] slot_q;
  logic [RowBits-1:0]  row_q;
  logic [31:0]         position_q, position, registers_a, registers_b, reads_a, reads;

  assign loads       = (issued_i || loading_q) && valid_i;
  assign loading_o   = loading_q;
  assign slot_o      = issued_i ? slot_i : slot_q;
  assign row_o       = issued_i ? row_i : row_q;
  assign position    = issued_i ? '0 : position_q;
  assign registers_a = row_o[mma_pkg::FieldRegistersA*32+:32];
  assign registers_b = row_o[mma_pkg::FieldRegistersB*32+:32];
  assign reads_a     = registers_a * row_o[mma_pkg::FieldReadsA*32+:32];
  assign reads       = reads_a + registers_b * row_o[mma_pkg::FieldReadsB*32+:32];
  assign last_o      = loads && position + Ports >= reads;

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    logic [31:0] at;
    assign at                      = position + p;
    assign valid_a_o[p]            = loads && at < reads_a;
    assign valid_b_o[p]            = loads && at >= reads_a && at < reads;
    assign register_a_o[32*p+:32]  = at % registers_a;
    assign register_b_o[32*p+:32]  = (at - reads_a) % registers_b;
  end

  always_ff @(posedge clk_i) begin
    if (issued_i) begin
      slot_q <= slot_i;
      row_q  <= row_i;
    end
    if (issued_i || loads) position_q <= loads ? position + Ports : '0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) loading_q <= 1'b0;
    else loading_q <= (issued_i || loading_q) && !last_o;
  end

  logic unused_row;
  assign unused_row = ^row_o;

endmodule
