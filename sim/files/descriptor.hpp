#pragma once

#include <string_view>
#include <utility>

namespace tcsim::files {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  /// Owns `number`, as open(2) and similar calls return it; a negative number is no descriptor.
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  /// Closes it immediately. Only close reports some errors of a written file; false leaves the
  /// reason in errno. Requires that it is open.
  [[nodiscard]] bool close();

 private:
  int number_;
};

/// Writes all of `text`; false leaves the reason in errno.
[[nodiscard]] bool write_all(int descriptor, std::string_view text);

}  // namespace tcsim::files
