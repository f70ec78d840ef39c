#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tcsim::labs {

/// A student of the course, and the folder with that student's submission.
struct Enrolled {
  std::string student;
  std::string folder;
};

/// Reads the instructor's roster: CSV whose first line names the columns `student` and, if folders
/// are not called like students, `folder`; other columns are not read. A student's id follows the
/// rule of names and is not kGradesFile, a folder is one name without a slash, the id where it is
/// empty, and each occurs once. A column that looks like a misspelt one of these is a mistake.
/// Throws ConfigError with every mistake, and IoError.
std::vector<Enrolled> read_roster(const std::filesystem::path& file);

/// Why `student` cannot be a student's id; empty if it can, or if `student` is empty.
std::string id_mistake(const std::string& student);

}  // namespace tcsim::labs
