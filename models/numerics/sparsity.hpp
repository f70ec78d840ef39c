#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/numerics/instruction.hpp"

namespace tcsim::numerics {

/// Structured sparsity of one type: of every chunk of so many elements of a row of A, half are
/// stored, and one metadata nibble tells which (numerics reference section 11, PTX manual).
int sparse_chunk(ElementType type);

/// The positions in a dense row of its stored elements (ascending for ordered nibbles): nibble n
/// belongs to chunk n. Refusal kMistake: a nibble that keeps one position twice, that TF32 does not
/// have, or that descends although `ordered`.
Result<std::vector<int>> selected_positions(ElementType type, std::span<const std::uint8_t> nibbles,
                                            bool ordered);

/// One element of D of a sparse product. `stored_a` are the kept elements, `positions` their places
/// in the dense row, `b` the dense column. Blocks take selected products in ascending k
/// (assumption, question Q6); elements of b at unselected positions have no effect (Q7).
std::uint64_t sparse_mma(const Arithmetic& arithmetic, std::span<const std::uint64_t> stored_a,
                         std::span<const int> positions, std::span<const std::uint64_t> b,
                         std::uint64_t c);

/// Which thread holds the metadata nibble of which chunk. Layouts of wgmma are those of mma on each
/// warp's 16 rows (assumption).
class MetadataLayout {
 public:
  struct Chunk {
    int row = 0;
    int index = 0;
  };
  struct Slot {
    int lane = 0;
    int nibble = 0;  ///< 0 is the least significant of the 32-bit register.
    friend bool operator==(const Slot&, const Slot&) = default;
  };

  /// Requires a sparse instruction and 0 <= selector < selectors(instruction).
  MetadataLayout(const MmaInstruction& instruction, int selector);
  static int selectors(const MmaInstruction& instruction);

  int chunks_per_row() const { return chunks_per_row_; }
  Slot slot(Chunk chunk) const;

 private:
  enum class Family : std::uint8_t {
    kOneLane,     ///< 4 chunks a row: rows g and g + 8 in one register.
    kLanePerK,    ///< 8 chunks a row: rows g and g + 8 in one register, half of k each.
    kLanePerRow,  ///< 8 chunks a row: one register per row.
    kAllLanes,    ///< 16 chunks a row: one register per row and half of k.
  };
  static Family family_of(const MmaInstruction& instruction);

  Family family_;
  int selector_;
  int chunks_per_row_;
};

}  // namespace tcsim::numerics
