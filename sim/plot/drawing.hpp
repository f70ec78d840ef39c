#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace tcsim::plot {

/// Where a picture is shown: alone, with its colours inside, or in a page whose style sheet colours
/// the same classes for light, dark and print.
enum class Theme { kFile, kPage };

enum class Anchor { kStart, kMiddle, kEnd };

inline constexpr double kPictureWidth = 720;  ///< of bars, lanes and strips
inline constexpr double kLetterWidth = 7.2;   ///< of class `label`, in the widest common font

/// An SVG picture under construction. Elements have classes instead of colours: `label`, `strong`,
/// `halo` (of text that lines may cross), `grid`, `frame`, `ceiling`, `slope`, `dot`, and for
/// series i `si` (fills) and `li` (lines), i from 0 to kSeries - 1.
class Drawing {
 public:
  static constexpr std::size_t kSeries = 15;  // no fewer than the stall reasons

  /// `title` and `description` are what a screen reader says.
  Drawing(double width, double height, std::string title, std::string description);

  /// A second line of the heading, which pictures that are alone have; cut where it is too long.
  void set_setting(std::string setting) { setting_ = std::move(setting); }

  void line(double x1, double y1, double x2, double y2, std::string_view style);
  /// `tooltip` may be empty, here and below.
  void path(std::string_view data, std::string_view style, std::string_view tooltip = {});
  void rectangle(double x, double y, double width, double height, std::string_view style,
                 std::string_view tooltip);
  void circle(double x, double y, double radius, std::string_view style, std::string_view tooltip);
  void text(double x, double y, std::string_view words, std::string_view style,
            Anchor anchor = Anchor::kStart);
  /// As text, turned by `degrees` clockwise round its anchor.
  void turned_text(double x, double y, double degrees, std::string_view words,
                   std::string_view style, Anchor anchor);

  [[nodiscard]] std::string svg(Theme theme) const;

 private:
  double width_;
  double height_;
  std::string title_;
  std::string description_;
  std::string setting_;
  std::string body_;
};

/// The class of fills ("s") or lines ("l") of a series; series repeat after kSeries.
std::string series_class(char kind, std::size_t index);

}  // namespace tcsim::plot
