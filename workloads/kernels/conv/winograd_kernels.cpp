#include "workloads/kernels/conv/winograd_kernels.hpp"

#include <algorithm>
#include <iterator>

#include "workloads/kernels/conv/image_gather.hpp"
#include "workloads/kernels/conv/pair_values.hpp"
#include "workloads/kernels/conv/winograd_transform.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/layout/flat_kernel.hpp"

namespace tcsim::kernels {
namespace {

constexpr int kWinogradSetupOps = 40;   // index and its divisions (assumption)
constexpr int kWinogradOpsPerMove = 4;  // pointer and predicate (assumption)

/// A square of elements that a thread of an elementwise kernel loads, transforms and stores.
class TransformKernel {
 public:
  TransformKernel(const WinogradMatrices::Matrix& matrix, std::int64_t items,
                  const std::string& name)
      : transform_(matrix, kPair, 0),
        inputs_(static_cast<int>(matrix.front().size())),
        outputs_(static_cast<int>(matrix.size())),
        kernel_(name, items, 1, transform_.registers(), kWinogradSetupOps) {}

  /// Position of element (row, column), in elements.
  using Place = Gather::Place;

  template <typename PlaceOf>
  void load_all(const PairValues& pairs, const PlaceOf& place_of) {
    move_all(inputs_, 0, pairs.bytes(), place_of, [&](int element, int access, int guard) {
      ProgramBuilder& builder = kernel_.builder();
      for (int i = 0; i < kPair; ++i)
        builder.append(arithmetic(isa::Opcode::kMov, reg(element + i)));
      builder.append(load(global_load_of(pairs.bytes()), reg(element),
                          kernel_.work().pointer(element), access, guard));
    });
    for (int row = 0; row < inputs_; ++row)
      for (int column = 0; column < inputs_; ++column)
        kernel_.builder().append(pairs.unpack(transform_.element(row, column)));
    kernel_.builder().append(transform_.emit());
  }

  template <typename PlaceOf>
  void store_all(const PairValues& pairs, const PlaceOf& place_of) {
    for (int row = 0; row < outputs_; ++row)
      for (int column = 0; column < outputs_; ++column)
        kernel_.builder().append(pairs.pack(transform_.element(row, column)));
    move_all(outputs_, 1, pairs.bytes(), place_of, [&](int element, int access, int guard) {
      kernel_.builder().append(store(global_store_of(pairs.bytes()), reg(element),
                                     kernel_.work().pointer(element), access, guard));
    });
  }

  [[nodiscard]] isa::Expression item() const { return kernel_.item(0); }
  isa::KernelLaunch finish() { return kernel_.finish(); }

 private:
  template <typename PlaceOf, typename Move>
  void move_all(int side, int buffer, int bytes, const PlaceOf& place_of, const Move& move) {
    for (int row = 0; row < side; ++row)
      for (int column = 0; column < side; ++column) {
        const Place place = place_of(row, column);
        isa::Guard guard = kernel_.exists(0);
        std::ranges::copy(place.inside.bounds, std::back_inserter(guard.bounds));
        isa::Address address;
        add_scaled(address.offset, place.element, bytes / kPair);
        const int element = transform_.element(row, column);
        kernel_.builder().append(kernel_.work().advance_pointer(element, kWinogradOpsPerMove));
        move(element, kernel_.builder().access({.buffer = buffer, .global = std::move(address)}),
             kernel_.builder().guard(guard));
      }
  }

  WinogradTransform transform_;
  int inputs_;
  int outputs_;
  FlatKernel kernel_;
};

/// [point][item]: element pair `item` of the matrix of a point with `count` elements.
Gather::Place of_point(const isa::Expression& item, int point, std::int64_t count) {
  Gather::Place place{constant(point * count), {}};
  add_scaled(place.element, item, kPair);
  return place;
}

}  // namespace

std::string why_no_winograd(const ConvProblem& p, const Features& features) {
  if (p.pass != ConvPass::kForward) return "Winograd kernels are generated for forward passes only";
  if (p.r != 3 || p.s != 3 || p.stride_h != 1 || p.stride_w != 1 || p.is_dilated())
    return "Winograd transforms are those of 3 x 3 filters with stride 1 and without dilation";
  if (p.groups > 1) return "Winograd kernels are generated for one group only";
  if (!PairValues::knows(p.input) || p.accumulate != Element::kFp32)
    return "Winograd transforms compute in FP32, not in integers or FP16";
  if (p.c % 2 != 0 || p.k % 2 != 0) return "Winograd kernels need even numbers of channels";
  return why_not_narrow(p.output, kPair, features);
}

isa::KernelLaunch make_winograd_input(const WinogradShape& shape) {
  const ConvProblem& p = shape.problem;
  const std::int64_t pairs_per_pixel = p.c / kPair;
  TransformKernel kernel(winograd_matrices(shape.outputs).input, shape.tiles() * pairs_per_pixel,
                         "winograd_input");
  const SampledImages images = shape.output_tiles().inputs();
  isa::Expression channel;
  add_quotient(channel, kPair, kernel.item(), 1, pairs_per_pixel);
  const PairValues pairs(p.input, shape.unit);
  kernel.load_all(pairs, [&](int row, int column) {
    return images.place(kernel.item(), constant(row), constant(column), channel, pairs_per_pixel);
  });
  kernel.store_all(pairs, [&](int row, int column) {
    return of_point(kernel.item(), row * shape.side() + column, shape.tiles() * p.c);
  });
  return kernel.finish();
}

isa::KernelLaunch make_winograd_filter(const WinogradShape& shape, Element stored) {
  const ConvProblem& p = shape.problem;
  constexpr int kTaps = 3;
  const std::int64_t pairs_per_filter = p.c / kPair;
  TransformKernel kernel(winograd_matrices(shape.outputs).filter, p.k * pairs_per_filter,
                         "winograd_filter");
  kernel.load_all(PairValues(p.input, shape.unit), [&](int row, int column) {
    Gather::Place place{constant((row * kTaps + column) * p.c), {}};
    add_quotient(place.element, std::int64_t{kTaps} * kTaps * p.c, kernel.item(), pairs_per_filter,
                 0);
    add_quotient(place.element, kPair, kernel.item(), 1, pairs_per_filter);
    return place;
  });
  kernel.store_all(PairValues(stored, shape.unit), [&](int row, int column) {
    return of_point(kernel.item(), row * shape.side() + column, p.k * p.c);
  });
  return kernel.finish();
}

isa::KernelLaunch make_winograd_output(const WinogradShape& shape) {
  const ConvProblem& p = shape.problem;
  const std::int64_t pairs_per_pixel = p.k / kPair;
  TransformKernel kernel(winograd_matrices(shape.outputs).output, shape.tiles() * pairs_per_pixel,
                         "winograd_output");
  kernel.load_all(PairValues(Element::kFp32, shape.unit), [&](int row, int column) {
    return of_point(kernel.item(), row * shape.side() + column, shape.tiles() * p.k);
  });
  const SampledImages images = shape.output_tiles().outputs();
  isa::Expression channel;
  add_quotient(channel, kPair, kernel.item(), 1, pairs_per_pixel);
  kernel.store_all(PairValues(p.output, shape.unit), [&](int row, int column) {
    return images.place(kernel.item(), constant(row), constant(column), channel, pairs_per_pixel);
  });
  return kernel.finish();
}

}  // namespace tcsim::kernels
