#pragma once

#include <string_view>

namespace tcsim::results {

// Files that the build puts into the program. The zoom files are those of the npm package uPlot
// (MIT licence), empty where the build found none: pages then have the still picture alone.

std::string_view report_style();   ///< page/report.css
std::string_view report_script();  ///< page/report.js
std::string_view zoom_script();    ///< uPlot.iife.min.js
std::string_view zoom_style();     ///< uPlot.min.css
std::string_view glossary();       ///< docs/glossary.md

}  // namespace tcsim::results
