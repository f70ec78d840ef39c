/// Registers of one half step of an instruction, filled one after another and released together.
module operand_bank #(
    parameter int Registers = 2,
    parameter int Width     = 1024,
    localparam int CountBits = $clog2(Registers + 1)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       valid_i,
    output logic                       ready_o,
    input  logic [Width-1:0]           data_i,
    input  logic [CountBits-1:0]       registers_i,  // as many make it full, 1..Registers
    output logic                       fills_o,      // the register of this cycle is the last
    output logic                       full_o,
    input  logic                       release_i,    // requires full_o
    output logic [Registers*Width-1:0] data_o
);

  logic [CountBits-1:0] count_d, count_q;
  logic                 full_d, full_q;
  logic                 taken;

  assign ready_o = !full_q;
  assign taken   = valid_i && ready_o;
  assign fills_o = taken && count_q + 1'b1 == registers_i;
  assign full_o  = full_q;

  always_comb begin
    count_d = count_q;
    full_d  = full_q;
    if (release_i) full_d = 1'b0;
    if (taken) count_d = count_q + 1'b1;
    if (fills_o) begin
      count_d = '0;
      full_d  = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      full_q  <= 1'b0;
    end else begin
      count_q <= count_d;
      full_q  <= full_d;
    end
  end

  for (genvar i = 0; i < Registers; i++) begin : gen_register
    logic [Width-1:0] data_q;
    always_ff @(posedge clk_i) if (taken && count_q == i) data_q <= data_i;
    assign data_o[i*Width+:Width] = data_q;
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !release_i || full_o)
  else $error("operand_bank: released before it was full");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !valid_i || registers_i != '0)
  else $error("operand_bank: an operand without registers");
`endif

endmodule
