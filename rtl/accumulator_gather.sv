/// Extracts the 8 x 4 accumulators of a pass from the C registers of m16n8: element (g, c) of row
/// half r and column half j is in lane 4g + 2j + c/2, register 2r + c%2, or for FP16 in register r,
/// half c%2 (numerics reference section 13). Combinational.
module accumulator_gather (
    input  logic          is_fp16_i,
    input  logic          row_half_i,
    input  logic          column_half_i,
    input  logic [4095:0] registers_i,  // 4 images of 32 lanes; FP16: 2
    output logic [1023:0] element_o     // (g, c) at 4g + c
);

  localparam int Image = 1024;
  logic [2*Image-1:0] pair;  // the registers of the row half
  logic [Image-1:0]   packed_register;

  assign pair            = row_half_i ? registers_i[4*Image-1:2*Image] : registers_i[2*Image-1:0];
  assign packed_register = row_half_i ? registers_i[2*Image-1:Image] : registers_i[Image-1:0];

  for (genvar g = 0; g < 8; g++) begin : gen_row
    for (genvar c = 0; c < 4; c++) begin : gen_column
      localparam int Left = 32 * (4 * g + c / 2);  // lane of column half 0
      localparam int Right = Left + 64;
      localparam int Register = Image * (c % 2);
      logic [31:0] wide;
      logic [15:0] narrow;
      assign wide = column_half_i ? pair[Register+Right+:32] : pair[Register+Left+:32];
      assign narrow = column_half_i ? packed_register[Right+16*(c%2)+:16]
                                    : packed_register[Left+16*(c%2)+:16];
      assign element_o[32*(4*g+c)+:32] = is_fp16_i ? {16'b0, narrow} : wide;
    end
  end

endmodule
