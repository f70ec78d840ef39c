#include "workloads/kernels/conv/residue_classes.hpp"

#include <utility>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

/// The class number.
isa::Expression class_number() { return {.constant = 0, .terms = {{isa::Variable::kCtaZ, 1}}}; }

/// Class number plus `shift`, divided.
isa::Expression shifted(std::int64_t shift, std::int64_t divisor, std::int64_t modulus) {
  isa::Expression number = class_number();
  number.constant = shift;
  isa::Expression result;
  add_quotient(result, 1, number, divisor, modulus);
  return result;
}

/// The residues of one direction that meet equally many taps.
struct Residues {
  std::int64_t taps;
  std::int64_t count;
  isa::Expression others;  ///< over the class number: 1 for the other residues
};

/// The residues (class number div `divisor` + pad) mod stride of one direction. Those below `taps`
/// mod `stride` meet a tap more than the others.
std::vector<Residues> residues(std::int64_t taps, std::int64_t stride, std::int64_t pad,
                               std::int64_t divisor) {
  const std::int64_t more = taps % stride;
  if (more == 0) return {{taps / stride, stride, {}}};
  // Floor((x + stride - more) / stride) is one more than floor(x / stride) if x mod stride is
  // `more` or larger.
  isa::Expression meets_less = shifted((pad + stride - more) * divisor, stride * divisor, 0);
  add_scaled(meets_less, shifted(pad * divisor, stride * divisor, 0), -1);
  isa::Expression meets_more = constant(1);
  add_scaled(meets_more, meets_less, -1);
  return {{taps / stride + 1, more, std::move(meets_less)},
          {taps / stride, stride - more, std::move(meets_more)}};
}

}  // namespace

std::vector<TapClass> ResidueClasses::tap_classes() const {
  std::vector<TapClass> classes;
  for (const Residues& row : residues(conv_.r, conv_.stride_h, conv_.pad_h, conv_.stride_w))
    for (const Residues& column : residues(conv_.s, conv_.stride_w, conv_.pad_w, 1)) {
      TapClass its{row.taps, column.taps, row.count * column.count, row.others};
      add_scaled(its.others, column.others, 1);
      classes.push_back(std::move(its));
    }
  if (classes.size() == 1) classes.clear();
  return classes;
}

TransposedFilterGather::Taps ResidueClasses::taps_h() const {
  if (conv_.stride_h == 1) return {.count = conv_.r};
  return {.count = conv_.r,
          .step = conv_.stride_h,
          .first = shifted(conv_.pad_h * conv_.stride_w, conv_.stride_w, conv_.stride_h)};
}

TransposedFilterGather::Taps ResidueClasses::taps_w() const {
  if (conv_.stride_w == 1) return {.count = conv_.s};
  return {
      .count = conv_.s, .step = conv_.stride_w, .first = shifted(conv_.pad_w, 1, conv_.stride_w)};
}

SampledImages ResidueClasses::images() const {
  // (residue + pad) div stride
  isa::Expression origin_h = constant(conv_.pad_h);
  if (conv_.stride_h > 1)
    origin_h = shifted(conv_.pad_h * conv_.stride_w, conv_.stride_w * conv_.stride_h, 0);
  isa::Expression origin_w = constant(conv_.pad_w);
  if (conv_.stride_w > 1) {
    isa::Expression multiple = shifted(0, 1, conv_.stride_w);
    multiple.constant = conv_.pad_w;
    add_scaled(multiple, taps_w().first, -1);
    origin_w = {};
    add_quotient(origin_w, 1, multiple, conv_.stride_w, 0);
  }
  return {.rows = {.pixels = ceil_div(conv_.h, conv_.stride_h),
                   .taps = ceil_div(conv_.r, conv_.stride_h),
                   .extent = conv_.p(),
                   .tap_step = -conv_.dil_h,
                   .origin = std::move(origin_h)},
          .columns = {.pixels = ceil_div(conv_.w, conv_.stride_w),
                      .taps = ceil_div(conv_.s, conv_.stride_w),
                      .extent = conv_.q(),
                      .tap_step = -conv_.dil_w,
                      .origin = std::move(origin_w)},
          .images = conv_.n,
          .channels = conv_.k};
}

Scatter::Place ResidueClasses::place(const isa::Expression& row) const {
  const std::int64_t class_rows = ceil_div(conv_.h, conv_.stride_h);
  const std::int64_t class_columns = ceil_div(conv_.w, conv_.stride_w);
  isa::Expression y = shifted(0, conv_.stride_w, conv_.stride_h);
  if (conv_.stride_h == 1) y = {};
  add_quotient(y, conv_.stride_h, row, class_columns, class_rows);
  isa::Expression x = shifted(0, 1, conv_.stride_w);
  if (conv_.stride_w == 1) x = {};
  add_quotient(x, conv_.stride_w, row, 1, class_columns);
  Place place;
  const std::int64_t row_elements = conv_.w * conv_.c;
  add_quotient(place.element, conv_.h * row_elements, row, class_rows * class_columns, 0);
  add_scaled(place.element, y, row_elements);
  add_scaled(place.element, x, conv_.c);
  if (conv_.h % conv_.stride_h != 0) place.inside.bounds.push_back({y, conv_.h});
  if (conv_.w % conv_.stride_w != 0) place.inside.bounds.push_back({x, conv_.w});
  return place;
}

}  // namespace tcsim::kernels
