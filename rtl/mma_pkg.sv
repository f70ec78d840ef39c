/// Words shared by the modules of the matrix unit. Names equal those of models/numerics.
package mma_pkg;

  // Every module uses some of these, none uses all.
  /* verilator lint_off UNUSEDPARAM */

  /// numerics::ValueClass
  typedef enum logic [1:0] {ClassZero, ClassFinite, ClassInfinity, ClassNan} value_class_e;

  /// numerics::SpecialCase
  typedef enum logic [2:0] {
    SpecialNone,
    SpecialNanOperand,
    SpecialInfinityTimesZero,
    SpecialOppositeInfinities,
    SpecialInfinity,
    SpecialPass  // no values: a block that the operation does not need
  } special_case_e;

  /// numerics::ElementType, those that a unit here can have.
  typedef enum logic [2:0] {FormatFp16, FormatBf16, FormatTf32, FormatFp32, FormatInt8} format_e;

  // Exponents have ten signed bits everywhere: sums of two reach from -252 to 254 (BF16, TF32), an
  // FP32 exponent from -126 to 127, a unit exponent down to -156.

  /// Hidden bit and ten fraction bits, the most that an input format has (FP16, TF32).
  localparam int OperandFractionBits = 10;
  /// Hidden bit and 23 fraction bits of an FP32 accumulator.
  localparam int AccumulatorFractionBits = 23;
  localparam int ProductFractionBits = 20;

  /// numerics::ExactValue of an input; shorter significands stand left-justified.
  typedef struct packed {
    logic [1:0]  value_class;
    logic        negative;
    logic [9:0]  exponent;
    logic [10:0] magnitude;
  } operand_t;
  localparam int OperandBits = 24;

  /// numerics::ExactValue of a product, 20 fraction bits.
  typedef struct packed {
    logic [1:0]  value_class;
    logic        negative;
    logic [9:0]  exponent;
    logic [21:0] magnitude;
  } product_t;
  localparam int ProductBits = 35;

  /// numerics::ExactValue of an accumulator, 23 fraction bits.
  typedef struct packed {
    logic [1:0]  value_class;
    logic        negative;
    logic [9:0]  exponent;
    logic [23:0] magnitude;
  } accumulator_t;
  localparam int AccumulatorBits = 37;

  /// numerics::Rounded. The significand stands left-justified in 24 bits.
  typedef struct packed {
    logic        inexact;
    logic        rounded_up;
    logic        overflow;
    logic [9:0]  exponent;
    logic [23:0] significand;
  } rounded_t;
  localparam int RoundedBits = 37;
  /* verilator lint_on UNUSEDPARAM */

endpackage
