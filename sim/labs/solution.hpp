#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/labs/lab.hpp"

namespace tcsim::labs {

/// A value from the JSON that a tcsim command prints. The command may use the student's numbers,
/// @name@, a file of the lab with these numbers, {lab}/NAME, a submitted file, {submission}/NAME,
/// and the setting KEY=VALUE on the first line of a submitted file, {file:NAME}.
struct Measure {
  std::string name;
  std::string command;
  std::string at;       ///< path into the JSON (json_path.hpp)
  std::string place{};  ///< `file:line:column`, for messages
};

/// How the expected answer of one question is determined.
struct Expected {
  std::string id;
  std::string value;    ///< expression over the student's numbers and measures; "" for a word
  std::string word;     ///< the word itself
  std::string word_of;  ///< or the name of a measure, whose text it is
  std::string place{};  ///< as of a measure
};

/// A condition on a submission.
struct Check {
  std::string name;
  double points = 0;
  std::string condition;  ///< expression over the student's numbers and measures; not 0: met
  std::string place{};    ///< as of a measure
};

/// The content of the instructor's solution.yaml.
struct Solution {
  std::vector<Measure> measures;
  std::vector<Expected> answers;
  std::vector<Check> checks;
  std::string file;  ///< its path
};

/// Reads `folder`/solution.yaml, the solution of `lab`. Throws ConfigError with every mistake, also
/// answers to no question of the lab and words that a question does not allow; and IoError.
Solution read_solution(const std::filesystem::path& folder, const Lab& lab);

}  // namespace tcsim::labs
