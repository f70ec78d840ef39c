#pragma once

#include <filesystem>

#include "sim/labs/lab.hpp"
#include "sim/labs/parameters.hpp"

namespace tcsim::labs {

/// Copies the files of `lab` into `target` with a student's numbers filled in, and writes
/// answers.csv and report.md. Throws ConfigError before anything is written, with every @name@ in
/// them that is not one of `parameters`; IoError, also if `target` exists.
void start(const Lab& lab, const Parameters& parameters, const std::filesystem::path& target);

}  // namespace tcsim::labs
