/// The rows of A, or the columns of B, of the instructions in a warp_mma: written register by
/// register in the layout of the lanes, read in the layout that each core needs for a pass.
///
/// Lanes 4g to 4g + 3 of a register hold 128 bits of line g of a block of 8 lines, or of one of the
/// two halves of a block of 16 (numerics::Fragment). What is beyond the matrix reads as zero.
module operand_rows #(
    parameter int Slots     = 2,    // instructions
    parameter int Lines     = 8,   // most lines of an instruction
    parameter int RowBits   = 256,  // most bits of a line
    parameter bit IsA       = 1'b1,  // A has two halves if it has more than 8 rows
    parameter int Ports     = 1,    // registers that arrive per cycle
    parameter int Cores     = 1,
    parameter int PassLines = 4,    // of mma_array, like the following ones
    parameter int PassBits  = 64,
    localparam int SlotBits = Slots > 1 ? $clog2(Slots) : 1,
    localparam int TableRowBits = mma_pkg::TableRowBits
) (
    input  logic                                clk_i,
    input  logic [SlotBits-1:0]                 load_slot_i,
    input  logic [TableRowBits-1:0]             load_row_i,  // of the table
    input  logic [Ports-1:0]                    load_valid_i,
    input  logic [32*Ports-1:0]                 load_register_i,
    input  logic [1024*Ports-1:0]               load_data_i,
    input  logic [SlotBits-1:0]                 read_slot_i,
    input  logic [TableRowBits-1:0]             read_row_i,
    input  logic [32*Cores-1:0]                 read_block_i,  // block of lines for each core
    input  logic [32*Cores-1:0]                 read_k_i,
    output logic [Cores*PassLines*PassBits-1:0] operand_o
);

  // A pass may begin in the last row and end after it.
  localparam int StoreBits = Lines * RowBits + PassBits;
  localparam int CountField = IsA ? mma_pkg::FieldM : mma_pkg::FieldN;
  localparam int LinesField = IsA ? mma_pkg::FieldPassRows : mma_pkg::FieldPassColumns;

  logic [StoreBits-1:0] store_q [Slots];

  // The destination of the 128 bits of lanes 4g.. of each register, given for g = 0.
  logic [31:0]         chunks, halves;
  logic [32*Ports-1:0] place;
  logic [31:0]         number, in_block;
  assign chunks = load_row_i[mma_pkg::FieldRowBits*32+:32] / 32'd128;
  assign halves = IsA && load_row_i[CountField*32+:32] > 32'd8 ? 32'd2 : 32'd1;
  always_comb begin
    number   = '0;
    in_block = '0;
    place    = '0;
    for (int p = 0; p < Ports; p++) begin
      number   = load_register_i[32*p+:32];
      in_block = number % (halves * chunks);
      place[32*p+:32] = (8 * halves * (number / (halves * chunks)) + 8 * (in_block % halves)) *
              RowBits + 128 * (in_block / halves);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int p = 0; p < Ports; p++) begin
      for (int g = 0; g < 8; g++) begin
        if (load_valid_i[p])
          store_q[load_slot_i][place[32*p+:32]+g*RowBits+:128] <= load_data_i[1024*p+128*g+:128];
      end
    end
  end

  logic [31:0] count, lines, pass_bits, row_bits;
  assign count     = read_row_i[CountField*32+:32];
  assign lines     = read_row_i[LinesField*32+:32];
  assign pass_bits = read_row_i[mma_pkg::FieldPassBits*32+:32];
  assign row_bits  = read_row_i[mma_pkg::FieldRowBits*32+:32];

  for (genvar c = 0; c < Cores; c++) begin : gen_core
    logic [31:0]         first, first_bit, left;
    logic [PassBits-1:0] mask;
    assign first     = read_block_i[32*c+:32] * lines;
    assign first_bit = read_k_i[32*c+:32] * pass_bits;
    assign left      = row_bits > first_bit ? row_bits - first_bit : '0;
    assign mask      = ~({PassBits{1'b1}} << (left < pass_bits ? left : pass_bits));
    for (genvar i = 0; i < PassLines; i++) begin : gen_line
      logic [31:0] bit_of_line;
      logic        unused_high_bits;
      assign unused_high_bits = ^bit_of_line;
      assign bit_of_line = (first + 32'(i)) * RowBits + first_bit;
      assign operand_o[(c*PassLines+i)*PassBits+:PassBits] =
          32'(i) < lines && first + 32'(i) < count ?
          store_q[read_slot_i][bit_of_line+:PassBits] & mask : '0;
    end
  end

  logic unused_rows;
  assign unused_rows = ^{load_row_i, read_row_i, place};

endmodule
