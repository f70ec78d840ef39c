#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/labs/lab.hpp"
#include "sim/labs/parameters.hpp"
#include "sim/labs/solution.hpp"

namespace tcsim::labs {

/// A command that ended with another status than 0; the message is the first line of its standard
/// error.
class CommandFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs tcsim with these arguments and returns its standard output. Throws CommandFailed.
using Runner = std::function<std::string(const std::vector<std::string>& arguments)>;

/// The points of one question or check.
struct Mark {
  std::string name{};
  double points = 0;
  double most = 0;
  std::string reason{};  ///< "right", or what is wrong, without the right value
  bool by_hand = false;
  std::string expected{};  ///< the right value with its unit, for the instructor alone
};

struct Grade {
  int lab = 0;
  std::string title;
  std::string student;
  std::vector<Mark> marks;

  [[nodiscard]] double points() const;
  [[nodiscard]] double most() const;  ///< what can be had without the questions graded by hand
};

/// Grades what `submission` hands in for `lab`: computes the measures of `solution` again with the
/// student's own numbers and compares within the tolerances. Throws ConfigError if solution and lab
/// do not fit together, CommandFailed if a command that does not read the submission fails.
Grade grade(const Lab& lab, const Solution& solution, const std::filesystem::path& submission,
            const std::string& student, const Parameters& parameters, const Runner& run);

}  // namespace tcsim::labs
