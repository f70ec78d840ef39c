#include "workloads/kernels/vector/row_kernel.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/operand.hpp"
#include "workloads/kernels/output_conversion.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Opcode;
using isa::Variable;

constexpr int kColumnsOfOneWarp = 1024;  // kernels.md 6.1
constexpr int kRowsPerCta = 4;           // if a warp holds a row
constexpr int kColumnsPerThread = 8;     // if a CTA holds a row, up to 32 warps (assumption)
constexpr int kRegistersOfCta = 65536;   // of an SM since Volta
constexpr double kEpsilon = 1e-5;
constexpr double kQuantisedOne = 127;  // what the largest element of a row becomes

int warps_per_row(std::int64_t cols) {
  if (cols <= kColumnsOfOneWarp) return 1;
  int warps = 4;
  while (warps < kMostWarps && cols > std::int64_t{warps} * kLanes * kColumnsPerThread) warps *= 2;
  return warps;
}

int vector_aligned(int value) { return align_up(value, kVectorRegisters); }

/// First registers of what a thread holds, in addition to the row's FP32 numbers from 0 on.
struct RowRegisters {
  int loaded;       ///< vector 0 as loaded
  int loaded_step;  ///< from vector to vector
  int gamma;        ///< FP32 numbers of a vector of parameters, and these as loaded
  int packed_gamma;
  int beta;
  int packed_beta;
  int result;
  int address_count;

  [[nodiscard]] int shuffled() const { return result + 1; }
  [[nodiscard]] int factor() const { return result + 2; }
  [[nodiscard]] int addresses() const { return vector_aligned(factor() + 1); }
  [[nodiscard]] int total() const { return addresses() + address_count; }
};

/// Loaded data has separate registers.
RowRegisters roomy_registers(int vectors, int elements, int packed) {
  const int gamma = vector_aligned(vectors * (elements + packed));
  return {.loaded = vectors * elements,
          .loaded_step = packed,
          .gamma = gamma,
          .packed_gamma = gamma + 16,
          .beta = gamma + 8,
          .packed_beta = gamma + 20,
          .result = gamma + 24,
          .address_count = kVectorAddressRegisters};
}

/// As few registers as possible: loaded data is in the last of the registers of the FP32 numbers
/// that it becomes.
RowRegisters dense_registers(int vectors, int elements, int packed) {
  const int gamma = vectors * elements;
  const int beta = gamma + elements;
  const int result = beta + elements;
  return {.loaded = elements - packed,
          .loaded_step = elements,
          .gamma = gamma,
          .packed_gamma = beta - packed,
          .beta = beta,
          .packed_beta = result - packed,
          .result = result,
          .address_count = AddressWork::kFewestRegisters};
}

/// For `vectors` of `elements`, each loaded into `packed` registers. Dense if a CTA of `warps` has
/// too few registers for more.
RowRegisters row_registers(int vectors, int elements, int packed, int warps) {
  const RowRegisters roomy = roomy_registers(vectors, elements, packed);
  if (roomy.total() * warps * kLanes <= kRegistersOfCta) return roomy;
  return dense_registers(vectors, elements, packed);
}

class RowProgram {
 public:
  RowProgram(const RowKernel& kernel, const VectorUnit& unit)
      : kernel_(kernel),
        unit_(unit),
        warps_(warps_per_row(kernel.cols)),
        bytes_(element_bytes(kernel.element)),
        vector_(widest_vector(kernel.cols, bytes_)),
        vectors_(static_cast<int>(
            ceil_div<std::int64_t>(kernel.cols, std::int64_t{warps_} * kLanes * vector_))),
        registers_(row_registers(vectors_, vector_, packed_registers(kernel.element, vector_),
                                 cta_warps())),
        builder_(std::string(vector_name(kernel.operation))),
        work_(registers_.addresses(), registers_.address_count) {}

  isa::KernelLaunch launch() {
    emit();
    return uniform_launch({.grid = {ceil_div<std::int64_t>(matrix_rows(), rows_per_cta()),
                                    kernel_.rows / matrix_rows(), 1},
                           .warps_per_cta = cta_warps(),
                           .registers_per_thread = registers_.total(),
                           .shared_bytes_per_cta = warps_ > 1 ? 2 * kMostWarps * 4 : 0},
                          builder_.finish());
  }

