/// Shifts a magnitude left until its top bit is set, but by no more than `limit_i`: the limit is
/// where the exponent would fall below that of the subnormals. Combinational.
module normalize #(
    parameter int Width = 32  // at most 64
) (
    input  logic [Width-1:0] magnitude_i,
    input  logic [9:0]       limit_i,      // unsigned
    output logic [Width-1:0] normalized_o,
    output logic [5:0]       shift_o
);

  logic [63:0] probe;
  logic [5:0]  leading_zeros;

  // Halving search for the leading one.
  always_comb begin
    probe         = {magnitude_i, {(64 - Width) {1'b0}}};
    leading_zeros = '0;
    for (int i = 5; i >= 0; i--) begin
      if (probe >> (64 - (1 << i)) == '0) begin
        leading_zeros[i] = 1'b1;
        probe            = probe << (1 << i);
      end
    end
  end

  assign shift_o      = leading_zeros;
  assign normalized_o = magnitude_i << shift_o;

endmodule
