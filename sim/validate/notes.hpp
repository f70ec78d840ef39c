#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/kernels/kernel_name.hpp"

namespace tcsim::validate {

/// Texts by name.
using Fields = std::map<std::string, std::string, std::less<>>;

/// The words of the notes or parameters of a row, "clk=nominal;l2=warm;clock_locked".
std::vector<std::string_view> split_notes(std::string_view text);

/// Their values by name, "" of a word without one. Of words with one name the first counts.
Fields notes_of(std::string_view text);

/// Of the field called `name`; empty if there is none.
std::string value(const Fields& fields, std::string_view name);

/// The result type that the name of a kernel for bytes states. The types of a list are those of
/// operands; for bytes, libraries have kernels for each result type. Empty for other kernels.
std::string result_of_bytes(const kernels::KernelName& name);

}  // namespace tcsim::validate
