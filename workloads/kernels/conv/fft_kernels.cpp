#include "workloads/kernels/conv/fft_kernels.hpp"

#include <algorithm>
#include <iterator>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/conv/fourier_registers.hpp"
#include "workloads/kernels/conv/image_gather.hpp"
#include "workloads/kernels/conv/pair_values.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Opcode;
using isa::Variable;
using Complex = FourierRegisters::Complex;

constexpr int kFftBytes = 4;  // bytes of a number between the transforms
constexpr int kFftWarps = FftShape::kColumns;
constexpr int kRowRounds = 2;       // rounds of rows
constexpr int kDataRegisters = 56;  // a complex column, its factors, results in flight
constexpr int kFftAddressRegisters = 20;
constexpr int kFftSetupOps = 30;  // index and its divisions (assumption)
constexpr int kRowBytes = FftShape::kColumns * 2 * kLanes * kFftBytes;  // row in shared memory

/// What the three kernels share: CTA x numbers tiles, CTA y channels.
class TileTransform {
 public:
  /// Buffer 0 holds elements of `read`, buffer 1 of `written`.
  TileTransform(const FftShape& shape, std::int64_t tiles, std::int64_t channels, Element read,
                Element written)
      : tiles_(tiles),
        channels_(channels),
        read_(read),
        written_(written),
        unit_(shape.unit),
        builder_("main"),
        work_(kDataRegisters, kFftAddressRegisters),
        fourier_(0, kDataRegisters) {
    begin_kernel(builder_, work_, 3, work_.setup_ops(kFftSetupOps));
    Instructions ops;
    fourier_.load_factors(FftShape::kSide, ops);
    builder_.append(ops);
  }

  [[nodiscard]] FourierRegisters& fourier() { return fourier_; }
  void append(const Instructions& ops) { builder_.append(ops); }
  void barrier() { builder_.append(control(Opcode::kBarSync)); }

  [[nodiscard]] static isa::Expression variable(Variable which, std::int64_t factor = 1) {
    isa::Expression expression;
    add_term(expression, {.variable = which, .coefficient = factor});
    return expression;
  }
  [[nodiscard]] static isa::Expression channel() {
    isa::Expression channel = variable(Variable::kLane);
    add_term(channel, {.variable = Variable::kCtaY, .coefficient = kLanes});
    return channel;
  }
  /// The row of the tile that a warp transforms in a round.
  [[nodiscard]] static isa::Expression row(int round) {
    isa::Expression row = variable(Variable::kWarp);
    row.constant = std::int64_t{round} * kFftWarps;
    return row;
  }

  /// Loads the number at `element`, or zero if `guard` or the channel excludes it, in its stored
  /// format until it is unpacked.
  void load_number(int to, const isa::Expression& element, isa::Guard guard) {
    builder_.append(arithmetic(Opcode::kMov, reg(to)));
    move(0, to, element, std::move(guard));
  }
  void unpack(const std::vector<int>& numbers) {
    for (const int number : numbers) builder_.append(PairValues(read_, unit_).unpack_one(number));
  }
  void store_number(int from, const isa::Expression& element, isa::Guard guard) {
    builder_.append(narrow(written_, unit_, from, 1));
    move(1, from, element, std::move(guard));
  }

  /// Stores a number of the half-transformed tile in shared memory; kNone stands for zero.
  void keep(int from, const isa::Expression& at_row, const isa::Expression& column, int part,
            const isa::Guard& guard) {
    const isa::Register data = from == FourierRegisters::kNone ? isa::kZeroRegister : reg(from);
    builder_.append(store(Opcode::kSts32, data, work_.shared_store_address(),
                          shared(at_row, column, part), builder_.guard(guard)));
  }
  void fetch(int to, const isa::Expression& at_row, const isa::Expression& column, int part,
             const isa::Guard& guard = {}) {
    builder_.append(load(Opcode::kLds32, reg(to), reg(work_.fragment_address_a()),
                         shared(at_row, column, part), builder_.guard(guard)));
  }

  isa::KernelLaunch finish(const char* name) {
    return uniform_launch({.name = name,
                           .grid = {tiles_, ceil_div<std::int64_t>(channels_, kLanes), 1},
                           .warps_per_cta = kFftWarps,
                           .registers_per_thread = kDataRegisters + kFftAddressRegisters,
                           .shared_bytes_per_cta = FftShape::kSide * kRowBytes},
                          builder_.finish());
  }

