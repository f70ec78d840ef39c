/// The exact sum of signed terms, by a tree of carry-save adders and one carry-propagate adder, or
/// as a chain of additions left to the synthesis tool. Combinational.
module term_sum #(
    parameter int Terms     = 5,
    parameter int TermBits  = 26,
    parameter int SumBits   = 29,    // >= TermBits, enough for the sum
    parameter bit CarrySave = 1'b1
) (
    input  logic [Terms*TermBits-1:0] term_i,  // two's complement each
    output logic [SumBits-1:0]        sum_o
);

  // Rows form a queue: each adder takes the three oldest and appends its sum and carry, so the tree
  // is balanced. Terms - 2 adders leave two rows.
  localparam int Rows = 3 * Terms - 4;
  logic [SumBits-1:0] row [Rows];

  if (CarrySave) begin : gen_carry_save
    always_comb begin
      for (int i = 0; i < Terms; i++) begin
        row[i] = {{(SumBits - TermBits) {term_i[TermBits*i+TermBits-1]}},
                  term_i[TermBits*i+:TermBits]};
      end
      for (int i = 0; i < Terms - 2; i++) begin
        row[Terms+2*i]   = row[3*i] ^ row[3*i+1] ^ row[3*i+2];
        row[Terms+2*i+1] = ((row[3*i] & row[3*i+1]) | (row[3*i] & row[3*i+2]) |
                            (row[3*i+1] & row[3*i+2])) << 1;
      end
    end
    assign sum_o = row[Rows-2] + row[Rows-1];
  end else begin : gen_plain
    always_comb begin
      for (int i = 0; i < Rows; i++) row[i] = '0;
      for (int i = 0; i < Terms; i++) begin
        row[0] = row[0] + {{(SumBits - TermBits) {term_i[TermBits*i+TermBits-1]}},
                           term_i[TermBits*i+:TermBits]};
      end
    end
    assign sum_o = row[0];
  end

  if (Terms < 2) begin : gen_too_few
    $error("term_sum: at least two terms");
  end

endmodule
