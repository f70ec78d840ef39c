#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/run/request.hpp"

namespace tcsim::run {

/// How a field is written.
enum class FieldKind : std::uint8_t { kFlag, kText, kTexts, kWhole, kReal };

/// One field of RunRequest for every interface: its name in files, its word on the command line,
/// its check and its help sentence.
struct Field {
  std::string name;    ///< in request files: "max_cycles"
  std::string letter;  ///< of the command line: "m" for -m; mostly empty
  FieldKind kind = FieldKind::kText;
  std::string help;
  /// Sets the field to the value of `text`; kTexts: adds it. Flags accept true and false. Throws
  /// RequestError with only the reason.
  std::function<void(RunRequest& request, const std::string& text)> take;
  /// The text that `take` needs to set the field as in `request`; nothing if it has its default.
  std::function<std::vector<std::string>(const RunRequest& request)> texts;
  std::vector<std::string_view> words{};  ///< all words that `take` allows; empty: there are many
  bool is_of_networks = false;            ///< has no meaning for other workloads
  bool is_swept = false;  ///< changes results, so that points of a sweep may differ in it
};

/// Every field, in the order of the help. The first is the workload, which has no word.
std::span<const Field> request_fields();

/// The field called `name`, or null.
const Field* find_field(std::string_view name);

/// The word of the field called `name` on the command line: "--max-cycles". Throws InternalError if
/// there is none.
std::string word_of(std::string_view name);

/// Sets the field called `name` to the value of `text`. Throws RequestError that begins with the
/// word.
void take_field(RunRequest& request, std::string_view name, const std::string& text);

/// A mistake in the field called `name`: "--tile: reason".
RequestError mistake_in(std::string_view name, std::string_view reason);

}  // namespace tcsim::run