 private:
  void move(int buffer, int data, const isa::Expression& element, isa::Guard guard) {
    const int bytes = element_bytes(buffer == 0 ? read_ : written_);
    if (channels_ % kLanes != 0) guard.bounds.push_back({channel(), channels_});
    isa::MemoryAccess access{.buffer = buffer};
    add_scaled(access.global.offset, element, bytes);
    builder_.append(work_.advance_pointer(data, kOpsPerAccess));
    const isa::Register pointer = work_.pointer(data);
    const int place = builder_.access(std::move(access));
    const int passes = builder_.guard(guard);
    builder_.append(buffer == 1 ? store(global_store_of(bytes), reg(data), pointer, place, passes)
                                : load(global_load_of(bytes), reg(data), pointer, place, passes));
  }

  int shared(const isa::Expression& at_row, const isa::Expression& column, int part) {
    isa::Expression offset = variable(Variable::kLane, kFftBytes);
    offset.constant = std::int64_t{part} * kLanes * kFftBytes;
    add_scaled(offset, at_row, kRowBytes);
    add_scaled(offset, column, std::int64_t{2} * kLanes * kFftBytes);
    return builder_.access({.shared = {.offset = std::move(offset)}});
  }

  std::int64_t tiles_;
  std::int64_t channels_;
  Element read_;
  Element written_;
  VectorUnit unit_;
  ProgramBuilder builder_;
  AddressWork work_;
  FourierRegisters fourier_;
};

isa::Guard rows_below(std::int64_t limit, int round) {
  if (std::int64_t{kFftWarps} * (round + 1) <= limit) return {};
  return {{{TileTransform::row(round), limit}}};
}

/// Rows of pixels become rows of frequencies in shared memory.
void transform_rows(TileTransform& tile, const SampledImages& images) {
  for (int round = 0; round < kRowRounds; ++round) {
    const isa::Guard in_tile = rows_below(FftShape::kSide, round);
    std::vector<int> pixels;
    for (int column = 0; column < FftShape::kSide; ++column) {
      Gather::Place place =
          images.place(TileTransform::variable(Variable::kCtaX), TileTransform::row(round),
                       constant(column), TileTransform::channel());
      std::ranges::copy(in_tile.bounds, std::back_inserter(place.inside.bounds));
      pixels.push_back(tile.fourier().take());
      tile.load_number(pixels.back(), place.element, std::move(place.inside));
    }
    tile.unpack(pixels);
    Instructions ops;
    const std::vector<Complex> spectrum = tile.fourier().transform_real(pixels, ops);
    tile.append(ops);
    for (int column = 0; column < FftShape::kColumns; ++column) {
      const Complex value = spectrum[static_cast<std::size_t>(column)];
      tile.keep(value.re, TileTransform::row(round), constant(column), 0, in_tile);
      tile.keep(value.im, TileTransform::row(round), constant(column), 1, in_tile);
      tile.fourier().give(value.re);
      if (value.im != FourierRegisters::kNone) tile.fourier().give(value.im);
    }
  }
}

/// The warp's column of frequencies, transformed along the rows of the tile.
std::vector<Complex> transformed_column(TileTransform& tile) {
  std::vector<Complex> column(FftShape::kSide);
  for (int row = 0; row < FftShape::kSide; ++row) {
    Complex& value = column[static_cast<std::size_t>(row)];
    value = {tile.fourier().take(), tile.fourier().take()};
    tile.fetch(value.re, constant(row), TileTransform::variable(Variable::kWarp), 0);
    tile.fetch(value.im, constant(row), TileTransform::variable(Variable::kWarp), 1);
  }
  Instructions ops;
  column = tile.fourier().transform(column, /*inverse=*/false, ops);
  tile.append(ops);
  return column;
}

/// Element `inside` of the matrix of frequency (row, the warp's column), with matrices of
/// `elements`.
isa::Expression in_frequency(int row, std::int64_t elements, const isa::Expression& inside) {
  isa::Expression element = inside;
  element.constant += row * elements;
  add_term(element, {.variable = Variable::kWarp, .coefficient = FftShape::kSide * elements});
  return element;
}

/// Channel of row ctaX, part `part`, rows of two parts of `channels`.
isa::Expression in_row(int part, std::int64_t channels) {
  isa::Expression element = TileTransform::channel();
  element.constant = part * channels;
  add_term(element, {.variable = Variable::kCtaX, .coefficient = 2 * channels});
  return element;
}

