#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/labs/lab.hpp"
#include "sim/labs/parameters.hpp"
#include "sim/labs/submission.hpp"

namespace tcsim::labs {

inline constexpr const char* kSheetFile = "answers.csv";
/// No file that a lab asks for comes near it.
inline constexpr std::size_t kMostBytesHandedIn = std::size_t{1} << 20;

/// A folder whose lab cannot be told.
class UnknownLab : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Answer {
  std::string value;  ///< as written, without blanks round it
  std::string unit;
  int line = 0;
};

/// A filled-in answer sheet: the answers by question, and every mistake of form as
/// `file:line: reason`.
struct Sheet {
  std::map<std::string, Answer> answers;
  std::vector<std::string> mistakes;
  std::string refusal;  ///< why it or its first line was not read, which is a mistake of it too
};

/// Reads answers.csv. A sheet that cannot be read at all is a mistake of the sheet.
Sheet read_sheet(const Submission& submission, const Lab& lab);

/// The sheet to fill in: question, value, unit, and what is asked.
std::string blank_sheet(const Lab& lab, const Parameters& parameters);

/// Words are compared without regard to case.
bool is_same_word(const std::string& one, const std::string& other);

/// What is wrong with the form of `answer`: not a number, not one of the words, another unit; "" if
/// nothing is. Says neither what the value should be nor what stands in the sheet.
std::string form_mistake(const Question& question, const Answer& answer);

/// Every mistake of form in what was handed in, missing files, empty rows and
/// unanswered sections of the report included.
std::vector<std::string> check_submission(const Submission& submission, const Lab& lab);

/// The number of the lab that the lab.yaml handed in states, which says no more than that. Throws
/// UnknownLab with the reason.
int lab_number_of(const Submission& submission);

}  // namespace tcsim::labs
