/// Writes rows of blocks of sums to the registers of C or D: the inverse of sum_gather. Everything
/// else is unchanged. Combinational.
module sum_scatter #(
    parameter int Lanes     = 1,
    parameter int Rows      = 4,
    parameter int Columns   = 4,
    parameter int ImageBits = 1024,
    localparam int BlockBits = 32 * Rows * Columns
) (
    input  logic [mma_pkg::TableRowBits-1:0] row_i,
    input  logic [ImageBits-1:0]             image_i,
    input  logic [32*Lanes-1:0]              m_i,
    input  logic [32*Lanes-1:0]              n_i,
    input  logic [Lanes*Rows-1:0]            write_i,  // rows of each lane that are written
    input  logic [Lanes*BlockBits-1:0]       block_i,
    output logic [ImageBits-1:0]             image_o
);

  localparam int HalfWords = ImageBits / 16;

  logic [31:0] m, n, pass_rows, pass_columns, of_block, element, row, column, i, j;
  logic        is_fp16, has_halves;
  assign m            = row_i[mma_pkg::FieldM*32+:32];
  assign n            = row_i[mma_pkg::FieldN*32+:32];
  assign pass_rows    = row_i[mma_pkg::FieldPassRows*32+:32];
  assign pass_columns = row_i[mma_pkg::FieldPassColumns*32+:32];
  assign is_fp16      = row_i[mma_pkg::FieldFp16*32];
  assign has_halves   = m > 8;
  assign of_block     = has_halves ? n >> 1 : n >> 2;  // elements of a thread in a block of rows

  // Each register field selects its element.
  always_comb begin
    element      = '0;
    row          = '0;
    column       = '0;
    i            = '0;
    j            = '0;
    image_o      = image_i;
    for (int h = 0; h < HalfWords; h++) begin
      // Half words of a register are two elements of FP16, or one of 32 bits.
      element = is_fp16 ? 32'(2 * (h / 64) + h % 2) : 32'(h / 64);
      row     = 32'(h % 64 / 8);
      column  = 32'(h % 8 / 2 * 2) + {31'b0, element[0]};
      if (has_halves) begin
        row    = row + (element / of_block) * 16 + {28'b0, element[1], 3'b0};
        column = column + ((element % of_block) >> 2) * 8;
      end else begin
        row    = row + (element / of_block) * 8;
        column = column + ((element % of_block) >> 1) * 8;
      end
      for (int lane = 0; lane < Lanes; lane++) begin
        i = row - m_i[32*lane+:32] * pass_rows;
        j = column - n_i[32*lane+:32] * pass_columns;
        if (row < m && column < n && i < pass_rows && j < pass_columns &&
            write_i[lane*Rows+i]) begin
          image_o[16*h+:16] =
              block_i[lane*BlockBits+32*(i*Columns+j)+(!is_fp16 && h%2 == 1 ? 16 : 0)+:16];
        end
      end
    end
  end

  logic unused_fields;
  assign unused_fields = ^{row_i, element, row, column, i, j, block_i};

endmodule
