#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/base_chain.hpp"
#include "sim/config/machine.hpp"

namespace tcsim::config {

/// One effective value of a machine, for `machine show`, `diff` and the manifest of a run.
struct Setting {
  std::string key;
  std::string value;     ///< canonical: bytes as a plain number, lists as "[1, 2]" and "["a", "b"]"
  bool is_text = false;  ///< false: `value` is a JSON number or list
  std::string unit;      ///< "" for counts and words
  std::string source;    ///< the comment after the value in the file; "" for --set,
                         ///< "left out" for a key that need not be there
  std::string base;      ///< the file that gives it, if that is a base; "": the machine's own
  int line = 0;          ///< in the file
  int column = 0;        ///< in the file
  int set = 0;           ///< number of the --set option that gave the value, from 1; 0: the file
  bool descriptive = false;  ///< no result depends on it
  bool derived = false;      ///< `value` follows from other keys
};

/// A machine with the origin of each of its values.
struct MachineFile {
  Machine machine;
  std::string file;
  std::vector<Setting> settings;  ///< in the order of schema keys
};

/// Section `numerics` of a file, and the architecture, "" if there is none.
struct NumericsFile {
  std::string architecture;
  NumericsParams numerics;
};

/// The value of a key in a shipped machine.
struct ShippedValue {
  std::string machine;
  std::string value;
};

/// The value of a key in a shipped machine, one of the same architecture if there is one, as help
/// when the key is missing; nothing if that machine lacks the key.
using PresetLookup = std::function<std::optional<ShippedValue>(std::string_view key,
                                                               const std::string& architecture)>;

/// Reads a machine from the text of `file` with `overrides` ("key.path=value", in order) on top. A
/// file with the key `base` states only its differences from another machine, which may have a base
/// in turn. Throws ConfigError with every mistake of the files and the overrides.
MachineFile read_machine_text(const std::string& file, const std::string& text,
                              const std::vector<std::string>& overrides, const PresetLookup& preset,
                              const BaseLookup& bases = {});

/// The same for section `numerics` alone and the architecture that it may refer to.
NumericsFile read_numerics_text(const std::string& file, const std::string& text,
                                const BaseLookup& bases = {});

/// The value as written at `key` in YAML `text`; nothing if it is absent or not a plain value or
/// list.
std::optional<std::string> written_value(const std::string& text, std::string_view key);

/// "key value" lines of the settings that models read and of the libraries that were read with
/// them, for hashing: equal text, equal behaviour. Library files count by what they say, not by
/// their paths.
std::string canonical_text(const MachineFile& file);

}  // namespace tcsim::config
