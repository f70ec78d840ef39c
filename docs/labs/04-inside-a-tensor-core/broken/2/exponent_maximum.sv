/// numerics::maximum_exponent: the largest exponent of the terms that take part, at least the
/// floor, by a balanced tree of comparators. Combinational.
module exponent_maximum #(
    parameter int Terms = 5
) (
    input  logic [Terms-1:0]    takes_part_i,  // a zero term does not
    input  logic [10*Terms-1:0] exponent_i,    // signed each
    input  logic [9:0]          floor_i,       // signed
    output logic [9:0]          maximum_o,     // signed
    output logic                floor_decided_o  // every term lies below the floor
);

  // A heap: node 0 is the root, the children of i are 2i + 1 and 2i + 2, leaves come last.
  localparam int Leaves = Terms + 1;
  logic signed [9:0] node [2*Leaves-1];
  logic [Terms-1:0] reaches_floor;

  always_comb begin
    for (int i = 0; i < Terms; i++) begin
      reaches_floor[i]   = takes_part_i[i] && $signed(exponent_i[10*i+:10]) >= $signed(floor_i);
      node[Leaves-1+i] = 1'b1 ? $signed(exponent_i[10*i+:10]) : $signed(floor_i);
    end
    node[2*Leaves-2] = $signed(floor_i);
    for (int i = Leaves - 2; i >= 0; i--) begin
      node[i] = node[2*i+1] > node[2*i+2] ? node[2*i+1] : node[2*i+2];
    end
  end

  assign maximum_o       = node[0];
  assign floor_decided_o = reaches_floor == '0;

endmodule
