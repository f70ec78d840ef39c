/// Assembles one D register of m16n8 from the results of both column halves of a row half: the
/// inverse of accumulator_gather. Combinational.
module accumulator_scatter (
    input  logic          is_fp16_i,
    input  logic          odd_i,      // second register of the row half; FP16 has only one
    input  logic [2047:0] element_i,  // column half j, (g, c) at 32 j + 4g + c
    output logic [1023:0] register_o
);

  for (genvar g = 0; g < 8; g++) begin : gen_row
    for (genvar q = 0; q < 4; q++) begin : gen_lane
      // Columns 2q and 2q + 1 of the row.
      localparam int Even = 1024 * (q / 2) + 32 * (4 * g + 2 * (q % 2));
      logic [31:0] even, odd;
      assign even = element_i[Even+:32];
      assign odd  = element_i[Even+32+:32];
      assign register_o[32*(4*g+q)+:32] = is_fp16_i ? {odd[15:0], even[15:0]} : odd_i ? odd : even;
    end
  end

endmodule
