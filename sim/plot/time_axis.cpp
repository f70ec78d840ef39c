#include "sim/plot/time_axis.hpp"

#include <fmt/format.h>

#include "sim/plot/chart.hpp"

namespace tcsim::plot {

void TimeAxis::draw(Drawing& drawing, double bottom) const {
  const Scale scale = Scale::over(0, end, /*from_zero=*/true);
  for (const double tick : scale.ticks()) {
    if (tick > end * 1.0001) continue;
    drawing.line(x(tick), 0, x(tick), bottom, "grid");
    drawing.text(x(tick), bottom + 14, scale.text_of(tick), "label small", Anchor::kMiddle);
  }
  drawing.text((kLeft + kRight) / 2, bottom + 32, name, "label", Anchor::kMiddle);
}

std::string TimeAxis::ascii(std::size_t label_width, int columns) const {
  return fmt::format("  {:<{}}  0{:>{}} {}\n", "", label_width, tick_text(end), columns - 1, name);
}

}  // namespace tcsim::plot
