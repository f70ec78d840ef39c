/// When a sub-core may issue the next matrix instruction: the array is busy for one cycle per pass
/// of an instruction; cycles in which the array stalls do not count.
module issue_slot #(
    parameter int MaxPasses = 128,
    localparam int CountBits = $clog2(MaxPasses + 1)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 valid_i,    // an instruction is issued
    output logic                 ready_o,    // an instruction may be issued
    input  logic [CountBits-1:0] passes_i,   // passes of the instruction, 1..MaxPasses
    input  logic                 stalled_i   // the array stalls
);

  logic [CountBits-1:0] left_d, left_q;  // cycles after this one for which the array is reserved

  assign ready_o = left_q == '0;

  always_comb begin
    left_d = left_q;
    if (left_q != '0 && !stalled_i) left_d = left_q - 1'b1;
    if (valid_i && ready_o) left_d = passes_i - 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else left_q <= left_d;
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !valid_i || passes_i != '0)
  else $error("issue_slot: an instruction without passes");
`endif

endmodule
