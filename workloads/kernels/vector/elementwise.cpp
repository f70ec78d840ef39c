#include "workloads/kernels/vector/elementwise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/operand.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Opcode;
using isa::Variable;

constexpr int kElementwiseWarps = 4;  // 128 threads, as the element-wise kernels of PyTorch
constexpr int kVectorsPerThread = 2;  // in flight (assumption)
constexpr int kMostElements = 8;
constexpr double kQuantizationScale = 1.0 / 16;

Element input_of(const VectorProblem& problem) {
  if (problem.operation == VectorOperation::kDequantize) return Element::kInt8;
  return problem.operation == VectorOperation::kFromFp32 ? Element::kFp32 : problem.element;
}

Element output_of(const VectorProblem& problem) {
  if (problem.operation == VectorOperation::kQuantize) return Element::kInt8;
  return problem.operation == VectorOperation::kToFp32 ? Element::kFp32 : problem.element;
}

class Elementwise {
 public:
  Elementwise(const VectorProblem& problem, const VectorUnit& unit)
      : problem_(problem),
        unit_(unit),
        input_(input_of(problem)),
        output_(output_of(problem)),
        two_inputs_(takes_two(problem.operation) || halves_rows()),
        columns_(halves_rows() ? problem.cols : problem.rows * problem.cols),
        vector_(widest()),
        builder_(std::string(vector_name(problem.operation))),
        work_(addresses(), kVectorAddressRegisters, unit.has_uniform_datapath) {}

  isa::KernelLaunch launch() {
    isa::KernelLaunch launch;
    const std::int64_t per_cta =
        std::int64_t{kElementwiseWarps} * kLanes * vector_ * kVectorsPerThread;
    launch.grid = {ceil_div(columns_, per_cta), 1, 1};
    if (halves_rows()) launch.grid[1] = problem_.rows;
    launch.warps_per_cta = kElementwiseWarps;
    launch.registers_per_thread = addresses() + kVectorAddressRegisters;
    emit();
    launch.programs = {builder_.finish()};
    launch.program_of_warp.assign(kElementwiseWarps, 0);
    return launch;
  }

 private:
  /// X holds two numbers for each of D, row by row.
  [[nodiscard]] bool halves_rows() const {
    return problem_.operation == VectorOperation::kSiluAndMul;
  }

  [[nodiscard]] bool cuts_at_zero() const {
    return problem_.operation == VectorOperation::kRelu ||
           problem_.operation == VectorOperation::kAddRelu;
  }

  /// Elements of a vector: 16 bytes of the wider side, fewer where rows cannot be cut so.
  [[nodiscard]] int widest() const {
    const int bytes = std::max(element_bytes(input_), element_bytes(output_));
    return widest_vector(columns_, bytes);
  }

