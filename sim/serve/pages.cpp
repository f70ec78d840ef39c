#include "sim/serve/pages.hpp"

#include <algorithm>
#include <array>

#include "sim/serve/page_files.hpp"

namespace tcsim::serve {
namespace {

constexpr const char* kHtml = "text/html; charset=utf-8";
constexpr const char* kStyle = "text/css; charset=utf-8";
constexpr const char* kScript = "text/javascript; charset=utf-8";

constexpr std::array<Page, 12> kPages{{{"/", kHtml, index_html},
                                       {"/style.css", kStyle, style_css},
                                       {"/app.js", kScript, app_js},
                                       {"/client.js", kScript, client_js},
                                       {"/editor.js", kScript, editor_js},
                                       {"/experiment.js", kScript, experiment_js},
                                       {"/machine.js", kScript, machine_js},
                                       {"/roofline.js", kScript, roofline_js},
                                       {"/runs.js", kScript, runs_js},
                                       {"/sweeps.js", kScript, sweeps_js},
                                       {"/timeline.js", kScript, timeline_js},
                                       {"/workload.js", kScript, workload_js}}};

}  // namespace

const Page* find_page(std::string_view path) {
  const auto found = std::ranges::find(kPages, path, &Page::path);
  return found == kPages.end() ? nullptr : &*found;
}

std::vector<std::string> page_paths() {
  std::vector<std::string> paths;
  for (const Page& page : kPages) paths.emplace_back(page.path);
  return paths;
}

}  // namespace tcsim::serve
