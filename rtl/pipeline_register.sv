/// One register of a ready/valid pipeline, or a wire if Enabled is 0. It holds its data until they
/// are taken and can accept new ones in the same cycle. Ready is combinational through the
/// pipeline; valid and data are registered. `load_o` advances the datapath registers of the same
/// cut.
module pipeline_register #(
    parameter int Width   = 8,
    parameter bit Enabled = 1'b1
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             valid_i,
    output logic             ready_o,
    input  logic [Width-1:0] data_i,
    output logic             valid_o,
    input  logic             ready_i,
    output logic [Width-1:0] data_o,
    output logic             load_o
);

  if (Enabled) begin : gen_register
    logic             valid_d, valid_q;
    logic [Width-1:0] data_d, data_q;

    assign ready_o = !valid_q || ready_i;
    assign load_o  = valid_i && ready_o;
    assign valid_d = ready_o ? valid_i : valid_q;
    assign data_d  = load_o ? data_i : data_q;
    assign valid_o = valid_q;
    assign data_o  = data_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        valid_q <= 1'b0;
        data_q  <= '0;
      end else begin
        valid_q <= valid_d;
        data_q  <= data_d;
      end
    end

`ifndef SYNTHESIS
    logic held_q;
    logic [Width-1:0] held_data_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) held_q <= 1'b0;
      else held_q <= valid_o && !ready_i;
      held_data_q <= data_o;
    end
    assert property (@(posedge clk_i) disable iff (!rst_ni) !held_q || valid_o)
    else $error("pipeline_register: valid fell before it was taken");
    assert property (@(posedge clk_i) disable iff (!rst_ni) !held_q || data_o == held_data_q)
    else $error("pipeline_register: data changed before they were taken");
`endif
  end else begin : gen_wire
    assign ready_o = ready_i;
    assign valid_o = valid_i;
    assign data_o  = data_i;
    assign load_o  = 1'b0;
    logic unused_clock;
    assign unused_clock = clk_i ^ rst_ni;
  end

  if (Width < 1) begin : gen_no_width
    $error("pipeline_register: Width must be positive");
  end

endmodule
