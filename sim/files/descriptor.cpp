#include "sim/files/descriptor.hpp"

#include <unistd.h>

#include <cerrno>

namespace tcsim::files {

Descriptor::~Descriptor() {
  if (is_open()) ::close(number_);
}

bool Descriptor::close() { return ::close(std::exchange(number_, -1)) == 0; }

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace tcsim::files
