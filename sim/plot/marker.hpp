#pragma once

#include <cstddef>
#include <string>

namespace tcsim::plot {

/// Shapes of markers: circle, square, triangle, diamond, triangle upside down, plus, hourglass.
inline constexpr std::size_t kMarkers = 7;

/// Path data of marker `shape` round a point; shapes repeat after kMarkers. `radius`: of the
/// circle, whose size the others have.
std::string marker(double x, double y, double radius, std::size_t shape);

}  // namespace tcsim::plot
