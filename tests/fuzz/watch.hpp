#pragma once

#include <cstdint>
#include <string_view>

namespace tcsim::fuzz {

/// Watches a reader while it reads: an input that ends the process or takes more than 5 s of
/// processor time is named on standard error with the command that repeats it.
class Watch {
 public:
  /// One at a time.
  explicit Watch(std::string_view reader);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// Input `index` comes next.
  void next(std::uint32_t index);
  /// By how much the process has grown since the watch began, at its largest; under
  /// AddressSanitizer, the bytes allocated.
  [[nodiscard]] std::int64_t grown_bytes() const;

 private:
  std::int64_t peak_at_start_ = 0;
};

}  // namespace tcsim::fuzz
