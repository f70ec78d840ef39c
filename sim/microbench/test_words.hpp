#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tcsim::microbench {

/// What to run, as written in a table: a program and its parameters, "HMMA.16816.F32 warps=8 ilp=2"
/// or "chase bytes=24MiB".
struct TestWords {
  std::string program;
  std::map<std::string, std::int64_t, std::less<>> parameters;

  /// The value of `key`, or `otherwise`.
  [[nodiscard]] std::int64_t value(std::string_view key, std::int64_t otherwise) const;
};

/// Reads `text`. Values are decimal integers >= 0, bytes may end in KiB or MiB. Every mistake is
/// appended to `mistakes` as a sentence that repeats the bad word.
TestWords parse_test(std::string_view text, std::vector<std::string>& mistakes);

}  // namespace tcsim::microbench
