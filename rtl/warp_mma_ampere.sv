/// The 8x4x8 unit at the registers of a warp: mma.sync m16n8k16 (FP16, BF16), m16n8k8 (TF32) and
/// m16n8k32 (INT8) in eight array cycles, and the forms with half that k in four.
///
/// An instruction is one or two half steps, each covering one K of the array. On `operand` the warp
/// offers, for each half step, the A registers of rows 0..7 and 8..15 and the B register, in this
/// order (A0 A1 B0, A2 A3 B1); on `accumulator` the C registers (four, or two for FP16). The D
/// registers leave on `result` in order. A register is the image of 32 lanes, lane 0 lowest. The
/// description of the instruction comes with every operand register; the two ports may run
/// independently. `issue` tells the sub-core when the next instruction may start: an instruction
/// that waits for it never waits before the array. Registers of an instruction arrive from the
/// cycle of its issue on.
///
/// Two operand banks and two accumulator banks alternate, so registers of the next half step enter
/// while the current one computes. A half step is four passes: two row halves times two column
/// halves, with k ascending over the half steps (numerics reference section 12).
module warp_mma_ampere #(
    // Of the array; with more than 3 the second half step waits for the first.
    parameter int PipelineDepth = 3
) (
    input  logic          clk_i,
    input  logic          rst_ni,
    input  logic [2:0]    format_i,            // mma_pkg::format_e
    input  logic          accumulate_fp16_i,
    input  logic          two_halves_i,        // the longer k; also valid with issue
    input  logic          issue_valid_i,
    output logic          issue_ready_o,
    input  logic          operand_valid_i,
    output logic          operand_ready_o,
    input  logic [1023:0] operand_i,
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

  // Operand banks, with the description of the half step in each of them.
  logic              load_bank_d, load_bank_q, load_second_d, load_second_q;
  logic [1:0]        bank_ready, bank_fills, bank_full, bank_release;
  logic [6*Image-1:0] bank_data;
  logic [1:0]        half_first_q, half_last_q, half_fp16_q;
  logic [5:0]        half_format_q;

  assign operand_ready_o = bank_ready[load_bank_q];

  for (genvar i = 0; i < 2; i++) begin : gen_operand_bank
    operand_bank #(
        .Registers(3),
        .Width    (Image)
    ) operand_bank (
        .clk_i      (clk_i),
        .rst_ni     (rst_ni),
        .valid_i    (operand_valid_i && load_bank_q == i),
        .ready_o    (bank_ready[i]),
        .data_i     (operand_i),
        .registers_i(2'd3),
        .fills_o    (bank_fills[i]),
        .full_o     (bank_full[i]),
        .release_i  (bank_release[i]),
        .data_o     (bank_data[3*Image*i+:3*Image])
    );
    always_ff @(posedge clk_i) begin
      if (bank_fills[i]) begin
        half_first_q[i]        <= !load_second_q;
        half_last_q[i]         <= load_second_q || !two_halves_i;
        half_fp16_q[i]         <= accumulate_fp16_i;
        half_format_q[3*i+:3]  <= format_i;
      end
    end
  end

  always_comb begin
    load_bank_d   = load_bank_q;
    load_second_d = load_second_q;
    if (bank_fills != '0) begin
      load_bank_d   = !load_bank_q;
      load_second_d = two_halves_i && !load_second_q;
    end
  end

  // Accumulator banks.
  logic               c_load_bank_d, c_load_bank_q;
  logic [1:0]         c_ready, c_fills, c_full, c_release;
  logic [8*Image-1:0] c_data;

  assign accumulator_ready_o = c_ready[c_load_bank_q];
  assign c_load_bank_d       = c_load_bank_q ^ (c_fills != '0);

  for (genvar i = 0; i < 2; i++) begin : gen_accumulator_bank
    operand_bank #(
        .Registers(4),
        .Width    (Image)
    ) accumulator_bank (
        .clk_i      (clk_i),
        .rst_ni     (rst_ni),
        .valid_i    (accumulator_valid_i && c_load_bank_q == i),
        .ready_o    (c_ready[i]),
        .data_i     (accumulator_i),
        .registers_i(accumulator_fp16_i ? 3'd2 : 3'd4),
        .fills_o    (c_fills[i]),
        .full_o     (c_full[i]),
        .release_i  (c_release[i]),
        .data_o     (c_data[4*Image*i+:4*Image])
    );
  end

  // Passes: row half is bit 1 of the pass, column half bit 0.
  logic       bank_d, bank_q, c_bank_d, c_bank_q;
  logic [1:0] pass_d, pass_q;
  logic       first, last, is_fp16, work_waits, pass_valid, pass_ready, pass_taken;
  logic [2:0] format;
  logic [3:0] part_valid_d, part_valid_q, part_final_d, part_final_q;

  assign first   = half_first_q[bank_q];
  assign last    = half_last_q[bank_q];
  assign is_fp16 = half_fp16_q[bank_q];
  assign format  = bank_q ? half_format_q[5:3] : half_format_q[2:0];
  assign work_waits = bank_full[bank_q] && (!first || c_full[c_bank_q]);
  assign pass_valid = work_waits && (first || (part_valid_q[pass_q] && !part_final_q[pass_q]));
  assign pass_taken = pass_valid && pass_ready;

  issue_slot #(
      .MaxPasses(8)
  ) issue_slot (
      .clk_i    (clk_i),
      .rst_ni   (rst_ni),
      .valid_i  (issue_valid_i),
      .ready_o  (issue_ready_o),
      .passes_i (two_halves_i ? 4'd8 : 4'd4),
      .stalled_i(work_waits && !pass_taken)
  );

`ifndef SYNTHESIS
  // Issued half steps whose passes have not all started.
  int halves_left_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) halves_left_q <= 0;
    else
      halves_left_q <= halves_left_q + (issue_valid_i ? (two_halves_i ? 2 : 1) : 0)
                       - (bank_release != '0 ? 1 : 0);
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) !issue_valid_i || halves_left_q <= 1)
  else $error("warp_mma_ampere: an instruction will wait in front of the array");
`endif

  always_comb begin
    pass_d       = pass_q;
    bank_d       = bank_q;
    c_bank_d     = c_bank_q;
    bank_release = '0;
    c_release    = '0;
    if (pass_taken) begin
      pass_d = pass_q + 2'd1;
      if (pass_q == 2'd3) begin
        bank_d               = !bank_q;
        bank_release[bank_q] = 1'b1;
        if (first) begin
          c_bank_d            = !c_bank_q;
          c_release[c_bank_q] = 1'b1;
        end
      end
    end
  end

  // Operands of a pass. A row of A is 128 bits of one register image, lanes 4g..4g+3, for every
  // input type (numerics reference section 13), and so is a column of B.
  logic [3*Image-1:0] half_data;
  logic [4*Image-1:0] half_c;
  logic [Part-1:0]    a, c, c_of_registers;
  logic [511:0]       b;
  logic [4*Part-1:0]  part_q;

  assign half_data = bank_q ? bank_data[6*Image-1:3*Image] : bank_data[3*Image-1:0];
  assign half_c    = c_bank_q ? c_data[8*Image-1:4*Image] : c_data[4*Image-1:0];
  assign a         = pass_q[1] ? half_data[2*Image-1:Image] : half_data[Image-1:0];
  assign b         = pass_q[0] ? half_data[3*Image-1:2*Image+512] : half_data[2*Image+511:2*Image];

  accumulator_gather accumulator_gather (
      .is_fp16_i    (is_fp16),
      .row_half_i   (pass_q[1]),
      .column_half_i(pass_q[0]),
      .registers_i  (half_c),
      .element_o    (c_of_registers)
  );

  always_comb begin
    c = c_of_registers;
    if (!first) begin
      c = part_q[Part-1:0];
      for (int p = 1; p < 4; p++) if (pass_q == 2'(p)) c = part_q[p*Part+:Part];
    end
  end

  // The array. The tag tells which part of D the result is and whether the instruction ends with
  // it.
  logic            array_valid, array_ready, result_final, result_fp16;
  logic [3:0]      array_tag;
  logic [1:0]      array_part;
  logic [Part-1:0] array_d;

  mma_8x4x8 #(
      .PipelineDepth(PipelineDepth),
      .TagBits      (4)
  ) unit (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .valid_i          (pass_valid),
      .ready_o          (pass_ready),
      .tag_i            ({is_fp16, last, pass_q}),
      .format_i         (format),
      .accumulate_fp16_i(is_fp16),
      .a_i              (a),
      .b_i              (b),
      .c_i              (c),
      .valid_o          (array_valid),
      .ready_i          (array_ready),
      .tag_o            (array_tag),
      .d_o              (array_d)
  );
  assign {result_fp16, result_final, array_part} = array_tag;

  // Parts of D: kept for the next half step, or drained if the instruction ends.
  logic       result_taken, drained, drain_fp16;
  logic       drain_half_d, drain_half_q, drain_odd_d, drain_odd_q;  // D register that leaves next
  logic [3:0] part_fp16_d, part_fp16_q;

  assign array_ready = !part_valid_q[array_part];
  assign drain_fp16  = drain_half_q ? part_fp16_q[2] : part_fp16_q[0];
  assign result_valid_o = drain_half_q ? part_valid_q[3:2] == 2'b11 && part_final_q[3:2] == 2'b11
                                       : part_valid_q[1:0] == 2'b11 && part_final_q[1:0] == 2'b11;
  assign result_taken = result_valid_o && result_ready_i;
  assign drained      = result_taken && (drain_fp16 || drain_odd_q);

  always_comb begin
    part_valid_d = part_valid_q;
    part_final_d = part_final_q;
    part_fp16_d  = part_fp16_q;
    drain_half_d = drain_half_q ^ drained;
    drain_odd_d  = drain_odd_q;
    if (pass_taken && !first) part_valid_d[pass_q] = 1'b0;
    if (array_valid && array_ready) begin
      part_valid_d[array_part] = 1'b1;
      part_final_d[array_part] = result_final;
      part_fp16_d[array_part]  = result_fp16;
    end
    if (result_taken) drain_odd_d = !drained;
    if (drained) begin
      if (drain_half_q) part_valid_d[3:2] = 2'b00;
      else part_valid_d[1:0] = 2'b00;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int p = 0; p < 4; p++) begin
      if (array_valid && array_ready && array_part == 2'(p)) part_q[p*Part+:Part] <= array_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      load_bank_q   <= 1'b0;
      load_second_q <= 1'b0;
      c_load_bank_q <= 1'b0;
      bank_q        <= 1'b0;
      c_bank_q      <= 1'b0;
      pass_q        <= '0;
      part_valid_q  <= '0;
      part_final_q  <= '0;
      part_fp16_q   <= '0;
      drain_half_q  <= 1'b0;
      drain_odd_q   <= 1'b0;
    end else begin
      load_bank_q   <= load_bank_d;
      load_second_q <= load_second_d;
      c_load_bank_q <= c_load_bank_d;
      bank_q        <= bank_d;
      c_bank_q      <= c_bank_d;
      pass_q        <= pass_d;
      part_valid_q  <= part_valid_d;
      part_final_q  <= part_final_d;
      part_fp16_q   <= part_fp16_d;
      drain_half_q  <= drain_half_d;
      drain_odd_q   <= drain_odd_d;
    end
  end

  accumulator_scatter accumulator_scatter (
      .is_fp16_i (drain_fp16),
      .odd_i     (drain_odd_q),
      .element_i (drain_half_q ? part_q[4*Part-1:2*Part] : part_q[2*Part-1:0]),
      .register_o(result_o)
  );

endmodule
