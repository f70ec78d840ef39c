#pragma once

#include <string>

namespace tcsim::sweep {

/// A page that needs no other file: style for screens, phones, dark mode and paper, and the script
/// that selects configurations in parallel coordinates. `title` is plain text, `body` is HTML.
std::string html_page(const std::string& title, const std::string& body);

}  // namespace tcsim::sweep
