#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/config/machine.hpp"

namespace tcsim::config {

/// Where the value of a key lives in a Machine; the alternative is the kind of the key.
using Slot =
    std::variant<int& (*)(Machine&), long long& (*)(Machine&), double& (*)(Machine&),
                 std::string& (*)(Machine&), std::vector<int>& (*)(Machine&),
                 std::vector<std::int64_t>& (*)(Machine&), std::vector<std::string>& (*)(Machine&),
                 std::vector<sm::TensorInstructionParams>& (*)(Machine&),
                 std::optional<int>& (*)(Machine&), sm::CoreShape& (*)(Machine&)>;

/// The word for a number that follows from other keys.
inline constexpr std::string_view kDerived = "derived";

/// Key::read_by of keys that only decide whether a run is refused.
inline constexpr std::string_view kChecks = "checks";

/// One key of a machine file. Reader, `machine explain`, the JSON schema and the documentation all
/// come from this row.
struct Key {
  std::string_view path;  ///< equal to the path of the field in Machine
  Slot slot;
  std::string_view unit;  ///< MHz, bytes, cycles, ns...; "" for counts and words
  double min;             ///< of the number, or of each number of a list
  double max;
  std::string_view words;    ///< allowed words, separated by '|'; "": any text
  std::string_view read_by;  ///< who reads it; "": it is only printed
  std::string_view sentence;
  std::string_view fallback = {};  ///< value if the key is left out; "": it must be given

  /// True if no result depends on it, except perhaps whether a run is refused.
  [[nodiscard]] bool descriptive() const { return read_by.empty() || read_by == kChecks; }
};

/// A mapping of keys.
struct Section {
  std::string_view path;
  std::string_view sentence;
};

/// One key of an entry of sm.tensor.instructions; if it is left out, it is derived.
struct InstructionKey {
  std::string_view name;
  std::optional<int> sm::TensorInstructionParams::*field;
  std::string_view unit;
  double min;
  double max;
  std::string_view read_by;
  std::string_view sentence;
};

inline constexpr std::string_view kInstructionsPath = "sm.tensor.instructions";
inline constexpr int kMaxListItems = 16;

/// Every key, in the order of a machine file.
const std::vector<Key>& keys();
const std::vector<Section>& sections();
const std::vector<InstructionKey>& instruction_keys();

/// The key at `path`, or null.
const Key* find_key(std::string_view path);
bool is_section(std::string_view path);

/// Last words of the keys and sections directly below section `path` ("": the top of the file).
std::vector<std::string_view> children(std::string_view path);

/// "integer", "number", "text", "list of integers", "list of texts", "mapping of instructions",
/// "integer or derived" or "shape".
std::string_view kind_name(const Key& key);
std::vector<std::string_view> allowed_words(const Key& key);

/// Mnemonics that sm.tensor.instructions may list.
std::vector<std::string_view> mma_mnemonics();

/// Why `mnemonic` is not one of them: what is wrong with its shape, or the most similar mnemonic.
std::string unknown_mma(const std::string& mnemonic);

}  // namespace tcsim::config
