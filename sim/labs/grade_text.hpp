#pragma once

#include <string>
#include <vector>

#include "sim/labs/grade.hpp"

namespace tcsim::labs {

/// A table: a line per question and check, then the sum. It contains the right values only if
/// `show_expected`.
std::string grade_table(const Grade& grade, bool show_expected);

/// results.json of the Gradescope autograder: tests with score, max_score, output and visibility.
/// Source: Gradescope documentation, "Autograder Specifications".
std::string gradescope_json(const Grade& grade);

/// lab,student,name,points,most,reason.
std::string grade_csv(const Grade& grade);

/// Beside the folders of the students, each of which is called like the student's id.
inline constexpr const char* kGradesFile = "grades.csv";

/// lab,student,points,most,remark: a row per student.
std::string grades_csv(const std::vector<Grade>& grades);

}  // namespace tcsim::labs
