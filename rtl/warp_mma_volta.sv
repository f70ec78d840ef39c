/// Two 4x4x4 units at the registers of a warp, as in a sub-core of Volta: the steps of HMMA.884, an
/// mma.sync m8n8k4 on four quad pairs (numerics reference section 12). A step with FP32
/// accumulators is four passes in two cycles, one with FP16 accumulators eight passes in four.
///
/// The warp offers a step with its C register pair and, at step 0, the pairs of A and B, which stay
/// in the operand buffers for the other steps. The D pair leaves on `result`. A pair is two images
/// of 32 lanes, the first register lowest. The elements of a step are those of the table in section
/// 12: FP32 i = 2 step, 2 step + 1; FP16 i = 4 step .. 4 step + 3.
module warp_mma_volta #(
    parameter int PipelineDepth = 4  // of the arrays
) (
    input  logic          clk_i,
    input  logic          rst_ni,
    input  logic          step_valid_i,
    output logic          step_ready_o,
    input  logic [1:0]    step_i,             // FP16: 0 or 1
    input  logic          accumulate_fp16_i,
    input  logic          a_column_major_i,
    input  logic          b_row_major_i,
    input  logic [2047:0] a_i,                // taken at step 0
    input  logic [2047:0] b_i,
    input  logic [2047:0] c_i,
    output logic          result_valid_o,
    input  logic          result_ready_i,
    output logic [2047:0] result_o
);

  localparam int Pair = 2048;
  localparam int Image = 1024;

  // The step in progress, and its registers.
  logic            busy_d, busy_q;
  logic [1:0]      cycle_d, cycle_q;  // of the step
  logic [1:0]      step_q;
  logic            is_fp16_q, a_column_major_q, b_row_major_q;
  logic [Pair-1:0] a_q, b_q, c_q;
  logic            taken, last_cycle, pass_ready, pass_taken;

  assign last_cycle   = cycle_q == (is_fp16_q ? 2'd3 : 2'd1);
  assign pass_taken   = busy_q && pass_ready;
  assign step_ready_o = !busy_q || (last_cycle && pass_ready);
  assign taken        = step_valid_i && step_ready_o;

  always_comb begin
    busy_d  = busy_q;
    cycle_d = cycle_q;
    if (pass_taken) begin
      cycle_d = cycle_q + 2'd1;
      if (last_cycle) busy_d = 1'b0;
    end
    if (taken) begin
      busy_d  = 1'b1;
      cycle_d = 2'd0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      cycle_q <= 2'd0;
    end else begin
      busy_q  <= busy_d;
      cycle_q <= cycle_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (taken) begin
      step_q    <= step_i;
      is_fp16_q <= accumulate_fp16_i;
      c_q       <= c_i;
    end
    if (taken && step_i == 2'd0) begin
      a_column_major_q <= a_column_major_i;
      b_row_major_q    <= b_row_major_i;
      a_q              <= a_i;
      b_q              <= b_i;
    end
  end

  // Passes. FP32: array n works on quad pair 2 cycle + n, on the two local rows of both bands that
  // the step names. FP16: array n works on band n of quad pair `cycle`.
  logic [1:0]   array_valid, array_pass_ready;
  logic         array_ready;
  logic [7:0]   array_tag;  // is_fp16, last cycle, cycle; of both arrays
  logic [1023:0] array_d;

  // Both arrays advance together: they see the same handshake.
  assign pass_ready = array_pass_ready == 2'b11;

  for (genvar n = 0; n < 2; n++) begin : gen_array
    logic [255:0] a, b;
    logic [511:0] c;

    quad_pair_gather quad_pair_gather (
        .pair_i          (is_fp16_q ? cycle_q : {cycle_q[0], 1'(n)}),
        .band_i          (1'(n)),
        .is_fp16_i       (is_fp16_q),
        .step_i          (step_q),
        .a_column_major_i(a_column_major_q),
        .b_row_major_i   (b_row_major_q),
        .a_i             (a_q),
        .b_i             (b_q),
        .c_i             (c_q),
        .a_o             (a),
        .b_o             (b),
        .c_o             (c)
    );

    mma_4x4x4 #(
        .PipelineDepth(PipelineDepth),
        .TagBits      (4)
    ) unit (
        .clk_i            (clk_i),
        .rst_ni           (rst_ni),
        .valid_i          (busy_q),
        .ready_o          (array_pass_ready[n]),
        .tag_i            ({is_fp16_q, last_cycle, cycle_q}),
        .format_i         (mma_pkg::FormatFp16),
        .accumulate_fp16_i(is_fp16_q),
        .a_i              (a),
        .b_i              (b),
        .c_i              (c),
        .valid_o          (array_valid[n]),
        .ready_i          (array_ready),
        .tag_o            (array_tag[4*n+:4]),
        .d_o              (array_d[512*n+:512])
    );
  end

  // The D pair fills cycle by cycle and leaves when it is complete.
  logic            full_d, full_q, result_moves, result_fp16, result_last;
  logic [1:0]      result_cycle;
  logic [Pair-1:0] d_q;

  assign {result_fp16, result_last, result_cycle} = array_tag[3:0];
  assign array_ready    = !full_q || result_ready_i;
  assign result_moves   = array_valid[0] && array_ready;
  assign result_valid_o = full_q;
  assign result_o       = d_q;
  assign full_d         = result_moves && result_last ? 1'b1 : full_q && !result_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) full_q <= 1'b0;
    else full_q <= full_d;
  end

  for (genvar pair = 0; pair < 4; pair++) begin : gen_pair
    for (genvar t = 0; t < 8; t++) begin : gen_thread
      for (genvar r = 0; r < 2; r++) begin : gen_register
        localparam int Word = Image * r + 32 * (t % 4 + 4 * pair + 16 * (t / 4));
        // FP32: array pair % 2, column (t & 2) + r.
        localparam int Row = t % 2 + 2 * (t / 4);
        localparam int Wide = 512 * (pair % 2) + 32 * (4 * Row + (t / 2 % 2) * 2 + r);
        // FP16: row t % 4, columns 2r and 2r + 1, array t / 4.
        localparam int Narrow = 512 * (t / 4) + 32 * (4 * (t % 4) + 2 * r);
        logic        mine;
        logic [31:0] word_d;
        assign mine = result_fp16 ? result_cycle == 2'(pair) : result_cycle[0] == 1'(pair / 2);
        assign word_d = result_fp16 ? {array_d[Narrow+32+:16], array_d[Narrow+:16]}
                                    : array_d[Wide+:32];
        always_ff @(posedge clk_i) if (result_moves && mine) d_q[Word+:32] <= word_d;
      end
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   array_valid[0] == array_valid[1] && array_pass_ready[0] == array_pass_ready[1])
  else $error("warp_mma_volta: the arrays lost step");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !step_valid_i || !accumulate_fp16_i ||
                   !step_i[1])
  else $error("warp_mma_volta: HMMA.884 with FP16 accumulators has two steps");
`endif
  logic unused_tag;
  assign unused_tag = ^array_tag[7:4];

endmodule
