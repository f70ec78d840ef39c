/// The matrix unit of Hopper, as wgmma uses it. A cycle takes 512 FP16 or BF16, 256 TF32, or 1024
/// E4M3, E5M2 or INT8 multiply-adds. Accumulators: FP16 for FP16 and FP8, FP32 for all
/// floating-point inputs, INT32 for INT8. L = 16 (TF32 8, FP8 32), F = 25 (FP8: 13, with as many
/// digits kept in FP32), and the floor of FP32 sums: numerics reference section 3. The floor of
/// FP16 sums and the sign of an underflow: measured on an H200 (OWN). Ports: mma_array.
module mma_8x4x16 #(
    parameter int PipelineDepth    = 5,
    parameter int GridFractionBits = 25,
    parameter bit Subnormals       = 1'b1,
    parameter bit CarrySave        = 1'b1,
    parameter int TagBits          = 8
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               valid_i,
    output logic               ready_o,
    input  logic [TagBits-1:0] tag_i,
    input  logic [2:0]         format_i,
    input  logic               mixed_fp8_i,
    input  logic               accumulate_fp16_i,
    input  logic [2047:0]      a_i,
    input  logic [1023:0]      b_i,
    input  logic [1023:0]      c_i,
    output logic               valid_o,
    input  logic               ready_i,
    output logic [TagBits-1:0] tag_o,
    output logic [1023:0]      d_o
);

  mma_array #(
      .Rows              (8),
      .Columns           (4),
      .Products          (16),
      .GridFractionBits  (GridFractionBits),
      .ExponentFloorFp32 (-133),
      .ExponentFloorFp16 (-21),
      .HasFp16           (1'b1),
      .HasBf16           (1'b1),
      .HasTf32           (1'b1),
      .HasInt8           (1'b1),
      .HasFp8            (1'b1),
      .HasFp16Accumulator(1'b1),
      .GridFp8           (13),
      .KeptFp8           (13),
      .UnderflowKeepsSign(1'b0),
      .Subnormals        (Subnormals),
      .CarrySave         (CarrySave),
      .PipelineDepth     (PipelineDepth),
      .TagBits           (TagBits)
  ) array (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .valid_i          (valid_i),
      .ready_o          (ready_o),
      .tag_i            (tag_i),
      .format_i         (format_i),
      .mixed_fp8_i      (mixed_fp8_i),
      .accumulate_fp16_i(accumulate_fp16_i),
      .blocks_i         (1'b1),
      .a_i              (a_i),
      .b_i              (b_i),
      .c_i              (c_i),
      .valid_o          (valid_o),
      .ready_i          (ready_i),
      .tag_o            (tag_o),
      .d_o              (d_o)
  );

endmodule
