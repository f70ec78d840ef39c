/// The 8x4x16 unit at the registers of a warp: its 16 rows of wgmma m64nN, N from 8 to 256, in N/2
/// array cycles; k is 16 for FP16 and BF16, 8 for TF32, 32 for E4M3, E5M2 and INT8.
///
/// An instruction is N/8 blocks of eight columns, one after another. On `a` the warp offers four
/// registers: rows 0..7 and 8..15 of the first and of the second half of k, whether from registers
/// or from shared memory. On `b` it offers, for each block, its columns from shared memory, the
/// first and the second half of k in the order of a B register of mma.sync. On `accumulator` it
/// offers the C registers of each block (four, or two for FP16), unless the sums are cleared. The D
/// registers leave on `result` in order. The description of the instruction comes with every
/// operand; the three ports may run independently. `issue` tells when the next instruction may
/// start; its operands arrive from the cycle of issue on.
///
/// Two banks of each kind alternate. A block is four passes: two row halves times two column
/// halves.
module warp_mma_hopper #(
    parameter int PipelineDepth = 3  // of the array
) (
    input  logic          clk_i,
    input  logic          rst_ni,
    input  logic          issue_valid_i,
    output logic          issue_ready_o,
    input  logic [5:0]    blocks_i,     // N/8, 1..32; valid with issue
    input  logic          a_valid_i,
    output logic          a_ready_o,
    input  logic [1023:0] a_i,
    input  logic [2:0]    a_format_i,   // mma_pkg::format_e
    input  logic          a_mixed_fp8_i,
    input  logic          a_accumulate_fp16_i,
    input  logic          a_clear_i,    // C counts as zero
    input  logic [5:0]    a_blocks_i,
    input  logic          b_valid_i,
    output logic          b_ready_o,
    input  logic [1023:0] b_i,
    input  logic          accumulator_fp16_i,  // of the instruction whose C enters
    input  logic          accumulator_valid_i,
    output logic          accumulator_ready_o,
    input  logic [1023:0] accumulator_i,
    output logic          result_valid_o,
    input  logic          result_ready_i,
    output logic [1023:0] result_o
);

  localparam int Image = 1024;
  localparam int Part = 1024;  // 8 x 4 elements of 32 bits: the result of a pass

  // Operand banks of A, with the description of the instruction in each of them.
  logic               a_load_q, a_bank_q, a_release_now;
  logic [1:0]         a_ready, a_fills, a_full;
  logic [8*Image-1:0] a_data;
  logic [1:0]         fp16_q, mixed_q, clear_q;
  logic [5:0]         format_q;
  logic [11:0]        blocks_q;

  assign a_ready_o = a_ready[a_load_q];
  for (genvar i = 0; i < 2; i++) begin : gen_a_bank
    operand_bank #(
        .Registers(4),
        .Width    (Image)
    ) a_bank (
        .clk_i      (clk_i),
        .rst_ni     (rst_ni),
        .valid_i    (a_valid_i && a_load_q == i),
        .ready_o    (a_ready[i]),
        .data_i     (a_i),
        .registers_i(3'd4),
        .fills_o    (a_fills[i]),
        .full_o     (a_full[i]),
        .release_i  (a_release_now && a_bank_q == i),
        .data_o     (a_data[4*Image*i+:4*Image])
    );
    always_ff @(posedge clk_i) begin
      if (a_fills[i]) begin
        fp16_q[i]        <= a_accumulate_fp16_i;
        mixed_q[i]       <= a_mixed_fp8_i;
        clear_q[i]       <= a_clear_i;
        format_q[3*i+:3] <= a_format_i;
        blocks_q[6*i+:6] <= a_blocks_i;
      end
    end
  end

  // Banks of B and C, one block each.
  logic               b_load_q, b_bank_q, c_load_q, c_bank_q, block_ends, c_release_now;
  logic [1:0]         b_ready, b_fills, b_full, c_ready, c_fills, c_full;
  logic [4*Image-1:0] b_data;
  logic [8*Image-1:0] c_data;

  assign b_ready_o           = b_ready[b_load_q];
  assign accumulator_ready_o = c_ready[c_load_q];
  for (genvar i = 0; i < 2; i++) begin : gen_block_bank
    operand_bank #(
        .Registers(2),
        .Width    (Image)
    ) b_bank (
        .clk_i      (clk_i),
        .rst_ni     (rst_ni),
        .valid_i    (b_valid_i && b_load_q == i),
        .ready_o    (b_ready[i]),
        .data_i     (b_i),
        .registers_i(2'd2),
        .fills_o    (b_fills[i]),
        .full_o     (b_full[i]),
        .release_i  (block_ends && b_bank_q == i),
        .data_o     (b_data[2*Image*i+:2*Image])
    );
    operand_bank #(
        .Registers(4),
        .Width    (Image)
    ) accumulator_bank (
        .clk_i      (clk_i),
        .rst_ni     (rst_ni),
        .valid_i    (accumulator_valid_i && c_load_q == i),
        .ready_o    (c_ready[i]),
        .data_i     (accumulator_i),
        .registers_i(accumulator_fp16_i ? 3'd2 : 3'd4),
        .fills_o    (c_fills[i]),
        .full_o     (c_full[i]),
        .release_i  (c_release_now && c_bank_q == i),
        .data_o     (c_data[4*Image*i+:4*Image])
    );
  end

  // Passes: row half is bit 1 of the pass, column half bit 0.
  logic [5:0] block_q, blocks;
  logic [1:0] pass_q;
  logic       is_fp16, mixed_fp8, clears, pass_valid, pass_ready, pass_taken;
  logic [2:0] format;

  assign is_fp16       = fp16_q[a_bank_q];
  assign mixed_fp8     = mixed_q[a_bank_q];
  assign clears        = clear_q[a_bank_q];
  assign format        = a_bank_q ? format_q[5:3] : format_q[2:0];
  assign blocks        = a_bank_q ? blocks_q[11:6] : blocks_q[5:0];
  assign pass_valid    = a_full[a_bank_q] && b_full[b_bank_q] && (clears || c_full[c_bank_q]);
  assign pass_taken    = pass_valid && pass_ready;
  assign block_ends    = pass_taken && pass_q == 2'd3;
  assign c_release_now = block_ends && !clears;
  assign a_release_now = block_ends && block_q + 6'd1 == blocks;

  issue_slot #(
      .MaxPasses(128)
  ) issue_slot (
      .clk_i    (clk_i),
      .rst_ni   (rst_ni),
      .valid_i  (issue_valid_i),
      .ready_o  (issue_ready_o),
      .passes_i ({blocks_i, 2'b00}),
      .stalled_i(pass_valid && !pass_ready)
  );

  // Operands of a pass. Half a row of A is 128 bits of one register image, lanes 4g..4g+3, for
  // every input type (numerics reference section 13), and so is half a column of B.
  logic [4*Image-1:0] a_registers;
  logic [2*Image-1:0] b_registers;
  logic [2047:0]      a;
  logic [1023:0]      b;
  logic [Part-1:0]    c;

  assign a_registers = a_bank_q ? a_data[8*Image-1:4*Image] : a_data[4*Image-1:0];
  assign b_registers = b_bank_q ? b_data[4*Image-1:2*Image] : b_data[2*Image-1:0];
  for (genvar g = 0; g < 8; g++) begin : gen_row
    assign a[256*g+:256] = pass_q[1]
        ? {a_registers[3*Image+128*g+:128], a_registers[Image+128*g+:128]}
        : {a_registers[2*Image+128*g+:128], a_registers[128*g+:128]};
  end
  for (genvar g = 0; g < 4; g++) begin : gen_column
    assign b[256*g+:256] = pass_q[0]
        ? {b_registers[Image+128*(g+4)+:128], b_registers[128*(g+4)+:128]}
        : {b_registers[Image+128*g+:128], b_registers[128*g+:128]};
  end

  logic [Part-1:0] c_of_registers;
  accumulator_gather accumulator_gather (
      .is_fp16_i    (is_fp16),
      .row_half_i   (pass_q[1]),
      .column_half_i(pass_q[0]),
      .registers_i  (c_bank_q ? c_data[8*Image-1:4*Image] : c_data[4*Image-1:0]),
      .element_o    (c_of_registers)
  );
  assign c = clears ? '0 : c_of_registers;

  // The array. The tag tells which part of the block the result is.
  logic            array_valid, array_ready, result_fp16;
  logic [1:0]      array_part;
  logic [Part-1:0] array_d;

  mma_8x4x16 #(
      .PipelineDepth(PipelineDepth),
      .TagBits      (3)
  ) unit (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .valid_i          (pass_valid),
      .ready_o          (pass_ready),
      .tag_i            ({is_fp16, pass_q}),
      .format_i         (format),
      .mixed_fp8_i      (mixed_fp8),
      .accumulate_fp16_i(is_fp16),
      .a_i              (a),
      .b_i              (b),
      .c_i              (c),
      .valid_o          (array_valid),
      .ready_i          (array_ready),
      .tag_o            ({result_fp16, array_part}),
      .d_o              (array_d)
  );

  // Parts of D, drained a row half at a time: one register of FP16, else two.
  logic [3:0]        part_valid_d, part_valid_q;
  logic [1:0]        half_fp16_q;
  logic [4*Part-1:0] part_q;
  logic              result_taken, drained, drain_fp16, drain_half_q, drain_odd_q, part_taken;

  assign array_ready    = !part_valid_q[array_part];
  assign part_taken     = array_valid && array_ready;
  assign drain_fp16     = half_fp16_q[drain_half_q];
  assign result_valid_o = drain_half_q ? part_valid_q[3:2] == 2'b11 : part_valid_q[1:0] == 2'b11;
  assign result_taken   = result_valid_o && result_ready_i;
  assign drained        = result_taken && (drain_fp16 || drain_odd_q);

  always_comb begin
    part_valid_d = part_valid_q;
    if (part_taken) part_valid_d[array_part] = 1'b1;
    if (drained) begin
      if (drain_half_q) part_valid_d[3:2] = 2'b00;
      else part_valid_d[1:0] = 2'b00;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int p = 0; p < 4; p++) begin
      if (part_taken && array_part == 2'(p)) begin
        part_q[p*Part+:Part] <= array_d;
        half_fp16_q[p/2]     <= result_fp16;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      a_load_q     <= 1'b0;
      b_load_q     <= 1'b0;
      c_load_q     <= 1'b0;
      a_bank_q     <= 1'b0;
      b_bank_q     <= 1'b0;
      c_bank_q     <= 1'b0;
      pass_q       <= '0;
      block_q      <= '0;
      part_valid_q <= '0;
      drain_half_q <= 1'b0;
      drain_odd_q  <= 1'b0;
    end else begin
      a_load_q     <= a_load_q ^ (a_fills != '0);
      b_load_q     <= b_load_q ^ (b_fills != '0);
      c_load_q     <= c_load_q ^ (c_fills != '0);
      a_bank_q     <= a_bank_q ^ a_release_now;
      b_bank_q     <= b_bank_q ^ block_ends;
      c_bank_q     <= c_bank_q ^ c_release_now;
      pass_q       <= pass_taken ? pass_q + 2'd1 : pass_q;
      block_q      <= a_release_now ? '0 : block_ends ? block_q + 6'd1 : block_q;
      part_valid_q <= part_valid_d;
      drain_half_q <= drain_half_q ^ drained;
      if (result_taken) drain_odd_q <= !drained;
    end
  end

  accumulator_scatter accumulator_scatter (
      .is_fp16_i (drain_fp16),
      .odd_i     (drain_odd_q),
      .element_i (drain_half_q ? part_q[4*Part-1:2*Part] : part_q[2*Part-1:0]),
      .register_o(result_o)
  );

`ifndef SYNTHESIS
  // Issued blocks whose passes have not all started.
  int blocks_left_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) blocks_left_q <= 0;
    else
      blocks_left_q <= blocks_left_q + (issue_valid_i ? {26'b0, blocks_i} : 0)
                       - (block_ends ? 1 : 0);
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) !issue_valid_i || blocks_left_q <= 2)
  else $error("warp_mma_hopper: an instruction will wait in front of the array");
`endif

endmodule
