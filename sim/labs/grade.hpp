#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/labs/lab.hpp"
#include "sim/labs/parameters.hpp"
#include "sim/labs/solution.hpp"
#include "sim/labs/submission.hpp"

namespace tcsim::labs {

/// A command that ended with a status other than 0; the message states it.
class CommandFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A command that was ended at its time limit.
class CommandTimedOut : public CommandFailed {
 public:
  using CommandFailed::CommandFailed;
};

/// A tcsim command to run. One that uses anything from a submission is the student's: it runs
/// confined, in a new folder that contains only `files`. The instructor's runs in such a folder if
/// it has files.
struct Job {
  std::vector<std::string> arguments;
  bool is_students = false;
  std::map<std::string, std::string> files{};  ///< content by name
};

/// Runs a job and returns its standard output. Throws CommandFailed; for a student's job, the
/// student reads its message.
using Runner = std::function<std::string(const Job& job)>;

/// The points of one question or check.
struct Mark {
  std::string name{};
  double points = 0;
  double most = 0;
  std::string reason{};  ///< "right", or what is wrong; holds neither the right value nor any text
                         ///< of the submission
  bool by_hand = false;
  std::string expected{};  ///< the right value with its unit, only for the instructor
};

struct Grade {
  int lab = 0;
  std::string title;
  std::string student;
  std::vector<Mark> marks;
  std::string remark;  ///< on the submission as a whole, as "answers.csv: not handed in"; holds no
                       ///< text of it but the number of its lab

  [[nodiscard]] double points() const;
  [[nodiscard]] double most() const;  ///< the maximum without the questions graded by hand
};

/// The output of the commands that read no submission, by their words and files. Students with
/// equal numbers share it.
using Outputs = std::map<std::string, nlohmann::json>;

/// Grades a submission for `lab`: computes the measures of `solution` again with the student's own
/// numbers and compares within the tolerances. Throws ConfigError if solution and lab do not fit
/// together or a command that uses nothing from the submission fails; IoError for files of the lab.
Grade grade(const Lab& lab, const Solution& solution, const Submission& submission,
            const std::string& student, const Parameters& parameters, Outputs& outputs,
            const Runner& run);

/// The grade of a student without a submission.
Grade grade_of_nothing(const Lab& lab, const Solution& solution, const std::string& student,
                       const std::string& remark);

}  // namespace tcsim::labs
