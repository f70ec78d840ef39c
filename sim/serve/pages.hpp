#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tcsim::serve {

/// A file of the playground, which the build puts into the program.
struct Page {
  std::string_view path;  ///< "/", "/app.js"
  const char* type;
  std::string_view (*content)();
};

/// The file at `path`, or null.
const Page* find_page(std::string_view path);

/// The paths of all of them.
std::vector<std::string> page_paths();

}  // namespace tcsim::serve
