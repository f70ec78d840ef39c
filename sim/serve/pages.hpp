#pragma once

#include <string_view>

namespace tcsim::serve {

/// A file of the playground, which the build puts into the program.
struct Page {
  std::string_view path;  ///< "/", "/app.js"
  const char* type;
  std::string_view (*content)();
};

/// The file at `path`, or null.
const Page* find_page(std::string_view path);

}  // namespace tcsim::serve
