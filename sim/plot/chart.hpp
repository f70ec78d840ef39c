#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tcsim::plot {

/// A linear scale with round ticks that holds 0 or starts below the least value.
struct Scale {
  double first = 0;
  double last = 1;
  double step = 0.2;

  /// At most 20 ticks. Throws std::invalid_argument unless least <= most, both finite and below
  /// 1e300.
  static Scale over(double least, double most, bool from_zero);
  /// From 0 to 1.
  [[nodiscard]] double position(double value) const { return (value - first) / (last - first); }
  [[nodiscard]] std::vector<double> ticks() const;
  /// A tick as tick_text, with more digits where its neighbours would look the same.
  [[nodiscard]] std::string text_of(double tick) const;
};

/// "48", "1.5", "2.4e+06".
std::string tick_text(double value);

/// Colours that readers with colour-blindness tell apart (Okabe and Ito). More series take them in
/// turns, each round with other dashes and marks.
inline constexpr std::size_t kSeriesColours = 8;

/// The attributes of a line of series `index`: colour and dashes.
std::string series_stroke(std::size_t index);

/// A mark of series `index`: colour and shape (marker).
std::string series_mark(std::size_t index, double x, double y, double radius,
                        std::string_view tooltip);

/// What shows a series in the legend.
enum class Swatch { kLine, kMark };

/// A frame for a plot: white paper, a title, axis names, and the plot's own elements.
class Chart {
 public:
  static constexpr double kWidth = 620;  // of the field
  static constexpr double kHeight = 400;
  static constexpr double kLeft = 90;
  static constexpr double kTop = 56;

  Chart(std::string title, std::string x_name, std::string y_name);

  /// Pixels of a position from 0 to 1 of the field.
  [[nodiscard]] static double x(double position) { return kLeft + position * kWidth; }
  [[nodiscard]] static double y(double position) { return kTop + (1 - position) * kHeight; }

  void horizontal_grid(const Scale& scale);
  void vertical_grid(const Scale& scale);
  /// A name under the field at a position from 0 to 1, slanted if `slanted`.
  void x_label(double position, std::string_view text, bool slanted);
  void y_label(double position, std::string_view text);
  void legend(std::size_t index, std::string_view text, Swatch swatch);
  void add(const std::string& element) { body_ += element; }

  [[nodiscard]] std::string svg() const;

 private:
  std::string title_;
  std::string x_name_;
  std::string y_name_;
  std::string body_;
  double below_ = 60;
  double before_ = 0;        ///< more room on the left, for long names of rows
  double legend_below_ = 0;  ///< where the legend ends
};

}  // namespace tcsim::plot
