#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/validate/named_kernels.hpp"
#include "workloads/kernels/cost_model.hpp"

namespace tcsim::run {

/// The choice of a machine's libraries for a call whose kernel is known by name.
struct NamedChoice {
  const validate::NamedKernel* row = nullptr;
  std::string library;  ///< that chooses
  kernels::GemmTile chosen{};
  kernels::GemmTile named{};             ///< 0 for what the name does not state
  kernels::GemmTile nearest{};           ///< of the menu to the named one
  bool is_right = false;                 ///< m x n
  bool is_right_in_all = false;          ///< and groups, k and stages, if the name states them
  std::optional<bool> is_slicing_right;  ///< k is cut or not; nothing if the row does not state it
  bool is_on_menu = false;               ///< a tile of the named m x n
  bool is_fastest_right = false;  ///< by the least estimate only, without preferences and margins
  double uniform = 0;             ///< chance that one of the menu's m x n at random is right
  std::optional<double> loss;     ///< estimate of the chosen over that of the named tile, minus 1
};

struct NamedChoices {
  std::vector<NamedChoice> rows;
  std::vector<validate::SkippedRow> skipped;  ///< those for which there is no kernel
};

/// Calls the chooser for every row, without simulating. Requires `rows` to outlive the result.
NamedChoices choose_for(const std::vector<validate::NamedKernel>& rows,
                        const std::vector<std::string>& libraries);

/// How many of some rows are right.
struct ChoiceScore {
  std::size_t rows = 0;
  std::size_t right = 0;
  std::size_t right_in_all = 0;
  std::size_t slicing_told = 0;
  std::size_t slicing_right = 0;
  std::size_t fastest_right = 0;
  std::size_t on_menu = 0;
  double uniform = 0;          ///< sum of chances
  std::vector<double> losses;  ///< of those that are wrong

  void add(const NamedChoice& choice);
};

/// The interval of a share in which it lies with 95 % confidence (Wilson): of `right` of `rows`.
struct ShareInterval {
  double low = 0;
  double high = 1;
};
ShareInterval wilson(std::size_t right, std::size_t rows);

/// Scores by GPU, library and operation, "all" last.
struct ChoiceGroup {
  std::string gpu;
  std::string library;
  std::string operation;
  ChoiceScore score;
};
std::vector<ChoiceGroup> score_choices(const std::vector<NamedChoice>& choices);

}  // namespace tcsim::run
