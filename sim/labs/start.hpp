#pragma once

#include <filesystem>
#include <string>

#include "sim/labs/lab.hpp"
#include "sim/labs/parameters.hpp"

namespace tcsim::labs {

inline constexpr const char* kStudentFile = "student.txt";

/// Copies the files of `lab` into `target` with the student's numbers filled in, and writes
/// answers.csv, report.md and student.txt. Throws files::IoError, also if `target` exists.
void start(const Lab& lab, const std::string& student, const Parameters& parameters,
           const std::filesystem::path& target);

/// The student that student.txt of `folder` names, "" if there is none.
std::string student_of(const std::filesystem::path& folder);

}  // namespace tcsim::labs