 private:
  [[nodiscard]] std::int64_t matrix_rows() const {
    return kernel_.causal_rows > 0 ? kernel_.causal_rows : kernel_.rows;
  }
  [[nodiscard]] int rows_per_cta() const { return warps_ == 1 ? kRowsPerCta : 1; }
  [[nodiscard]] int cta_warps() const { return warps_ == 1 ? kRowsPerCta : warps_; }
  [[nodiscard]] int elements() const { return vectors_ * vector_; }
  [[nodiscard]] bool is_softmax() const { return kernel_.operation == VectorOperation::kSoftmax; }
  [[nodiscard]] bool has_beta() const { return kernel_.operation == VectorOperation::kLayerNorm; }

  [[nodiscard]] int result() const { return registers_.result; }
  [[nodiscard]] int shuffled() const { return registers_.shuffled(); }
  [[nodiscard]] int factor() const { return registers_.factor(); }

  [[nodiscard]] isa::Expression row() const {
    isa::Expression row;
    add_term(row, {.variable = Variable::kCtaX, .coefficient = rows_per_cta()});
    if (warps_ == 1) add_term(row, {.variable = Variable::kWarp, .coefficient = 1});
    return row;
  }

  /// First column of a vector.
  [[nodiscard]] isa::Expression column(int vector) const {
    isa::Expression column = constant(std::int64_t{vector} * warps_ * kLanes * vector_);
    if (warps_ > 1)
      add_term(column,
               {.variable = Variable::kWarp, .coefficient = std::int64_t{kLanes} * vector_});
    add_term(column, {.variable = Variable::kLane, .coefficient = vector_});
    return column;
  }

  [[nodiscard]] bool may_end(int vector) const {
    return std::int64_t{vector + 1} * warps_ * kLanes * vector_ > kernel_.cols;
  }

  int guard(int vector, bool of_row = true) {
    isa::Guard guard;
    if (may_end(vector)) guard.bounds.push_back({column(vector), kernel_.cols});
    if (of_row && matrix_rows() % rows_per_cta() != 0)
      guard.bounds.push_back({row(), matrix_rows()});
    return builder_.guard(guard);
  }

  [[nodiscard]] isa::Expression all_rows() const {
    isa::Expression number = row();
    add_term(number, {.variable = Variable::kCtaY, .coefficient = matrix_rows()});
    return number;
  }

  [[nodiscard]] isa::Address place(int vector, int bytes) const {
    isa::Address address;
    add_scaled(address.offset, all_rows(), kernel_.cols * bytes);
    add_scaled(address.offset, column(vector), bytes);
    return address;
  }

  void op(Opcode opcode, int dst, int a, int b = isa::kZeroRegister, int c = isa::kZeroRegister) {
    builder_.append(arithmetic(opcode, reg(dst), reg(a), reg(b), reg(c)));
  }
  void op_literal(Opcode opcode, int dst, int a, double value) {
    builder_.append(with_literal(opcode, dst, a, value));
  }

  void emit() {
    begin_kernel(builder_, work_, 2, work_.setup_ops(kVectorSetupOps));
    for (int vector = 0; vector < vectors_; ++vector) {
      builder_.append(work_.advance_pointer(vector, kOpsPerAccess));
      const int access = builder_.access({.buffer = 0, .global = place(vector, bytes_)});
      builder_.append(load(global_load_of(vector_ * bytes_), reg(source(vector)),
                           work_.pointer(vector), access, guard(vector)));
    }
    for (int vector = 0; vector < vectors_; ++vector)
      builder_.append(widen(kernel_.element, source(vector), vector * vector_, vector_));
    for (int i = 0; kernel_.quantises && i < elements(); ++i)
      op(real_of_integer_opcode(unit_.has_packing), i, i);
    if (is_softmax())
      softmax();
    else
      normalise();
    for (int vector = 0; vector < vectors_; ++vector) store_vector(vector);
  }

