#include "workloads/kernels/vector/elementwise.hpp"

#include <algorithm>

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
        vector_(widest()),
        builder_(std::string(traits_.name)),
        work_(addresses(), kVectorAddressRegisters) {}

  isa::KernelLaunch launch() {
    const std::int64_t per_cta =
        std::int64_t{kElementwiseWarps} * kLanes * vector_ * kVectorsPerThread;
    emit();
    return uniform_launch(
        {.grid = {ceil_div(columns_, per_cta), halves_rows() ? problem_.rows : 1, 1},
         .warps_per_cta = kElementwiseWarps,
         .registers_per_thread = addresses() + kVectorAddressRegisters},
        builder_.finish());
  }

 private:
  [[nodiscard]] int count_inputs() const {
    if (traits_.operands == VectorOperands::kXAndY || halves_rows()) return 2;
    return 1 + (traits_.has_gamma() ? 1 : 0) + (traits_.has_beta() ? 1 : 0);
  }
  /// True if X holds two numbers for each one of D, row by row.
  [[nodiscard]] bool halves_rows() const { return traits_.operands == VectorOperands::kHalvesOfX; }

  /// Elements of a vector: 16 bytes of the wider side, fewer if rows are not multiples of that.
  [[nodiscard]] int widest() const {
    const int bytes = std::max(element_bytes(input_), element_bytes(output_));
    return widest_vector(traits_.has_parameters() ? problem_.cols : columns_, bytes);
  }

  // Registers: FP32 numbers of one vector of X and of Y, scratch or numbers of a third operand,
  // then the loaded data.
  static constexpr int kX = 0;
  static constexpr int kY = kMostElements;
  static constexpr int kScratch = 2 * kMostElements;
  static constexpr int kLoaded = 3 * kMostElements;
  [[nodiscard]] int places() const { return std::max(2, inputs_); }  ///< of what a round loads
  [[nodiscard]] int addresses() const { return kLoaded + places() * kVectorsPerThread * 4; }
  [[nodiscard]] int loaded(int input, int round) const {
    return kLoaded + 4 * (places() * round + input);
  }

  [[nodiscard]] isa::Expression column(int round) const {
    isa::Expression column;
    const std::int64_t per_warp = std::int64_t{kLanes} * vector_;
    column.constant = per_warp * kElementwiseWarps * round;
    add_term(column, {.variable = Variable::kCtaX,
                      .coefficient = per_warp * kElementwiseWarps * kVectorsPerThread});
    add_term(column, {.variable = Variable::kWarp, .coefficient = per_warp});
    add_term(column, {.variable = Variable::kLane, .coefficient = vector_});
    return column;
  }

  int guard(int round) {
    if (columns_ % (std::int64_t{kElementwiseWarps} * kLanes * vector_ * kVectorsPerThread) == 0)
      return isa::kNoIndex;
    return builder_.guard({{{column(round), columns_}}});
  }

  void emit() {
    begin_kernel(builder_, work_, 2, work_.setup_ops(kVectorSetupOps));
    for (int round = 0; round < kVectorsPerThread; ++round)
      for (int input = 0; input < inputs_; ++input) load_vector(input, round);
    for (int round = 0; round < kVectorsPerThread; ++round) {
      builder_.append(widen(input_, loaded(0, round), kX, vector_));
      if (inputs_ > 1) builder_.append(widen(input_, loaded(1, round), kY, vector_));
      if (inputs_ > 2) builder_.append(widen(input_, loaded(2, round), kScratch, vector_));
      for (int i = 0; i < vector_; ++i) {
        Instructions ops;
        append_arithmetic(problem_.operation, {kX + i, kY + i, kScratch + i}, ops);
        builder_.append(ops);
      }
      builder_.append(narrow(output_, unit_, kX, vector_));
      store_vector(round);
    }
  }

  void load_vector(int input, int round) {
    const int bytes = element_bytes(input_);
    isa::MemoryAccess access{.buffer = halves_rows() ? 0 : input};
    if (traits_.has_parameters() && input > 0)
      add_quotient(access.global.offset, bytes, column(round), 1, problem_.cols);
    else
      add_scaled(access.global.offset, column(round), bytes);
    if (halves_rows()) {
      access.global.offset.constant += input * columns_ * bytes;
      add_term(access.global.offset,
               {.variable = Variable::kCtaY, .coefficient = 2 * columns_ * bytes});
    }
    const int pointer = places() * round + input;
    builder_.append(work_.advance_pointer(pointer, kOpsPerAccess));
    builder_.append(load(global_load_of(vector_ * bytes), reg(loaded(input, round)),
                         work_.pointer(pointer), builder_.access(std::move(access)), guard(round)));
  }

  void store_vector(int round) {
    const int bytes = element_bytes(output_);
    isa::MemoryAccess access{.buffer = halves_rows() ? 1 : inputs_};
    add_scaled(access.global.offset, column(round), bytes);
    if (halves_rows())
      add_term(access.global.offset,
               {.variable = Variable::kCtaY, .coefficient = columns_ * bytes});
    builder_.append(work_.advance_pointer(round, kOpsPerAccess));
    builder_.append(store(global_store_of(vector_ * bytes), reg(kX), work_.pointer(round),
                          builder_.access(std::move(access)), guard(round)));
  }

  const VectorProblem& problem_;
  const VectorUnit& unit_;
  const VectorTraits& traits_;
  const Element input_;
  const Element output_;
  const int inputs_;            ///< vectors of a round
  const std::int64_t columns_;  ///< elements of D, or of a row of it
  const int vector_;            ///< elements
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

isa::KernelLaunch make_elementwise(const VectorProblem& problem, const VectorUnit& unit) {
  return Elementwise(problem, unit).launch();
}

}  // namespace tcsim::kernels
