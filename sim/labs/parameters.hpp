#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/labs/lab.hpp"

namespace tcsim::labs {

/// The numbers of one student, by name.
using Parameters = std::map<std::string, std::int64_t>;

/// Draws the numbers of `student` for `lab`: HMAC-SHA256 of lab, name and student under the course
/// secret, modulo the number of choices. Equal inputs give equal numbers, which are unpredictable
/// without the secret.
Parameters draw(const Lab& lab, const std::string& student, const std::string& secret);

/// `text` with every @name@ replaced. Other text between two @ stays.
std::string filled(std::string text, const Parameters& parameters);

}  // namespace tcsim::labs