  /// 32-bit elements are loaded where they are used.
  [[nodiscard]] int source(int vector) const {
    return bytes_ == 4 ? vector * vector_ : registers_.loaded + vector * registers_.loaded_step;
  }

  void softmax() {
    fill_outside(-std::numeric_limits<float>::infinity());
    if (kernel_.causal_rows > 0) hide_the_future();
    reduce(Opcode::kFmnmx, 0);
    const double scale = kernel_.scale * std::numbers::log2e;
    op_literal(Opcode::kFmul, factor(), result(), -scale);
    if (kernel_.quantises) op_literal(Opcode::kFadd, factor(), factor(), std::log2(kQuantisedOne));
    const int multiplier = shuffled();
    builder_.append(with_literal_move(multiplier, scale));
    for (int i = 0; i < elements(); ++i) {
      op(Opcode::kFfma, i, i, multiplier, factor());
      op(Opcode::kMufuEx2, i, i);
    }
    reduce(Opcode::kFadd, 1);
    op(Opcode::kMufuRcp, factor(), result());
    if (kernel_.quantises) return store_factor();
    for (int i = 0; i < elements(); ++i) op(Opcode::kFmul, i, i, factor());
  }

  /// One of the lanes that hold the row stores it.
  void store_factor() {
    op_literal(Opcode::kFmul, factor(), factor(), kernel_.quantised_step);
    isa::Expression holder;
    add_term(holder, {.variable = Variable::kLane, .coefficient = 1});
    if (warps_ > 1) add_term(holder, {.variable = Variable::kWarp, .coefficient = kLanes});
    isa::Guard guard{{{holder, 1}}};
    if (matrix_rows() % rows_per_cta() != 0) guard.bounds.push_back({row(), matrix_rows()});
    isa::MemoryAccess access{.buffer = 2};
    add_scaled(access.global.offset, all_rows(), 4);
    builder_.append(store(Opcode::kStg32, reg(factor()), work_.pointer(0),
                          builder_.access(std::move(access)), builder_.guard(guard)));
  }

  static isa::Instruction with_literal_move(int dst, double value) {
    return with_immediate(arithmetic(Opcode::kMov, reg(dst)), fp32_literal(value));
  }

  /// Elements beyond the row's end become `value`: a MOV under the inverse of the load's guard.
  void fill_outside(float value) {
    for (int vector = 0; vector < vectors_; ++vector) {
      if (!may_end(vector)) continue;
      isa::Expression slack = constant(kernel_.cols - 1);
      add_scaled(slack, column(vector), -1);
      const int outside = builder_.guard({{{slack, 0}}});
      for (int i = 0; i < vector_; ++i) {
        isa::Instruction fill = with_literal_move(vector * vector_ + i, value);
        fill.guard = outside;
        builder_.append(fill);
      }
    }
  }

  void hide_the_future() {
    for (int i = 0; i < elements(); ++i) {
      isa::Expression slack = row();
      slack.constant += kernel_.cols - kernel_.causal_rows - i % vector_;
      add_scaled(slack, column(i / vector_), -1);
      builder_.append(arithmetic(Opcode::kIsetp, isa::kZeroRegister));
      isa::Instruction hide = with_literal_move(i, -std::numeric_limits<float>::infinity());
      hide.guard = builder_.guard({{{slack, 0}}});
      builder_.append(hide);
    }
  }

  void normalise() {
    const double share = 1.0 / static_cast<double>(kernel_.cols);
    if (has_beta()) {
      fill_outside(0);
      reduce(Opcode::kFadd, 0);
      op_literal(Opcode::kFmul, factor(), result(), -share);
      for (int i = 0; i < elements(); ++i) op(Opcode::kFadd, i, i, factor());
    }
    fill_outside(0);
    reduce(Opcode::kFfma, 1);
    op_literal(Opcode::kFmul, result(), result(), share);
    op_literal(Opcode::kFadd, result(), result(), kEpsilon);
    op(Opcode::kMufuRsq, factor(), result());
    for (int vector = 0; vector < vectors_; ++vector) scale_vector(vector);
  }

