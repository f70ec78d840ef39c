#include "workloads/kernels/vector/elementwise.hpp"

#include <algorithm>
#include <array>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/operand.hpp"
#include "workloads/kernels/vector/element_arithmetic.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Variable;

constexpr int kElementwiseWarps = 4;  // 128 threads, as the element-wise kernels of PyTorch
constexpr int kVectorsPerThread = 2;  // in flight (assumption)
constexpr int kMostElements = 8;

class Elementwise {
 public:
  Elementwise(const VectorProblem& problem, const VectorUnit& unit)
      : problem_(problem),
        unit_(unit),
        traits_(vector_traits(problem.operation)),
        input_(traits_.input.value_or(problem.element)),
        output_(traits_.output.value_or(problem.element)),
        inputs_(count_inputs()),
        columns_(halves_rows() ? problem.cols : problem.rows * problem.cols),
        vector_(vector_elements()),
        rest_(columns_ % vector_),
        rounds_(busy(kVectorsPerThread, kElementwiseWarps)),
        warps_(busy(kElementwiseWarps, rounds_)),
        builder_(std::string(traits_.name)),
        work_(addresses(), kVectorAddressRegisters) {}

  isa::KernelLaunch launch() {
    emit();
    return uniform_launch({.grid = {ctas_of_columns(), halves_rows() ? problem_.rows : 1, 1},
                           .warps_per_cta = warps_,
                           .registers_per_thread = addresses() + kVectorAddressRegisters},
                          builder_.finish());
  }

 private:
  /// What the lanes of a warp move at once: a vector each, of every input and of D.
  struct Vectors {
    int number;             ///< of the round
    int elements;           ///< of a vector
    isa::Expression first;  ///< number of a vector's first element
    int guard;              ///< the lane has a vector
    int loaded;             ///< registers of X, as loaded
    int loaded_step;        ///< from there to those of the next input
  };

  [[nodiscard]] int count_inputs() const {
    if (traits_.operands == VectorOperands::kXAndY || halves_rows()) return 2;
    return 1 + (traits_.has_gamma() ? 1 : 0) + (traits_.has_beta() ? 1 : 0);
  }
  /// True if X holds two numbers for each one of D, row by row.
  [[nodiscard]] bool halves_rows() const { return traits_.operands == VectorOperands::kHalvesOfX; }

  /// Bytes of an element of the wider side.
  [[nodiscard]] int widest_bytes() const {
    return std::max(element_bytes(input_), element_bytes(output_));
  }
  /// Elements of a vector: 16 bytes of the wider side, fewer if the operation knows columns and
  /// rows are not multiples of that.
  [[nodiscard]] int vector_elements() const {
    if (halves_rows() || traits_.has_parameters())
      return widest_vector(problem_.cols, widest_bytes());
    return kChunkBytes / widest_bytes();
  }

  /// How many of `most` warps or rounds of a CTA, of `others` vectors of a lane each, have work:
  /// all, unless a row is shorter than that.
  [[nodiscard]] int busy(int most, int others) const {
    if (!halves_rows()) return most;
    const std::int64_t elements = std::int64_t{others} * kLanes * vector_;
    return static_cast<int>(std::min<std::int64_t>(most, ceil_div(columns_, elements)));
  }
  /// Elements that a CTA has places for.
  [[nodiscard]] std::int64_t of_cta() const {
    return std::int64_t{warps_} * rounds_ * kLanes * vector_;
  }
  [[nodiscard]] std::int64_t ctas_of_columns() const { return ceil_div(columns_, of_cta()); }

  // Registers: FP32 numbers of one vector of X and of Y, scratch or numbers of a third operand,
  // then the loaded data.
  static constexpr int kX = 0;
  static constexpr int kY = kMostElements;
  static constexpr int kScratch = 2 * kMostElements;
  static constexpr int kLoaded = 3 * kMostElements;
  [[nodiscard]] int places() const { return std::max(2, inputs_); }  ///< of what a round loads
  [[nodiscard]] int addresses() const { return kLoaded + places() * rounds_ * kVectorRegisters; }

  /// The full vectors of a round.
  [[nodiscard]] Vectors full_vectors(int round) {
    isa::Expression first;
    const std::int64_t per_warp = std::int64_t{kLanes} * vector_;
    first.constant = per_warp * warps_ * round;
    add_term(first, {.variable = Variable::kCtaX, .coefficient = of_cta()});
    add_term(first, {.variable = Variable::kWarp, .coefficient = per_warp});
    add_term(first, {.variable = Variable::kLane, .coefficient = vector_});
    const bool fills_ctas = columns_ % of_cta() == 0;
    return {.number = round,
            .elements = vector_,
            .first = first,
            .guard = fills_ctas ? isa::kNoIndex : builder_.guard({{{first, columns_ - rest_}}}),
            .loaded = kLoaded + kVectorRegisters * places() * round,
            .loaded_step = kVectorRegisters};
  }