/// Rows of frequencies in shared memory become rows of pixels of y.
void restore_rows(TileTransform& tile, const SampledImages& images, int round) {
  constexpr double kShare =
      1.0 / (FftShape::kSide * FftShape::kSide);  // factor that the inverse transforms leave out
  FourierRegisters& fourier = tile.fourier();
  std::vector<Complex> spectrum(FftShape::kColumns);
  for (int column = 0; column < FftShape::kColumns; ++column) {
    Complex& value = spectrum[static_cast<std::size_t>(column)];
    const bool is_real = column == 0 || column + 1 == FftShape::kColumns;
    const isa::Guard in_tile = rows_below(FftShape::kSide, round);
    value.re = fourier.take();
    tile.fetch(value.re, TileTransform::row(round), constant(column), 0, in_tile);
    if (is_real) continue;
    value.im = fourier.take();
    tile.fetch(value.im, TileTransform::row(round), constant(column), 1, in_tile);
  }
  Instructions ops;
  const std::vector<int> pixels = fourier.invert_to_real(spectrum, ops);
  tile.append(ops);
  const isa::Guard is_output = rows_below(images.rows.taps, round);
  for (int column = 0; column < FftShape::kSide; ++column) {
    const int pixel = pixels[static_cast<std::size_t>(column)];
    fourier.give(pixel);
    if (column >= images.columns.taps) continue;
    tile.append(Instructions{with_literal(Opcode::kFmul, pixel, pixel, kShare)});
    Gather::Place place =
        images.place(TileTransform::variable(Variable::kCtaX), TileTransform::row(round),
                     constant(column), TileTransform::channel());
    std::ranges::copy(is_output.bounds, std::back_inserter(place.inside.bounds));
    tile.store_number(pixel, place.element, std::move(place.inside));
  }
}

}  // namespace

isa::KernelLaunch make_fft_input(const FftShape& shape) {
  const ConvProblem& p = shape.problem;
  TileTransform tile(shape, shape.tiles(), p.c, p.input, Element::kFp32);
  transform_rows(tile, shape.output_tiles().inputs());
  tile.barrier();
  const std::vector<Complex> column = transformed_column(tile);
  for (int row = 0; row < FftShape::kSide; ++row) {
    const Complex value = column[static_cast<std::size_t>(row)];
    for (int part = 0; part < 2; ++part)
      tile.store_number(part == 0 ? value.re : value.im,
                        in_frequency(row, shape.tiles() * 2 * p.c, in_row(part, p.c)), {});
  }
  return tile.finish("fft_input");
}

isa::KernelLaunch make_fft_filter(const FftShape& shape) {
  const ConvProblem& p = shape.problem;
  TileTransform tile(shape, p.k, p.c, p.input, Element::kFp32);
  transform_rows(tile, {.rows = {.pixels = 1, .taps = FftShape::kSide, .extent = p.r},
                        .columns = {.pixels = 1, .taps = FftShape::kSide, .extent = p.s},
                        .images = p.k,
                        .channels = p.c});
  tile.barrier();
  const std::vector<Complex> column = transformed_column(tile);
  // X times the conjugate: real from (re, im), imaginary from (-im, re). Rows of W are ordered part
  // by part, as those of Y must be.
  for (int row = 0; row < FftShape::kSide; ++row) {
    const Complex value = column[static_cast<std::size_t>(row)];
    const int negative = tile.fourier().take();
    tile.append(Instructions{with_literal(Opcode::kFmul, negative, value.im, -1)});
    const auto put = [&](int from, int result_part, int part) {
      isa::Expression inside = in_row(part, p.c);
      inside.constant += result_part * p.k * 2 * p.c;
      tile.store_number(from, in_frequency(row, 2 * p.k * 2 * p.c, inside), {});
    };
    put(value.re, 0, 0);
    put(value.im, 0, 1);
    put(negative, 1, 0);
    put(value.re, 1, 1);
    tile.fourier().give(negative);
  }
  return tile.finish("fft_filter");
}

isa::KernelLaunch make_fft_output(const FftShape& shape) {
  const ConvProblem& p = shape.problem;
  TileTransform tile(shape, shape.tiles(), p.k, Element::kFp32, p.output);
  std::vector<Complex> column(FftShape::kSide);
  for (int row = 0; row < FftShape::kSide; ++row) {
    Complex& value = column[static_cast<std::size_t>(row)];
    value = {tile.fourier().take(), tile.fourier().take()};
    for (int part = 0; part < 2; ++part)
      tile.load_number(part == 0 ? value.re : value.im,
                       in_frequency(row, shape.tiles() * 2 * p.k, in_row(part, p.k)), {});
  }
  Instructions ops;
  column = tile.fourier().transform(column, /*inverse=*/true, ops);
  tile.append(ops);
  for (int row = 0; row < FftShape::kSide; ++row) {
    const Complex value = column[static_cast<std::size_t>(row)];
    tile.keep(value.re, constant(row), TileTransform::variable(Variable::kWarp), 0, {});
    tile.keep(value.im, constant(row), TileTransform::variable(Variable::kWarp), 1, {});
    tile.fourier().give(value.re);
    tile.fourier().give(value.im);
  }
  tile.barrier();
  const SampledImages images = shape.output_tiles().outputs();
  for (int round = 0; round < kRowRounds && std::int64_t{kFftWarps} * round < images.rows.taps;
       ++round)
    restore_rows(tile, images, round);
  return tile.finish("fft_output");
}

}  // namespace tcsim::kernels
