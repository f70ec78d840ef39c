#pragma once

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "scripts/gpu/common/errors.hpp"

namespace tcsim::measure {

/// `--name value` pairs of a program. Throws ProgramError for a name that is not in `known`.
class Options {
 public:
  Options(int argc, char** argv, const std::vector<std::string>& known) {
    for (int i = 1; i < argc; i += 2) {
      const std::string name = argv[i];
      bool found = false;
      for (const std::string& word : known) found = found || name == "--" + word;
      if (!found)
        throw ProgramError(kMistake, name + ": unknown option (allowed:" + list(known) + ")");
      if (i + 1 == argc) throw ProgramError(kMistake, name + ": a value is missing");
      values_[name.substr(2)] = argv[i + 1];
    }
  }

  std::string text(const std::string& name, const std::string& otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
  }

  /// Throws ProgramError unless the value is a whole number from 1 up.
  long positive(const std::string& name, long otherwise) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return otherwise;
    char* end = nullptr;
    const long value = std::strtol(found->second.c_str(), &end, 10);
    if (*end != '\0' || value < 1)
      throw ProgramError(kMistake,
                         "--" + name + ": '" + found->second + "' is not a whole number from 1 up");
    return value;
  }

 private:
  static std::string list(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += " --" + word;
    return text;
  }

  std::map<std::string, std::string> values_;
};

}  // namespace tcsim::measure
