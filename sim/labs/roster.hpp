#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tcsim::labs {

/// A student of the course, and the folder in which the work of that student is handed in.
struct Enrolled {
  std::string student;
  std::string folder;
};

/// Reads the roster that the instructor keeps: CSV whose first line names the columns, `student`
/// and, where folders are not called like students, `folder`; other columns are not read. A
/// student's id follows the rule of names, a folder is one name without a slash, and each stands
/// there once. Throws ConfigError with every mistake, IoError.
std::vector<Enrolled> read_roster(const std::filesystem::path& file);

/// Why `student` may not be a student's id; empty if it may, or if there is none.
std::string id_mistake(const std::string& student);

}  // namespace tcsim::labs
