/// numerics::align: a term on the grid 2^(maximum - GridFractionBits). The magnitude loses the
/// digits below the grid, then takes its sign: truncation toward zero, no sticky bit. A format with
/// a coarser grid keeps the digits of mask_i only (Masked). Combinational.
module align #(
    parameter int FractionBits     = 20,  // of magnitude_i
    parameter int MagnitudeBits    = 22,  // FractionBits and the integer digits
    parameter int GridFractionBits = 23,
    parameter bit Masked           = 1'b0,
    localparam int ValueBits = GridFractionBits + 3  // sign, two integer digits, fraction
) (
    input  logic                     takes_part_i,
    input  logic                     negative_i,
    input  logic [9:0]               exponent_i,  // signed
    input  logic [MagnitudeBits-1:0] magnitude_i,
    input  logic [9:0]               maximum_i,  // signed, >= exponent_i of a term that takes part
    input  logic [ValueBits-2:0]     mask_i,     // ones: digits that are kept
    output logic [ValueBits-1:0]     value_o  // two's complement
);

  // Fraction digits of the shifter: no digit above the grid may leave before the shift.
  localparam int ShifterFractionBits =
      FractionBits > GridFractionBits ? FractionBits : GridFractionBits;
  localparam int ShifterBits = ShifterFractionBits + 2;
  localparam int IntegerBits = MagnitudeBits - FractionBits;  // 1 for c, 2 for a product

  logic [9:0]             shift;
  logic [ShifterBits-1:0] placed, shifted;
  logic [ValueBits-2:0]   kept;

  assign shift  = maximum_i - exponent_i;
  assign placed = {{(2 - IntegerBits) {1'b0}}, magnitude_i,
                   {(ShifterFractionBits - FractionBits) {1'b0}}};
  // A shift of 32 or more leaves nothing on any grid of up to 30 fraction bits.
  assign shifted = takes_part_i ? placed >> shift[4:0] : '0;
  assign kept    = shifted[ShifterBits-1-:ValueBits-1] & (mask_i | {(ValueBits-1){!Masked}});
  assign value_o = negative_i ? -{1'b0, kept} : {1'b0, kept};

  if (GridFractionBits > 30) begin : gen_grid_too_fine
    $error("align: GridFractionBits must be at most 30");
  end
  logic unused_mask;
  assign unused_mask = ^mask_i;
  if (ShifterFractionBits > GridFractionBits) begin : gen_unused
    logic unused_below_grid;
    assign unused_below_grid = ^shifted[ShifterFractionBits-GridFractionBits-1:0];
  end

endmodule
