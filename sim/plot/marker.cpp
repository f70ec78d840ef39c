#include "sim/plot/marker.hpp"

#include <fmt/format.h>

namespace tcsim::plot {

std::string marker(double x, double y, double radius, std::size_t shape) {
  const double r = radius;
  switch (shape % kMarkers) {
    case 0:
      return fmt::format(
          "M{:.1f} {:.1f}a{r:.3g} {r:.3g} 0 1 0 {d:.3g} 0a{r:.3g} {r:.3g} 0 1 0 "
          "-{d:.3g} 0Z",
          x - r, y, fmt::arg("r", r), fmt::arg("d", 2 * r));
    case 1:
      return fmt::format("M{:.1f} {:.1f}h{d:.3g}v{d:.3g}h-{d:.3g}Z", x - r, y - r,
                         fmt::arg("d", 2 * r));
    case 2:
      return fmt::format("M{:.1f} {:.1f}l{w:.3g} {h:.3g}h-{d:.3g}Z", x, y - 1.2 * r,
                         fmt::arg("w", 1.2 * r), fmt::arg("h", 2.1 * r), fmt::arg("d", 2.4 * r));
    case 3:
      return fmt::format("M{:.1f} {:.1f}l{w:.3g} {w:.3g}l-{w:.3g} {w:.3g}l-{w:.3g} -{w:.3g}Z", x,
                         y - 1.3 * r, fmt::arg("w", 1.3 * r));
    case 4:
      return fmt::format("M{:.1f} {:.1f}l{w:.3g} -{h:.3g}h-{d:.3g}Z", x, y + 1.2 * r,
                         fmt::arg("w", 1.2 * r), fmt::arg("h", 2.1 * r), fmt::arg("d", 2.4 * r));
    case 5:
      return fmt::format(
          "M{:.1f} {:.1f}h{w:.3g}v{l:.3g}h{l:.3g}v{w:.3g}h-{l:.3g}v{l:.3g}h-{w:.3g}v-{l:.3g}"
          "h-{l:.3g}v-{w:.3g}h{l:.3g}Z",
          x - 0.45 * r, y - 1.3 * r, fmt::arg("w", 0.9 * r), fmt::arg("l", 0.85 * r));
    default:
      return fmt::format("M{:.1f} {:.1f}h{d:.3g}l-{d:.3g} {h:.3g}h{d:.3g}Z", x - r, y - 1.2 * r,
                         fmt::arg("d", 2 * r), fmt::arg("h", 2.4 * r));
  }
}

}  // namespace tcsim::plot
