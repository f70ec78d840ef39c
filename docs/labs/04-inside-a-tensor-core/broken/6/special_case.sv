/// The special-value rules of a block, numerics reference section 6, in their order of precedence:
/// NaN operand, infinity times zero, infinities of both signs, infinity. Combinational.
module special_case #(
    parameter int Products = 4
) (
    input  logic [2*Products-1:0] a_class_i,  // mma_pkg::value_class_e each
    input  logic [2*Products-1:0] b_class_i,
    input  logic [2*Products-1:0] product_class_i,
    input  logic [Products-1:0]   product_negative_i,
    input  logic [1:0]            c_class_i,
    input  logic                  c_negative_i,
    output logic [2:0]            special_o,  // mma_pkg::special_case_e
    output logic                  negative_o  // of SpecialInfinity
);

  logic nan_operand, nan_product, positive_infinity, negative_infinity;

  always_comb begin
    nan_operand       = c_class_i == mma_pkg::ClassNan;
    nan_product       = 1'b0;
    positive_infinity = c_class_i == mma_pkg::ClassInfinity && !c_negative_i;
    negative_infinity = c_class_i == mma_pkg::ClassInfinity && c_negative_i;
    for (int k = 0; k < Products; k++) begin
      if (a_class_i[2*k+:2] == mma_pkg::ClassNan) nan_operand = 1'b1;
      if (b_class_i[2*k+:2] == mma_pkg::ClassNan) nan_operand = 1'b1;
      if (product_class_i[2*k+:2] == mma_pkg::ClassNan) nan_product = 1'b1;
      if (product_class_i[2*k+:2] == mma_pkg::ClassInfinity) begin
        if (product_negative_i[k]) negative_infinity = 1'b1;
        else positive_infinity = 1'b1;
      end
    end
  end

  always_comb begin
    special_o = mma_pkg::SpecialNone;
    if (nan_operand) special_o = mma_pkg::SpecialNanOperand;
    else if (nan_product) special_o = mma_pkg::SpecialInfinityTimesZero;
    else if (1'b0 && negative_infinity) special_o = mma_pkg::SpecialOppositeInfinities;
    else if (positive_infinity || negative_infinity) special_o = mma_pkg::SpecialInfinity;
  end
  assign negative_o = negative_infinity;

endmodule