  // Registers: FP32 numbers of one vector of X and of Y, scratch, then what is loaded.
  static constexpr int kX = 0;
  static constexpr int kY = kMostElements;
  static constexpr int kScratch = 2 * kMostElements;
  static constexpr int kLoaded = 3 * kMostElements;
  [[nodiscard]] static constexpr int addresses() { return kLoaded + 2 * kVectorsPerThread * 4; }
  [[nodiscard]] static int loaded(int input, int round) {
    return kLoaded + 4 * (2 * round + input);
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

  void append(const Instructions& ops) { builder_.append(ops); }

  void emit() {
    builder_.append(arithmetic(Opcode::kS2r, work_.pointer(0)));
    builder_.append(arithmetic(Opcode::kS2r, work_.pointer(1)));
    append(work_.setup_ops(kVectorSetupOps));
    for (int round = 0; round < kVectorsPerThread; ++round)
      for (int input = 0; input < (two_inputs_ ? 2 : 1); ++input) load_vector(input, round);
    for (int round = 0; round < kVectorsPerThread; ++round) {
      append(widen(input_, loaded(0, round), kX, vector_));
      if (two_inputs_) append(widen(input_, loaded(1, round), kY, vector_));
      append(compute());
      append(narrow(output_, unit_, kX, vector_));
      store_vector(round);
    }
  }

  void load_vector(int input, int round) {
    const int bytes = element_bytes(input_);
    isa::MemoryAccess access{.buffer = halves_rows() ? 0 : input};
    add_scaled(access.global.offset, column(round), bytes);
    if (halves_rows()) {
      access.global.offset.constant += input * columns_ * bytes;
      add_term(access.global.offset,
               {.variable = Variable::kCtaY, .coefficient = 2 * columns_ * bytes});
    }
    append(work_.advance_pointer(2 * round + input, kOpsPerAccess));
    builder_.append(load(global_load_of(vector_ * bytes), reg(loaded(input, round)),
                         work_.pointer(2 * round + input), builder_.access(std::move(access)),
                         guard(round)));
  }

  void store_vector(int round) {
    const int bytes = element_bytes(output_);
    isa::MemoryAccess access{.buffer = two_inputs_ && !halves_rows() ? 2 : 1};
    add_scaled(access.global.offset, column(round), bytes);
    if (halves_rows())
      add_term(access.global.offset,
               {.variable = Variable::kCtaY, .coefficient = columns_ * bytes});
    append(work_.advance_pointer(round, kOpsPerAccess));
    builder_.append(store(global_store_of(vector_ * bytes), reg(kX), work_.pointer(round),
                          builder_.access(std::move(access)), guard(round)));
  }

  /// X of one vector becomes D.
  [[nodiscard]] Instructions compute() const {
    Instructions ops;
    for (int i = 0; i < vector_; ++i) {
      const int x = kX + i;
      switch (problem_.operation) {
        case VectorOperation::kAdd:
        case VectorOperation::kAddRelu:
          ops.push_back(arithmetic(Opcode::kFadd, reg(x), reg(x), reg(kY + i)));
          break;
        case VectorOperation::kMultiply:
          ops.push_back(arithmetic(Opcode::kFmul, reg(x), reg(x), reg(kY + i)));
          break;
        case VectorOperation::kRelu:
        case VectorOperation::kCopy:
        case VectorOperation::kToFp32:
        case VectorOperation::kFromFp32:
          break;
        case VectorOperation::kQuantize:
          ops.push_back(with_literal(Opcode::kFmul, x, x, 1 / kQuantizationScale));
          break;
        case VectorOperation::kDequantize:
          ops.push_back(with_literal(Opcode::kFmul, x, x, kQuantizationScale));
          break;
        case VectorOperation::kTanh:
        case VectorOperation::kSigmoid:
          squash(ops, i);
          break;
        default:
          sigmoid_product(ops, i);
      }
      if (cuts_at_zero()) ops.push_back(arithmetic(Opcode::kFmnmx, reg(x), reg(x)));
    }
    return ops;
  }

  /// Number t becomes 1 / (1 + 2^t).
  static void logistic(Instructions& ops, int t) {
    ops.push_back(arithmetic(Opcode::kMufuEx2, reg(t), reg(t)));
    ops.push_back(with_literal(Opcode::kFadd, t, t, 1));
    ops.push_back(arithmetic(Opcode::kMufuRcp, reg(t), reg(t)));
  }

  /// Sigmoid and tanh.
  void squash(Instructions& ops, int i) const {
    const int x = kX + i;
    const bool is_tanh = problem_.operation == VectorOperation::kTanh;
    ops.push_back(with_literal(Opcode::kFmul, x, x, (is_tanh ? -2 : -1) * std::numbers::log2e));
    logistic(ops, x);
    if (!is_tanh) return;
    ops.push_back(arithmetic(Opcode::kFadd, reg(x), reg(x), reg(x)));
    ops.push_back(with_literal(Opcode::kFadd, x, x, -1));
  }

  /// x / (1 + exp(-s x)): s is 1 for SiLU, and 2 sqrt(2 / pi) (1 + 0.044715 x^2) for GELU.
  void sigmoid_product(Instructions& ops, int i) const {
    const int x = kX + i;
    const int t = kScratch + i;
    if (problem_.operation == VectorOperation::kGelu) {
      const double slope = -2 * std::sqrt(2 / std::numbers::pi) * std::numbers::log2e;
      ops.push_back(arithmetic(Opcode::kFmul, reg(t), reg(x), reg(x)));
      ops.push_back(with_literal(Opcode::kFmul, t, t, 0.044715 * slope));
      ops.push_back(with_literal(Opcode::kFadd, t, t, slope));
      ops.push_back(arithmetic(Opcode::kFmul, reg(t), reg(t), reg(x)));
    } else {
      ops.push_back(with_literal(Opcode::kFmul, t, x, -std::numbers::log2e));
    }
    logistic(ops, t);
    ops.push_back(arithmetic(Opcode::kFmul, reg(x), reg(x), reg(t)));
    if (halves_rows()) ops.push_back(arithmetic(Opcode::kFmul, reg(x), reg(x), reg(kY + i)));
  }

  const VectorProblem& problem_;
  const VectorUnit& unit_;
  const Element input_;
  const Element output_;
  const bool two_inputs_;
  const std::int64_t columns_;  ///< elements of D, or of a row of it
  const int vector_;            ///< elements
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

bool takes_two(VectorOperation operation) {
  return operation == VectorOperation::kAdd || operation == VectorOperation::kMultiply ||
         operation == VectorOperation::kAddRelu;
}

isa::KernelLaunch make_elementwise(const VectorProblem& problem, const VectorUnit& unit) {
  return Elementwise(problem, unit).launch();
}

}  // namespace tcsim::kernels
