#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tcsim::labs {

/// Most points of one question or check.
inline constexpr double kMostPoints = 1e6;

/// A number that each student draws from `first`, `first` + `step`, ..., `last`, or from `choices`,
/// which are kinds of something rather than quantities.
struct ParameterSpec {
  std::string name{};
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t step = 1;
  std::vector<int> choices{};  ///< replaces the range unless empty

  /// Number of values that can be drawn.
  [[nodiscard]] std::int64_t values() const;
  [[nodiscard]] std::int64_t value(std::int64_t index) const;  ///< from 0
};

/// One row of the answer sheet.
struct Question {
  std::string id{};
  std::string ask{};
  std::string unit{};  ///< "1" for a plain number, "word" for one of `words`, "" if written
  double points = 0;
  bool written = false;          ///< answered in report.md and graded by hand
  double tolerance_percent = 0;  ///< relative to the expected number
  std::vector<std::string> words{};
};

/// A lab as its lab.yaml describes it. Texts refer to the student's numbers as @name@.
struct Lab {
  int number = 0;
  std::string place{};  ///< of the number, `file:line:column`
  std::string title{};
  std::string goal{};
  int time_limit_s = 0;  ///< for all commands on two cores
  std::vector<ParameterSpec> parameters{};
  std::vector<Question> questions{};
  std::vector<std::string> commands;  ///< commands of the handout, each starting with tcsim
  std::vector<std::string> files;     ///< to hand in with answers.csv and report.md
  std::string figure;                 ///< file that the commands write
  std::filesystem::path folder;

  [[nodiscard]] const Question* question(const std::string& id) const;
};

/// Reads `folder`/lab.yaml. Throws ConfigError with every mistake, and IoError.
Lab read_lab(const std::filesystem::path& folder);

/// The labs in the folders of `root` that are called NN-name, ordered by number. Throws
/// ConfigError, also if two have one number, and IoError.
std::vector<Lab> read_labs(const std::filesystem::path& root);

}  // namespace tcsim::labs
