#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/labs/lab.hpp"
#include "sim/labs/parameters.hpp"

namespace tcsim::labs {

inline constexpr const char* kSheetFile = "answers.csv";

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
};

/// Reads `folder`/answers.csv. A sheet that cannot be read at all is a mistake of the sheet.
Sheet read_sheet(const std::filesystem::path& folder, const Lab& lab);

/// The sheet to fill in: question, value, unit, and what is asked.
std::string blank_sheet(const Lab& lab, const Parameters& parameters);

/// What is wrong with the form of `answer`: not a number, not one of the words, another unit; "" if
/// nothing is. Never says what the value should be.
std::string form_mistake(const Question& question, const Answer& answer);

/// The number that `text` writes, or nothing.
std::optional<double> number_of(const std::string& text);

/// Every mistake of form in what `folder` hands in, missing files and empty rows included.
std::vector<std::string> check_submission(const std::filesystem::path& folder, const Lab& lab);

}  // namespace tcsim::labs
