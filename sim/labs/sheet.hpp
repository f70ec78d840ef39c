#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/labs/lab.hpp"
#include "sim/labs/parameters.hpp"
#include "sim/labs/submission.hpp"

namespace tcsim::labs {

inline constexpr const char* kSheetFile = "answers.csv";
/// No file that a lab asks for is nearly as large.
inline constexpr std::size_t kMostBytesHandedIn = std::size_t{1} << 20;

/// A folder whose lab cannot be determined.
class UnknownLab : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Answer {
  std::string value;  ///< as written, without surrounding blanks
  std::string unit;
  int line = 0;
  std::string what{};  ///< the question as the sheet states it, without surrounding blanks
};

/// A filled-in answer sheet: the answers by question, and every mistake of form as `file:line:
/// reason` without any text of the sheet.
struct Sheet {
  std::map<std::string, Answer> answers;
  std::vector<std::string> mistakes;
  std::string refusal;  ///< why it, or its first line, was not read; this counts as a mistake too

  /// False if `refusal` is why no answer is there.
  [[nodiscard]] bool is_read() const { return refusal.empty() || !answers.empty(); }
};

/// Reads answers.csv. If the sheet cannot be read at all, that is a mistake of the sheet.
Sheet read_sheet(const Submission& submission, const Lab& lab);

/// The sheet in which the values are to be filled in: question, value, unit, and what is asked.
std::string blank_sheet(const Lab& lab, const Parameters& parameters);

/// The line of an answer whose question, as the sheet states it, is that of blank_sheet with other
/// numbers than `parameters`: the sheet of another student or course. 0 if there is none.
int line_for_other_numbers(const Sheet& sheet, const Lab& lab, const Parameters& parameters);

/// The value as a number, which may have a sign; nothing if it is not a finite number.
std::optional<double> number_in(const Answer& answer);

/// Words are compared without regard to case.
bool is_same_word(const std::string& one, const std::string& other);

/// What is wrong with the form of `answer`: not a number, not one of the words, another unit; "" if
/// nothing is wrong. Reveals neither the expected value nor the content of the sheet.
std::string form_mistake(const Question& question, const Answer& answer);

/// Every mistake of form in a submission, including missing files, empty rows, unanswered sections
/// of the report, and files without a setting in place of one of the lab's that has one.
std::vector<std::string> check_submission(const Submission& submission, const Lab& lab);

/// The lab number that the submitted lab.yaml states; nothing else of that file is used. Throws
/// UnknownLab with the reason.
int lab_number_of(const Submission& submission);

}  // namespace tcsim::labs
