/// Extracts the operands of a 4x4x4 pass from the registers of mma.sync m8n8k4, numerics reference
/// sections 12 and 13. Thread t of quad pair p is lane t % 4 + 4p + 16 (t / 4); rows 4..7 of A and
/// D are those of band 1. Combinational.
module quad_pair_gather (
    input  logic [1:0]    pair_i,
    input  logic          band_i,            // FP16: whose rows
    input  logic          is_fp16_i,
    input  logic [1:0]    step_i,            // of HMMA.884
    input  logic          a_column_major_i,
    input  logic          b_row_major_i,
    input  logic [2047:0] a_i,               // two images of 32 lanes each
    input  logic [2047:0] b_i,
    input  logic [2047:0] c_i,
    output logic [255:0]  a_o,               // mma_4x4x4
    output logic [255:0]  b_o,
    output logic [511:0]  c_o
);

  localparam int Image = 1024;

  // Registers of the eight threads of the pair: {register 1, register 0} at 64 t.
  logic [511:0] a_pair, b_pair, c_pair;

  for (genvar t = 0; t < 8; t++) begin : gen_thread
    localparam int Lane = 32 * (t % 4 + 16 * (t / 4));  // of pair 0; pairs are 4 lanes apart
    always_comb begin
      a_pair[64*t+:64] = {a_i[Image+Lane+:32], a_i[Lane+:32]};
      b_pair[64*t+:64] = {b_i[Image+Lane+:32], b_i[Lane+:32]};
      c_pair[64*t+:64] = {c_i[Image+Lane+:32], c_i[Lane+:32]};
      for (int p = 1; p < 4; p++) begin
        if (pair_i == 2'(p)) begin
          a_pair[64*t+:64] = {a_i[Image+Lane+128*p+:32], a_i[Lane+128*p+:32]};
          b_pair[64*t+:64] = {b_i[Image+Lane+128*p+:32], b_i[Lane+128*p+:32]};
          c_pair[64*t+:64] = {c_i[Image+Lane+128*p+:32], c_i[Lane+128*p+:32]};
        end
      end
    end
  end

  // All rows of A and columns of B, k from the low bits up.
  logic [511:0] a_rows, b_columns;
  for (genvar line = 0; line < 8; line++) begin : gen_line
    for (genvar k = 0; k < 4; k++) begin : gen_k
      localparam int Own = 64 * line + 16 * k;
      localparam int Spread = 64 * (4 * (line / 4) + k) + 16 * (line % 4);
      assign a_rows[Own+:16]    = a_column_major_i ? a_pair[Spread+:16] : a_pair[Own+:16];
      assign b_columns[Own+:16] = b_row_major_i ? b_pair[Spread+:16] : b_pair[Own+:16];
    end
  end

  logic column_half;
  assign column_half = is_fp16_i ? step_i[0] : step_i[1];
  assign b_o         = column_half ? b_columns[511:256] : b_columns[255:0];

  // FP32: rows 0, 1 of the array are local rows of band 0, rows 2, 3 the same of band 1.
  logic [255:0] a_of_step, a_of_band;
  assign a_of_step = step_i[0] ? {a_rows[511:384], a_rows[255:128]}
                               : {a_rows[383:256], a_rows[127:0]};
  assign a_of_band = band_i ? a_rows[511:256] : a_rows[255:0];
  assign a_o       = is_fp16_i ? a_of_band : a_of_step;

  for (genvar i = 0; i < 4; i++) begin : gen_row
    for (genvar c = 0; c < 4; c++) begin : gen_column
      localparam int Wide = 64 * (i % 2 + (c / 2) * 2 + 4 * (i / 2)) + 32 * (c % 2);
      localparam int Narrow = 64 * i + 16 * c;
      logic [15:0] narrow;
      assign narrow = band_i ? c_pair[256+Narrow+:16] : c_pair[Narrow+:16];
      assign c_o[32*(4*i+c)+:32] = is_fp16_i ? {16'b0, narrow} : c_pair[Wide+:32];
    end
  end

endmodule
