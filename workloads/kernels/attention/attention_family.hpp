#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workloads/kernels/attention/fused_tile.hpp"

namespace tcsim::kernels {

/// A tile of a fused kernel and the conditions for its use.
struct AttentionTile {
  FusedTile tile;               ///< tile.splits is 1
  std::int64_t most_dim = 0;    ///< largest head size
  bool is_causal_only = false;  ///< not if every query sees every key
  std::int64_t least_queries = 1;
  std::int64_t most_rows = 0;  ///< queries times heads that share keys; 0: any
  int sm_shared_below = 0;     ///< only if an SM has less shared memory, bytes; 0: on any
  int cta_shared_below = 0;    ///< only if a CTA may have less of it, bytes; 0: on any
  int line = 0;                ///< in the library file, from 1
  int column = 0;              ///< in the library file, from 1
  int base = 0;                ///< 0: in Library::file, n: in the nth of Library::bases
};

/// A launch, before attention with split keys, that divides each sequence separately: among as many
/// CTAs as its share of all blocks needs SMs.
struct KeySchedule {
  double margin = 1;                ///< on the blocks per SM
  std::int64_t most_sequences = 0;  ///< sequences that the launch can divide
};

/// When a library lets CTAs share the keys of a tile, and how many CTAs share them.
struct KeySplits {
  std::vector<AttentionTile> tiles;  ///< for CTAs that may share keys
  double full_share = 1;             ///< no splits if this share of the machine is filled
  /// Takes the fewest splits whose last wave is this full, relative to the best.
  double nearly_best = 1;
  int ctas_per_sm = 1;       ///< number that fills an SM
  int most = 1;              ///< splits
  int whole_blocks = 0;      ///< no splits for this many blocks of keys or fewer
  bool skips_equal = false;  ///< skips splits that have as many blocks each as with one split fewer
  std::optional<KeySchedule> schedule{};
};

/// Fused attention kernels of one kind that a library has, and the rule by which it picks among
/// them.
struct AttentionFamily {
  std::string library;                                        ///< name of the library
  std::string name;                                           ///< within it
  AttentionAlgorithm algorithm = AttentionAlgorithm::kFused;  ///< kFused or kPaged
  FusedForm form = FusedForm::kAsync;
  std::vector<Element> operands;
  std::vector<AttentionTile>
      tiles;  ///< for CTAs that take all keys; the first one that fits a problem is used
  std::optional<KeySplits> splits{};
};

/// Why `row` is not for `problem` on `target`, such as "head size above 64"; empty if it is.
std::string why_not_for(const AttentionTile& row, const AttentionProblem& problem,
                        const Target& target);

/// The first of `rows` that is for `problem`; null if none is.
const AttentionTile* first_for(const std::vector<AttentionTile>& rows,
                               const AttentionProblem& problem, const Target& target);

/// The first family among the libraries of `target` with kernels for `problem`; null if none has
/// any. It keeps its library alive.
std::shared_ptr<const AttentionFamily> find_attention(const AttentionProblem& problem,
                                                      const Target& target);

/// Why find_attention finds none: what the tiles of the first family for these operands
/// lack; of several, the last of those for the largest heads.
std::string why_no_attention_family(const AttentionProblem& problem, const Target& target);

}  // namespace tcsim::kernels
