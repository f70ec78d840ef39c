/// numerics::multiply: the exact product of two decoded operands, not normalised: significands in
/// [1, 2) give one in [1, 4) with the plain sum of the exponents. If significands have at most
/// `Digits` digits, only those upper digits are multiplied. Combinational.
module exact_product #(
    parameter int Digits = mma_pkg::OperandFractionBits + 1
) (
    input  mma_pkg::operand_t a_i,
    input  mma_pkg::operand_t b_i,
    output mma_pkg::product_t product_o
);

  localparam int Below = mma_pkg::OperandFractionBits + 1 - Digits;  // digits that are zero
  logic any_nan, any_infinity, any_zero;
  logic [2*Digits-1:0] magnitude;

  assign magnitude = {{Digits{1'b0}}, a_i.magnitude[Below+:Digits]} *
                     {{Digits{1'b0}}, b_i.magnitude[Below+:Digits]};

  assign any_nan = a_i.value_class == mma_pkg::ClassNan || b_i.value_class == mma_pkg::ClassNan;
  assign any_infinity =
      a_i.value_class == mma_pkg::ClassInfinity || b_i.value_class == mma_pkg::ClassInfinity;
  assign any_zero = a_i.value_class == mma_pkg::ClassZero || b_i.value_class == mma_pkg::ClassZero;

  always_comb begin
    product_o.value_class = mma_pkg::ClassFinite;
    if (any_nan || (any_infinity && any_zero)) product_o.value_class = mma_pkg::ClassNan;
    else if (any_infinity) product_o.value_class = mma_pkg::ClassInfinity;
    else if (any_zero) product_o.value_class = mma_pkg::ClassZero;
    product_o.negative  = a_i.negative ^ b_i.negative;
    product_o.exponent  = a_i.exponent + b_i.exponent;
    product_o.magnitude = '0;
    product_o.magnitude[2*Below+:2*Digits] = magnitude;
  end

  if (Below > 0) begin : gen_unused
    logic unused_digits;
    assign unused_digits = ^{a_i.magnitude[Below-1:0], b_i.magnitude[Below-1:0]};
  end

endmodule
