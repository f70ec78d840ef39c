#pragma once

#include <cstdint>
#include <string_view>

namespace tcsim::fuzz {

/// Watches a reader while it reads: if an input ends the process or takes more than 5 s of
/// processor time, standard error names it with the command that repeats it.
class Watch {
 public:
  /// One at a time.
  explicit Watch(std::string_view reader);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// Input `index` comes next.
  void next(std::uint32_t index);
  /// Maximum growth of the process since the watch began; under AddressSanitizer, the bytes
  /// allocated.
  [[nodiscard]] std::int64_t grown_bytes() const;

 private:
  std::int64_t peak_at_start_ = 0;
};

}  // namespace tcsim::fuzz
