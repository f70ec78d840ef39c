#include "tests/cli/tcsim_process.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>

namespace tcsim::cli {

ChildResult tcsim(std::vector<std::string> arguments, const std::function<int()>& pending_signal) {
  arguments.insert(arguments.begin(), TCSIM_BINARY);
  const auto ignore = [](std::size_t /*index*/, const ChildResult& /*result*/) {};
  return ChildPool(1).run({arguments}, ignore, pending_signal).front();
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TemporaryHome::TemporaryHome() : before_(std::filesystem::current_path()) {
  std::string pattern = (std::filesystem::temp_directory_path() / "tcsim-test-XXXXXX").string();
  home_ = ::mkdtemp(pattern.data());
  std::filesystem::current_path(home_);
}

TemporaryHome::~TemporaryHome() {
  std::filesystem::current_path(before_);
  std::filesystem::remove_all(home_);
}

}  // namespace tcsim::cli
