/// numerics::trace_block: d = c + a[0]*b[0] + ... with one alignment and one rounding; a and b are
/// decoded before. Four cuts may hold a register: terms, aligned, sum, result. The handshake is
/// outside (mma_array); load_i advances the register of a cut. The registers are named as in
/// numerics::BlockTrace, with which the simulation compares them.
///
/// Grid, floor and kept bits may differ between formats: GridFractionBits is the finest grid, and a
/// format with a coarser one drops the digits below it. A block that an operation does not need
/// (active_i 0, with CanPass) returns c unchanged. Products from WideProducts on are for FP8 only:
/// narrow multipliers, and shifters for its grid.
module dot_product_accumulate #(
    parameter int Products             = 4,      // L
    parameter int WideProducts         = Products,
    parameter int GridFractionBits     = 23,     // F
    parameter int ExponentFloorFp32    = -131,   // with an FP32 accumulator
    parameter int ExponentFloorFp16    = -20,    // with an FP16 accumulator
    parameter int ExponentFloorBf16    = ExponentFloorFp32,
    parameter int ExponentFloorTf32    = ExponentFloorFp32,
    parameter int GridFp16             = GridFractionBits,
    parameter int GridBf16             = GridFractionBits,
    parameter int GridTf32             = GridFractionBits,
    parameter int GridFp8              = GridFractionBits,
    parameter int KeptFp16             = 23,     // fraction bits of an FP32 result
    parameter int KeptBf16             = 23,
    parameter int KeptTf32             = 23,
    parameter int KeptFp8              = 23,
    parameter bit NearestFp32          = 1'b0,   // rounding: to nearest even; otherwise truncation
    parameter bit NearestFp16          = 1'b1,
    parameter bit UnderflowKeepsSign   = 1'b1,   // sign of a negative sum that rounds to zero
    parameter bit HasFp16Accumulator   = 1'b1,
    parameter bit Subnormals           = 1'b1,
    parameter bit CarrySave            = 1'b1,
    parameter bit RegisterTerms        = 1'b1,
    parameter bit RegisterAligned      = 1'b1,
    parameter bit RegisterSum          = 1'b1,
    parameter bit RegisterResult       = 1'b1,
    parameter bit CanPass              = 1'b0,
    localparam int Terms = Products + 1
) (
    input  logic                                     clk_i,
    input  logic [3:0]                               load_i,  // terms, aligned, sum, result
    input  logic [Products*mma_pkg::OperandBits-1:0] a_i,  // mma_pkg::operand_t each
    input  logic [Products*mma_pkg::OperandBits-1:0] b_i,
    input  logic [31:0]                              c_i,  // pattern
    input  logic                                     active_i,
    input  logic                                     c_is_fp16_i,
    input  logic                                     align_accumulate_fp16_i,  // of the operation
                                                                               // at that cut
    input  logic                                     round_accumulate_fp16_i,
    input  logic [2:0]                               align_format_i,  // mma_pkg::format_e
    input  logic [2:0]                               round_format_i,
    output logic [31:0]                              d_o
);


  localparam int ValueBits = GridFractionBits + 3;
  // |sum| < (4 * Products + 2) * 2^F: products are below 4, c is below 2; plus a sign bit.
  localparam int SumBits = GridFractionBits + $clog2(4 * Products + 2) + 1;
  localparam int OperandBits = mma_pkg::OperandBits;
  localparam int ProductBits = mma_pkg::ProductBits;
  localparam int AccumulatorBits = mma_pkg::AccumulatorBits;
  localparam bit Masked = GridFp16 != GridFractionBits || GridBf16 != GridFractionBits ||
      GridTf32 != GridFractionBits || GridFp8 != GridFractionBits;
  localparam int LeastFloorOf16 =
      ExponentFloorFp32 < ExponentFloorBf16 ? ExponentFloorFp32 : ExponentFloorBf16;
  localparam int LeastFloor =
      LeastFloorOf16 < ExponentFloorTf32 ? LeastFloorOf16 : ExponentFloorTf32;

  // Products and the special-value rules.
  logic [Products*ProductBits-1:0] products_d, products;
  logic [2*Products-1:0]           a_class, b_class, product_class;
  logic [Products-1:0]             product_negative;
  mma_pkg::accumulator_t           c_decoded, c_term;
  logic [2:0]                      special_of_values, special_d, special_terms;
  logic                            special_negative_d, special_negative_terms;

  for (genvar k = 0; k < Products; k++) begin : gen_product
    exact_product #(
        .Digits(k < WideProducts ? mma_pkg::OperandFractionBits + 1 : mma_pkg::Fp8Digits)
    ) exact_product (
        .a_i      (a_i[k*OperandBits+:OperandBits]),
        .b_i      (b_i[k*OperandBits+:OperandBits]),
        .product_o(products_d[k*ProductBits+:ProductBits])
    );
  end

  // The class is at the top of the structures, followed by the sign.
  for (genvar k = 0; k < Products; k++) begin : gen_class
    assign a_class[2*k+:2]       = a_i[(k+1)*OperandBits-1-:2];
    assign b_class[2*k+:2]       = b_i[(k+1)*OperandBits-1-:2];
    assign product_class[2*k+:2] = products_d[(k+1)*ProductBits-1-:2];
    assign product_negative[k]   = products_d[(k+1)*ProductBits-3];
  end

  float_decode #(
      .FractionBits(mma_pkg::AccumulatorFractionBits),
      .HasFp16     (HasFp16Accumulator),
      .HasBf16     (1'b0),
      .HasTf32     (1'b0),
      .HasFp32     (1'b1),
      .Subnormals  (Subnormals)
  ) accumulator_decode (
      .format_i   (HasFp16Accumulator && c_is_fp16_i ? mma_pkg::FormatFp16 : mma_pkg::FormatFp32),
      .pattern_i  (c_i),
      .class_o    (c_decoded.value_class),
      .negative_o (c_decoded.negative),
      .exponent_o (c_decoded.exponent),
      .magnitude_o(c_decoded.magnitude)
  );

  special_case #(
      .Products(Products)
  ) special_case (
      .a_class_i         (a_class),
      .b_class_i         (b_class),
      .product_class_i   (product_class),
      .product_negative_i(product_negative),
      .c_class_i         (c_decoded.value_class),
      .c_negative_i      (c_decoded.negative),
      .special_o         (special_of_values),
      .negative_o        (special_negative_d)
  );

  // A block that is not needed takes the path of the special values, with c alongside.
  assign special_d = CanPass && !active_i ? mma_pkg::SpecialPass : special_of_values;

  if (RegisterTerms) begin : gen_terms
    logic [Products*ProductBits-1:0] products_q;
    logic [AccumulatorBits-1:0]      c_term_q;
    logic [2:0]                      special_q;
    logic                            special_negative_q;
    always_ff @(posedge clk_i) begin
      if (load_i[0]) begin
        products_q         <= products_d;
        c_term_q           <= c_decoded;
        special_q          <= special_d;
        special_negative_q <= special_negative_d;
      end
    end
    assign products               = products_q;
    assign c_term                 = c_term_q;
    assign special_terms          = special_q;
    assign special_negative_terms = special_negative_q;
  end else begin : gen_terms_wire
    assign products               = products_d;
    assign c_term                 = c_decoded;
    assign special_terms          = special_d;
    assign special_negative_terms = special_negative_d;
  end

  // Maximum exponent and alignment.
  logic [Terms-1:0]           takes_part;
  logic [10*Terms-1:0]        exponents;
  logic [Products-1:0]        negative;
  logic [22*Products-1:0]     magnitudes;
  logic [9:0]                 exponent_floor, maximum_exponent, unit_exponent_d;
  logic                       floor_decided_d;
  logic [Terms*ValueBits-1:0] aligned_d, aligned;
  logic [2:0]                 special_aligned;
  logic                       special_negative_aligned;
  logic [9:0]                 unit_exponent_aligned;

  assign exponent_floor = HasFp16Accumulator && align_accumulate_fp16_i ?
      10'(ExponentFloorFp16) :
      align_format_i == mma_pkg::FormatBf16 ? 10'(ExponentFloorBf16) :
      align_format_i == mma_pkg::FormatTf32 ? 10'(ExponentFloorTf32) : 10'(ExponentFloorFp32);

  localparam logic [ValueBits-2:0] AllDigits = '1;
  logic [ValueBits-2:0] grid_mask;  // the digits that the format keeps
  logic align_fp8, round_fp8;
  assign align_fp8 =
      align_format_i == mma_pkg::FormatE4m3 || align_format_i == mma_pkg::FormatE5m2;
  assign round_fp8 =
      round_format_i == mma_pkg::FormatE4m3 || round_format_i == mma_pkg::FormatE5m2;
  assign grid_mask =
      align_fp8 ? AllDigits << (GridFractionBits - GridFp8) :
      align_format_i == mma_pkg::FormatBf16 ? AllDigits << (GridFractionBits - GridBf16) :
      align_format_i == mma_pkg::FormatTf32 ? AllDigits << (GridFractionBits - GridTf32) :
      AllDigits << (GridFractionBits - GridFp16);
  assign unit_exponent_d = maximum_exponent - 10'(GridFractionBits);

  exponent_maximum #(
      .Terms(Terms)
  ) exponent_maximum (
      .takes_part_i   (takes_part),
      .exponent_i     (exponents),
      .floor_i        (exponent_floor),
      .maximum_o      (maximum_exponent),
      .floor_decided_o(floor_decided_d)
  );

  mma_pkg::product_t product;
  always_comb begin
    for (int k = 0; k < Products; k++) begin
      product              = products[k*ProductBits+:ProductBits];
      takes_part[k]        = product.value_class == mma_pkg::ClassFinite;
      negative[k]          = product.negative;
      exponents[10*k+:10]  = product.exponent;
      magnitudes[22*k+:22] = product.magnitude;
    end
    takes_part[Products]       = c_term.value_class == mma_pkg::ClassFinite;
    exponents[10*Products+:10] = c_term.exponent;
  end

  for (genvar k = 0; k < WideProducts; k++) begin : gen_align
    align #(
        .FractionBits    (mma_pkg::ProductFractionBits),
        .MagnitudeBits   (mma_pkg::ProductFractionBits + 2),
        .GridFractionBits(GridFractionBits),
        .Masked          (Masked)
    ) align (
        .takes_part_i(takes_part[k]),
        .negative_i  (negative[k]),
        .exponent_i  (exponents[10*k+:10]),
        .magnitude_i (magnitudes[22*k+:22]),
        .maximum_i   (maximum_exponent),
        .mask_i      (grid_mask),
        .value_o     (aligned_d[k*ValueBits+:ValueBits])
    );
  end

  for (genvar k = WideProducts; k < Products; k++) begin : gen_align_fp8
    localparam int Digits = 2 * mma_pkg::Fp8Digits;
    logic [GridFp8+2:0] value;
    align #(
        .FractionBits    (Digits - 2),
        .MagnitudeBits   (Digits),
        .GridFractionBits(GridFp8)
    ) align (
        .takes_part_i(takes_part[k]),
        .negative_i  (negative[k]),
        .exponent_i  (exponents[10*k+:10]),
        .magnitude_i (magnitudes[22*(k+1)-1-:Digits]),
        .maximum_i   (maximum_exponent),
        .mask_i      ('1),
        .value_o     (value)
    );
    assign aligned_d[k*ValueBits+:ValueBits] =
        {{(ValueBits - GridFp8 - 3) {1'b0}}, value} << (GridFractionBits - GridFp8);
    logic unused_digits;
    assign unused_digits = ^magnitudes[22*k+:22-Digits];
  end

  align #(
      .FractionBits    (mma_pkg::AccumulatorFractionBits),
      .MagnitudeBits   (mma_pkg::AccumulatorFractionBits + 1),
      .GridFractionBits(GridFractionBits),
      .Masked          (Masked)
  ) align_c (
      .takes_part_i(takes_part[Products]),
      .negative_i  (c_term.negative),
      .exponent_i  (c_term.exponent),
      .magnitude_i (c_term.magnitude),
      .maximum_i   (maximum_exponent),
      .mask_i      (grid_mask),
      .value_o     (aligned_d[Products*ValueBits+:ValueBits])
  );

  if (RegisterAligned) begin : gen_aligned
    logic [Terms*ValueBits-1:0] aligned_q;
    logic [9:0]                 unit_exponent_q;
    logic                       floor_decided_q;
    logic [2:0]                 special_q;
    logic                       special_negative_q;
    always_ff @(posedge clk_i) begin
      if (load_i[1]) begin
        aligned_q          <= aligned_d;
        unit_exponent_q    <= unit_exponent_d;
        floor_decided_q    <= floor_decided_d;
        special_q          <= special_terms;
        special_negative_q <= special_negative_terms;
      end
    end
    logic unused_floor_decided;  // for an observer of the simulation
    assign unused_floor_decided     = floor_decided_q;
    assign aligned                  = aligned_q;
    assign unit_exponent_aligned    = unit_exponent_q;
    assign special_aligned          = special_q;
    assign special_negative_aligned = special_negative_q;
  end else begin : gen_aligned_wire
    logic unused_floor_decided;
    assign aligned                  = aligned_d;
    assign unit_exponent_aligned    = unit_exponent_d;
    assign special_aligned          = special_terms;
    assign special_negative_aligned = special_negative_terms;
    assign unused_floor_decided     = floor_decided_d;
  end

  // Sum.
  logic [SumBits-1:0] sum_d, sum;
  logic [9:0]         unit_exponent_sum;
  logic [2:0]         special_sum;
  logic               special_negative_sum;

  term_sum #(
      .Terms    (Terms),
      .TermBits (ValueBits),
      .SumBits  (SumBits),
      .CarrySave(CarrySave)
  ) term_sum (
      .term_i(aligned),
      .sum_o (sum_d)
  );

  if (RegisterSum) begin : gen_sum
    logic [SumBits-1:0] sum_q;
    logic [9:0]         unit_exponent_q;
    logic [2:0]         special_q;
    logic               special_negative_q;
    always_ff @(posedge clk_i) begin
      if (load_i[2]) begin
        sum_q              <= sum_d;
        unit_exponent_q    <= unit_exponent_aligned;
        special_q          <= special_aligned;
        special_negative_q <= special_negative_aligned;
      end
    end
    assign sum                  = sum_q;
    assign unit_exponent_sum    = unit_exponent_q;
    assign special_sum          = special_q;
    assign special_negative_sum = special_negative_q;
  end else begin : gen_sum_wire
    assign sum                  = sum_d;
    assign unit_exponent_sum    = unit_exponent_aligned;
    assign special_sum          = special_aligned;
    assign special_negative_sum = special_negative_aligned;
  end

  // Normalise, round, pack; or the result of the special-value rules.
  mma_pkg::rounded_t rounded_d;
  logic [31:0]       rounded_pattern, pattern_d, c_at_result;
  logic [4:0]        dropped;

  assign dropped = round_fp8 ? 5'(23 - KeptFp8) :
      round_format_i == mma_pkg::FormatBf16 ? 5'(23 - KeptBf16) :
      round_format_i == mma_pkg::FormatTf32 ? 5'(23 - KeptTf32) : 5'(23 - KeptFp16);

  round_pack #(
      .SumBits              (SumBits),
      .LeastUnitExponent    (LeastFloor - GridFractionBits),
      .LeastUnitExponentFp16(ExponentFloorFp16 - GridFractionBits),
      .HasFp16Accumulator   (HasFp16Accumulator),
      .Subnormals           (Subnormals),
      .NearestFp32          (NearestFp32),
      .NearestFp16          (NearestFp16),
      .UnderflowKeepsSign   (UnderflowKeepsSign)
  ) round_pack (
      .accumulate_fp16_i(round_accumulate_fp16_i),
      .sum_i            (sum),
      .unit_exponent_i  (unit_exponent_sum),
      .dropped_i        (dropped),
      .rounded_o        (rounded_d),
      .pattern_o        (rounded_pattern)
  );

  logic is_fp16;
  assign is_fp16 = HasFp16Accumulator && round_accumulate_fp16_i;

  always_comb begin
    pattern_d = rounded_pattern;
    if (CanPass && special_sum == mma_pkg::SpecialPass) pattern_d = c_at_result;
    else if (special_sum == mma_pkg::SpecialInfinity) begin
      pattern_d = is_fp16 ? {16'b0, special_negative_sum, 15'h7c00}
                          : {special_negative_sum, 31'h7f800000};
    end else if (special_sum != mma_pkg::SpecialNone) begin
      pattern_d = is_fp16 ? 32'h7fff : 32'h7fffffff;  // the canonical NaN
    end
  end

  // c, carried alongside a block that may not be needed.
  if (CanPass) begin : gen_pass
    logic [31:0] c_terms, c_aligned;
    if (RegisterTerms) begin : gen_terms
      logic [31:0] c_q;
      always_ff @(posedge clk_i) if (load_i[0]) c_q <= c_i;
      assign c_terms = c_q;
    end else begin : gen_terms_wire
      assign c_terms = c_i;
    end
    if (RegisterAligned) begin : gen_aligned
      logic [31:0] c_q;
      always_ff @(posedge clk_i) if (load_i[1]) c_q <= c_terms;
      assign c_aligned = c_q;
    end else begin : gen_aligned_wire
      assign c_aligned = c_terms;
    end
    if (RegisterSum) begin : gen_sum
      logic [31:0] c_q;
      always_ff @(posedge clk_i) if (load_i[2]) c_q <= c_aligned;
      assign c_at_result = c_q;
    end else begin : gen_sum_wire
      assign c_at_result = c_aligned;
    end
  end else begin : gen_no_pass
    assign c_at_result = '0;
  end

  if (RegisterResult) begin : gen_result
    logic [mma_pkg::RoundedBits-1:0] rounded_q;
    logic [31:0]                     pattern_q;
    always_ff @(posedge clk_i) begin
      if (load_i[3]) begin
        rounded_q <= rounded_d;
        pattern_q <= pattern_d;
      end
    end
    assign d_o = pattern_q;
    logic unused_rounded;  // for an observer of the simulation
    assign unused_rounded = ^rounded_q;
  end else begin : gen_result_wire
    logic unused_rounded;
    assign unused_rounded = ^rounded_d;
    assign d_o            = pattern_d;
  end

  // Unused if a cut has no register, or if formats do not differ.
  logic unused_load, unused_format;
  assign unused_load   = ^load_i ^ clk_i;
  assign unused_format = ^align_format_i ^ ^round_format_i ^ active_i;

endmodule
