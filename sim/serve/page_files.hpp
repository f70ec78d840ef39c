#pragma once

#include <string_view>

namespace tcsim::serve {

// Written by the build from the files in page/.
std::string_view index_html();
std::string_view style_css();
std::string_view app_js();
std::string_view client_js();
std::string_view editor_js();
std::string_view experiment_js();
std::string_view machine_js();
std::string_view roofline_js();
std::string_view runs_js();
std::string_view sweeps_js();
std::string_view timeline_js();
std::string_view workload_js();

}  // namespace tcsim::serve