  /// The narrower vectors behind the last full one, for the last CTA. They are half as wide or
  /// less, so loaded data fits behind the FP32 numbers of X and of Y that it becomes.
  [[nodiscard]] Vectors rest_vectors() {
    const int elements = widest_vector(rest_, widest_bytes());
    isa::Expression first = constant(columns_ - rest_);
    add_term(first, {.variable = Variable::kLane, .coefficient = elements});
    isa::Expression ctas_behind = constant(ctas_of_columns() - 1);
    add_term(ctas_behind, {.variable = Variable::kCtaX, .coefficient = -1});
    return {.number = rounds_,
            .elements = elements,
            .first = first,
            .guard = builder_.guard({{{ctas_behind, 1}, {first, columns_}}}),
            .loaded = kX + kMostElements / 2,
            .loaded_step = kY - kX};
  }

  void emit() {
    begin_kernel(builder_, work_, 2, work_.setup_ops(kVectorSetupOps));
    for (int round = 0; round < rounds_; ++round) load_inputs(full_vectors(round));
    if (rest_ > 0) move_rest();
    for (int round = 0; round < rounds_; ++round) compute(full_vectors(round));
  }

  /// While the full vectors are on their way. One warp of every CTA comes by, predicated off in all
  /// CTAs but the last, rather than only that CTA: the sampler leaves out waves of CTAs that all
  /// issue the same instructions.
  void move_rest() {
    isa::Expression last_warp;
    add_term(last_warp,
             {.variable = Variable::kWarp, .coefficient = 1, .divisor = kElementwiseWarps - 1});
    builder_.begin_skippable_loop();
    load_inputs(rest_vectors());
    compute(rest_vectors());
    builder_.end_loop(last_warp);
  }

  void load_inputs(const Vectors& vectors) {
    for (int input = 0; input < inputs_; ++input) load_vector(vectors, input);
  }

  void compute(const Vectors& vectors) {
    const std::array singles{kX, kY, kScratch};
    for (int input = 0; input < inputs_; ++input)
      builder_.append(widen(input_, vectors.loaded + input * vectors.loaded_step,
                            singles[static_cast<std::size_t>(input)], vectors.elements));
    for (int i = 0; i < vectors.elements; ++i) {
      Instructions ops;
      append_arithmetic(problem_.operation, {kX + i, kY + i, kScratch + i}, ops);
      builder_.append(ops);
    }
    builder_.append(narrow(output_, unit_, kX, vectors.elements));
    store_vector(vectors);
  }

  void load_vector(const Vectors& vectors, int input) {
    const int bytes = element_bytes(input_);
    isa::MemoryAccess access{.buffer = halves_rows() ? 0 : input};
    if (traits_.has_parameters() && input > 0)
      add_quotient(access.global.offset, bytes, vectors.first, 1, problem_.cols);
    else
      add_scaled(access.global.offset, vectors.first, bytes);
    if (halves_rows()) {
      access.global.offset.constant += input * columns_ * bytes;
      add_term(access.global.offset,
               {.variable = Variable::kCtaY, .coefficient = 2 * columns_ * bytes});
    }
    const int pointer = places() * vectors.number + input;
    builder_.append(work_.advance_pointer(pointer, kOpsPerAccess));
    builder_.append(load(global_load_of(vectors.elements * bytes),
                         reg(vectors.loaded + input * vectors.loaded_step), work_.pointer(pointer),
                         builder_.access(std::move(access)), vectors.guard));
  }

  void store_vector(const Vectors& vectors) {
    const int bytes = element_bytes(output_);
    isa::MemoryAccess access{.buffer = halves_rows() ? 1 : inputs_};
    add_scaled(access.global.offset, vectors.first, bytes);
    if (halves_rows())
      add_term(access.global.offset,
               {.variable = Variable::kCtaY, .coefficient = columns_ * bytes});
    builder_.append(work_.advance_pointer(vectors.number, kOpsPerAccess));
    builder_.append(store(global_store_of(vectors.elements * bytes), reg(kX),
                          work_.pointer(vectors.number), builder_.access(std::move(access)),
                          vectors.guard));
  }

  const VectorProblem& problem_;
  const VectorUnit& unit_;
  const VectorTraits& traits_;
  const Element input_;
  const Element output_;
  const int inputs_;            ///< vectors of a round
  const std::int64_t columns_;  ///< elements of D, or of a row of it
  const int vector_;            ///< elements
  const std::int64_t rest_;     ///< elements behind the last full vector
  const int rounds_;
  const int warps_;  ///< of a CTA
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

isa::KernelLaunch make_elementwise(const VectorProblem& problem, const VectorUnit& unit) {
  return Elementwise(problem, unit).launch();
}

}  // namespace tcsim::kernels
