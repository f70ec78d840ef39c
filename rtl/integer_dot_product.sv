/// numerics::integer_mma without saturation: d = c + a[0]*b[0] + ... of signed 8-bit elements,
/// modulo 2^32. The registers are at the cuts of dot_product_accumulate, so both take the same
/// number of cycles. They load only for integer operations, so they cost nothing otherwise.
module integer_dot_product #(
    parameter int Products        = 16,
    parameter bit RegisterTerms   = 1'b1,
    parameter bit RegisterAligned = 1'b1,
    parameter bit RegisterSum     = 1'b1,
    parameter bit RegisterResult  = 1'b1
) (
    input  logic                  clk_i,
    input  logic [3:0]            load_i,  // terms, aligned, sum, result
    input  logic                  active_i,  // operands are integers; 0 keeps the multipliers idle
    input  logic [8*Products-1:0] a_i,
    input  logic [8*Products-1:0] b_i,
    input  logic [31:0]           c_i,
    output logic [31:0]           d_o
);


  localparam int TermBits = 32;
  localparam int Terms = Products + 1;

  logic [Terms*TermBits-1:0] terms_d, terms;
  logic signed [15:0]        product;

  always_comb begin
    terms_d = '0;
    product = '0;
    if (active_i) begin
      for (int k = 0; k < Products; k++) begin
        product                       = $signed(a_i[8*k+:8]) * $signed(b_i[8*k+:8]);
        terms_d[k*TermBits+:TermBits] = {{16{product[15]}}, product};
      end
      terms_d[Products*TermBits+:TermBits] = c_i;
    end
  end

  if (RegisterTerms) begin : gen_terms
    logic [Terms*TermBits-1:0] terms_q;
    always_ff @(posedge clk_i) if (load_i[0]) terms_q <= terms_d;
    assign terms = terms_q;
  end else begin : gen_terms_wire
    assign terms = terms_d;
  end

  logic [31:0] sum_d, sum_aligned, sum;
  term_sum #(
      .Terms   (Terms),
      .TermBits(TermBits),
      .SumBits (TermBits)
  ) term_sum (
      .term_i(terms),
      .sum_o (sum_d)
  );

  if (RegisterAligned) begin : gen_aligned
    logic [31:0] sum_q;
    always_ff @(posedge clk_i) if (load_i[1]) sum_q <= sum_d;
    assign sum_aligned = sum_q;
  end else begin : gen_aligned_wire
    assign sum_aligned = sum_d;
  end

  if (RegisterSum) begin : gen_sum
    logic [31:0] sum_q;
    always_ff @(posedge clk_i) if (load_i[2]) sum_q <= sum_aligned;
    assign sum = sum_q;
  end else begin : gen_sum_wire
    assign sum = sum_aligned;
  end

  if (RegisterResult) begin : gen_result
    logic [31:0] pattern_q;
    always_ff @(posedge clk_i) if (load_i[3]) pattern_q <= sum;
    assign d_o = pattern_q;
  end else begin : gen_result_wire
    assign d_o = sum;
  end

  // Unused if a cut has no register.
  logic unused_load;
  assign unused_load = ^load_i ^ clk_i;

endmodule
