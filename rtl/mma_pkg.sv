/// Names shared by the modules of the matrix unit, equal to those of models/numerics.
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
    SpecialPass  // no values: for a block that the operation does not need
  } special_case_e;

  /// numerics::ElementType, only those that a unit here can have.
  typedef enum logic [2:0] {
    FormatFp16,
    FormatBf16,
    FormatTf32,
    FormatFp32,
    FormatInt8,
    FormatE4m3,
    FormatE5m2
  } format_e;

  // Exponents have ten signed bits everywhere: sums of two reach from -252 to 254 (BF16, TF32), an
  // FP32 exponent from -126 to 127, a unit exponent down to -163.

  /// Hidden bit and ten fraction bits, the most that an input format has (FP16, TF32).
  localparam int OperandFractionBits = 10;
  /// Hidden bit and 23 fraction bits of an FP32 accumulator.
  localparam int AccumulatorFractionBits = 23;
  localparam int ProductFractionBits = 20;
  /// Hidden bit and three fraction bits, the most that FP8 has (E4M3).
  localparam int Fp8Digits = 4;

  /// numerics::ExactValue of an input; shorter significands are left-justified.
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

  /// numerics::Rounded. The significand is left-justified in 24 bits.
  typedef struct packed {
    logic        inexact;
    logic        rounded_up;
    logic        overflow;
    logic [9:0]  exponent;
    logic [23:0] significand;
  } rounded_t;
  localparam int RoundedBits = 37;

  // What warp_mma needs to know about each of its instructions: one row of a table, with fields of
  // 32 bits.
  localparam int FieldBits = 32;

  localparam int FieldFormat        = 0;   // mma_pkg::format_e of A and B
  localparam int FieldFp16          = 1;   // 1: C and D are FP16
  localparam int FieldM             = 2;
  localparam int FieldN             = 3;
  localparam int FieldRowBits       = 4;   // of a row of A, a column of B
  localparam int FieldPassRows      = 5;   // m, n and the bits along k of the pass of a core
  localparam int FieldPassColumns   = 6;
  localparam int FieldPassBits      = 7;
  localparam int FieldBlocksM       = 8;   // ceil(m / m of the pass)
  localparam int FieldBlocksN       = 9;
  localparam int FieldBlocksK       = 10;
  localparam int FieldStationary    = 11;  // blocks that a core holds one after another
  localparam int FieldStreamed      = 12;  // passes onto each
  localparam int FieldProductBlocks = 13;  // of mma_array, of a full pass
  localparam int FieldLastBlocks    = 14;  // of the last pass along k
  localparam int FieldRegistersA    = 15;
  localparam int FieldRegistersB    = 16;
  localparam int FieldReadsA        = 17;  // how often they are read
  localparam int FieldReadsB        = 18;
  localparam int FieldInterval      = 19;  // issue to issue, considering only the cores
  localparam int FieldPassCycles    = 20;  // cycles for which a pass occupies a core
  localparam int FieldSharing       = 21;  // cores that share a block of B (weight-stationary)
  localparam int Fields             = 22;
  localparam int TableRowBits       = Fields * FieldBits;

  /// The operand of an MMA that stays in a core.
  localparam int DotProduct       = 0;
  localparam int OuterProduct     = 1;
  localparam int OutputStationary = 2;
  localparam int WeightStationary = 3;

  /// m8n8k16 of FP16 into FP16 on a core of 4x4x4, the default of the modules.
  localparam logic [TableRowBits-1:0] ExampleRow = {
    32'd1, 32'd1, 32'd16, 32'd1, 32'd1, 32'd2, 32'd2, 32'd1, 32'd1, 32'd4, 32'd4,
    32'd4, 32'd2, 32'd2, 32'd64, 32'd4, 32'd4, 32'd256, 32'd8, 32'd8, 32'd1, 32'd0
  };
  /* verilator lint_on UNUSEDPARAM */

endpackage
