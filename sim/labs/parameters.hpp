#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "sim/labs/lab.hpp"

namespace tcsim::labs {

/// The numbers of one student, by name.
using Parameters = std::map<std::string, std::int64_t>;

/// Draws the numbers of `student` for `lab`: HMAC-SHA256 of lab, name and student under the course
/// secret, modulo the number of choices. Equal inputs give equal numbers, which are unpredictable
/// without the secret.
Parameters draw(const Lab& lab, const std::string& student, const std::string& secret);

/// Where the @name@ at `at` of `text` ends, or `at` if there is none. A name has small letters,
/// digits and '_' and does not begin with a digit.
std::size_t end_of_marker(std::string_view text, std::size_t at);

/// `text` with every @name@ replaced. Other text between two @ stays.
std::string filled(std::string text, const Parameters& parameters);

}  // namespace tcsim::labs
