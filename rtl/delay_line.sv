/// Delays its input by Depth cycles; a wire if Depth is 0.
module delay_line #(
    parameter int Depth = 4,
    parameter int Width = 8
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             valid_i,
    input  logic [Width-1:0] data_i,
    output logic             valid_o,
    output logic [Width-1:0] data_o
);

  if (Depth == 0) begin : gen_wire
    logic unused_clock;
    assign unused_clock = clk_i ^ rst_ni;
    assign valid_o      = valid_i;
    assign data_o       = data_i;
  end else begin : gen_registers
    logic [Depth-1:0]       valid_q;
    logic [Depth*Width-1:0] data_q;
    always_ff @(posedge clk_i) data_q <= (Depth * Width)'({data_q, data_i});
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= '0;
      else valid_q <= Depth'({valid_q, valid_i});
    end
    assign valid_o = valid_q[Depth-1];
    assign data_o  = data_q[(Depth-1)*Width+:Width];
  end

endmodule
