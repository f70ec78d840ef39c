/// Extracts blocks of sums from the registers of C or D (numerics::Fragment): one block of a pass
/// for each lane. The fragment consists of those of m16n8, or m8n8 if m is 8, one after another
/// along m and within that along n. Elements beyond the matrix are zero. Combinational.
module sum_gather #(
    parameter int Lanes     = 1,     // blocks
    parameter int Rows      = 4,     // of a block
    parameter int Columns   = 4,
    parameter int ImageBits = 1024,  // bits of the registers of a warp
    localparam int BlockBits = 32 * Rows * Columns
) (
    input  logic [mma_pkg::TableRowBits-1:0] row_i,    // of the table
    input  logic [ImageBits-1:0]             image_i,
    input  logic [32*Lanes-1:0]              m_i,      // which block of each lane
    input  logic [32*Lanes-1:0]              n_i,
    output logic [Lanes*BlockBits-1:0]       block_o   // (i, j) in 32 bits at i * Columns + j
);

  logic [31:0] m, n, pass_rows, pass_columns, row, column, element, place;
  logic        is_fp16, has_halves;
  assign m            = row_i[mma_pkg::FieldM*32+:32];
  assign n            = row_i[mma_pkg::FieldN*32+:32];
  assign pass_rows    = row_i[mma_pkg::FieldPassRows*32+:32];
  assign pass_columns = row_i[mma_pkg::FieldPassColumns*32+:32];
  assign is_fp16      = row_i[mma_pkg::FieldFp16*32];
  assign has_halves   = m > 8;

  always_comb begin
    row     = '0;
    column  = '0;
    element = '0;
    place   = '0;
    block_o = '0;
    for (int lane = 0; lane < Lanes; lane++) begin
      for (int i = 0; i < Rows; i++) begin
        for (int j = 0; j < Columns; j++) begin
          row    = m_i[32*lane+:32] * pass_rows + 32'(i);
          column = n_i[32*lane+:32] * pass_columns + 32'(j);
          if (has_halves)
            element = (n >> 1) * (row >> 4) + {31'b0, column[0]} + {30'b0, row[3], 1'b0} +
                ((column >> 3) << 2);
          else element = (n >> 2) * (row >> 3) + {31'b0, column[0]} + ((column >> 3) << 1);
          place = {27'b0, row[2:0], column[2:1]} * 32'd32;
          if (32'(i) < pass_rows && 32'(j) < pass_columns && row < m && column < n) begin
            if (is_fp16)
              block_o[lane*BlockBits+32*(i*Columns+j)+:32] =
                  {16'b0, image_i[(element>>1)*1024+place+{27'b0, element[0], 4'b0}+:16]};
            else block_o[lane*BlockBits+32*(i*Columns+j)+:32] = image_i[element*1024+place+:32];
          end
        end
      end
    end
  end

  logic unused_fields;
  assign unused_fields = ^{row_i, element, place, row, column};

endmodule