  void scale_vector(int vector) {
    load_parameters(1, registers_.packed_gamma, registers_.gamma, vector);
    if (has_beta()) load_parameters(2, registers_.packed_beta, registers_.beta, vector);
    for (int i = 0; i < vector_; ++i) {
      const int x = vector * vector_ + i;
      op(Opcode::kFmul, x, x, factor());
      if (has_beta())
        op(Opcode::kFfma, x, x, registers_.gamma + i, registers_.beta + i);
      else
        op(Opcode::kFmul, x, x, registers_.gamma + i);
    }
  }

  void load_parameters(int buffer, int packed, int single, int vector) {
    const int target = kernel_.element == Element::kFp32 ? single : packed;
    isa::MemoryAccess access{.buffer = buffer};
    add_scaled(access.global.offset, column(vector), bytes_);
    builder_.append(load(global_load_of(vector_ * bytes_), reg(target), work_.pointer(buffer),
                         builder_.access(std::move(access)), guard(vector, /*of_row=*/false)));
    builder_.append(widen(kernel_.element, target, single, vector_));
  }

  /// Applies `opcode` over the row, into result(): maximum, sum, or with FFMA the sum of squares.
  /// `place` numbers the reductions of the kernel; each has its own shared memory.
  void reduce(Opcode opcode, int place) {
    const bool squares = opcode == Opcode::kFfma;
    const Opcode combining = squares ? Opcode::kFadd : opcode;
    if (squares)
      op(Opcode::kFmul, result(), 0, 0);
    else
      op(Opcode::kMov, result(), 0);
    for (int i = 1; i < elements(); ++i)
      if (squares)
        op(Opcode::kFfma, result(), i, i, result());
      else
        op(opcode, result(), result(), i);
    exchange(combining, kLanes);
    if (warps_ == 1) return;
    isa::Expression slot = constant(std::int64_t{place} * kMostWarps * 4);
    isa::Expression own = slot;
    add_term(own, {.variable = Variable::kWarp, .coefficient = 4});
    const int first_lane =
        builder_.guard({{{{.constant = 0, .terms = {{Variable::kLane, 1}}}, 1}}});
    builder_.append(store(Opcode::kSts32, reg(result()), reg(work_.fragment_address_a()),
                          builder_.access({.shared = {.offset = own}}), first_lane));
    builder_.append(control(Opcode::kBarSync));
    add_term(slot, {.variable = Variable::kLane,
                    .coefficient = 4,
                    .modulus = static_cast<std::uint32_t>(warps_)});
    builder_.append(load(Opcode::kLds32, reg(result()), reg(work_.fragment_address_b()),
                         builder_.access({.shared = {.offset = slot}})));
    exchange(combining, warps_);
  }

  /// Butterfly over `lanes` lanes.
  void exchange(Opcode opcode, int lanes) {
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
      builder_.append(
          with_immediate(arithmetic(Opcode::kShfl, reg(shuffled()), reg(result())), distance));
      op(opcode, result(), result(), shuffled());
    }
  }

  void store_vector(int vector) {
    const Element stored = kernel_.quantises ? Element::kInt8 : kernel_.element;
    builder_.append(narrow(stored, unit_, vector * vector_, vector_));
    builder_.append(work_.advance_pointer(vector, kOpsPerAccess));
    const int output = is_softmax() ? 1 : has_beta() ? 3 : 2;
    const int bytes = element_bytes(stored);
    const int access = builder_.access({.buffer = output, .global = place(vector, bytes)});
    builder_.append(store(global_store_of(vector_ * bytes), reg(vector * vector_),
                          work_.pointer(vector), access, guard(vector)));
  }

  const RowKernel& kernel_;
  const VectorUnit& unit_;
  const int warps_;    ///< that share a row
  const int bytes_;    ///< of an element
  const int vector_;   ///< elements
  const int vectors_;  ///< of a thread
  const RowRegisters registers_;
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

isa::KernelLaunch make_row_kernel(const RowKernel& kernel, const VectorUnit& unit) {
  return RowProgram(kernel, unit).launch();
}

}  // namespace tcsim::kernels
