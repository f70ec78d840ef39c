#pragma once

#include <cstddef>
#include <string>

#include "sim/plot/drawing.hpp"

namespace tcsim::plot {

/// The axis of time that the rows of a picture of kPictureWidth share, with their labels left of
/// it.
struct TimeAxis {
  static constexpr double kLeft = 132;
  static constexpr double kRight = 712;

  double end = 1;    ///< > 0; the axis starts at 0
  std::string name;  ///< "microseconds"

  /// Pixels of `time`, from 0 to `end`.
  [[nodiscard]] double x(double time) const { return kLeft + time / end * (kRight - kLeft); }
  /// A grid from the upper edge to `bottom`, below that the numbers and the name.
  void draw(Drawing& drawing, double bottom) const;
  /// The same for a terminal, a line under rows of `columns` characters between bars, behind labels
  /// of `label_width`.
  [[nodiscard]] std::string ascii(std::size_t label_width, int columns) const;
};

}  // namespace tcsim::plot
