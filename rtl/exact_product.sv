/// numerics::multiply: the exact product of two decoded operands, not normalised: significands in
/// [1, 2) give one in [1, 4) with the plain sum of the exponents. Combinational.
module exact_product (
    input  mma_pkg::operand_t a_i,
    input  mma_pkg::operand_t b_i,
    output mma_pkg::product_t product_o
);

  logic any_nan, any_infinity, any_zero;

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
    product_o.magnitude = {11'b0, a_i.magnitude} * {11'b0, b_i.magnitude};
  end

endmodule
