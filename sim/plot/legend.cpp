#include "sim/plot/legend.hpp"

namespace tcsim::plot {

double draw_legend(Drawing* drawing, const std::vector<std::string>& names, double left,
                   double top) {
  double x = left;
  double y = top + 14;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    const double width = 30 + kLetterWidth * static_cast<double>(names[i].size());
    if (x + width > kPictureWidth && x > left) {
      x = left;
      y += 19;
    }
    if (drawing != nullptr) {
      drawing->rectangle(x, y - 10, 11, 11, series_class('s', i), "");
      drawing->text(x + 16, y, names[i], "label");
    }
    x += width;
  }
  return names.empty() ? 0 : y - top + 8;
}

}  // namespace tcsim::plot
