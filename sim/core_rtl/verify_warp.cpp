#include "sim/core_rtl/verify_warp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

#include "models/numerics/execute.hpp"
#include "models/numerics/fragment.hpp"
#include "sim/rtl/random.hpp"
#include "sim/rtl/warp_operands.hpp"

namespace tcsim::core_rtl {
namespace {

using numerics::ElementType;

constexpr int kPatience = 100'000;
constexpr int kTimedMmas = 64;

/// Random registers of one operand: all bits random, ordinary numbers, small exponents, or few
/// different ones.
class Registers {
 public:
  explicit Registers(std::uint64_t seed) : random_(seed) {}

  std::vector<std::uint32_t> of(const numerics::MmaInstruction& instruction,
                                numerics::OperandRole role) {
    const numerics::Fragment fragment(instruction, role);
    const int words = fragment.registers_per_lane() * fragment.lanes();
    std::vector<std::uint32_t> registers(static_cast<std::size_t>(words));
    const int kind = random_.between(0, 3);
    const int exponent = random_.between(-4, 4);
    const ElementType type = fragment.type();
    const int width = numerics::bits(type);
    for (std::uint32_t& word : registers)
      for (int shift = 0; shift < 32; shift += width)
        word |= static_cast<std::uint32_t>(element(type, kind, exponent)) << shift;
    return registers;
  }

 private:
  std::uint64_t element(ElementType type, int kind, int exponent) {
    const int width = numerics::bits(type);
    const std::uint64_t bits = random_.bits() >> (64 - width);
    if (numerics::is_integer(type) || kind == 0) return bits;
    if (kind == 3 && random_.one_in(2)) return 0;
    const numerics::Format& format = numerics::format_of(type);
    const int spread = kind == 2 ? format.bias : 2;
    const int field = std::clamp(format.bias + exponent + random_.between(-spread, spread), 0,
                                 (1 << format.exponent_bits) - 2);
    const int low = format.fraction_bits + format.ignored_low_bits;
    const std::uint64_t mask = ((std::uint64_t{1} << format.exponent_bits) - 1) << low;
    return (bits & ~mask) | static_cast<std::uint64_t>(field) << low;
  }

  rtl::Random random_;
};

struct Mma {
  rtl::WarpMma warp;
  rtl::Registers d;
};

/// MMAs of an instruction with their results in models/numerics.
class Source {
 public:
  Source(const CorePlan& plan, const CoreInstruction& instruction, std::uint64_t seed)
      : row_(plan.row_of(instruction.opcode)),
        executor_(numerics::MmaExecutor::create(instruction.instruction, plan.arithmetic).value()),
        registers_(seed) {}

  /// Elements of D of one MMA.
  [[nodiscard]] std::int64_t elements() const {
    const numerics::MmaInstruction& of = executor_.instruction();
    return std::int64_t{of.shape.m} * of.shape.n * of.matrices();
  }

  Mma next() {
    const numerics::MmaInstruction& instruction = executor_.instruction();
    const auto a = registers_.of(instruction, numerics::OperandRole::kA);
    const auto b = registers_.of(instruction, numerics::OperandRole::kB);
    const auto c = registers_.of(instruction, numerics::OperandRole::kC);
    numerics::MmaOperands operands;
    operands.a = a;
    operands.b = b;
    operands.c = c;
    Mma mma{rtl::warp_mma(instruction, operands),
            rtl::registers_of(executor_.execute(operands).value())};
    mma.warp.row = row_;
    return mma;
  }

 private:
  int row_;
  numerics::MmaExecutor executor_;
  Registers registers_;
};

std::optional<WrongResult> difference(const rtl::Registers& rtl, const rtl::Registers& model) {
  for (std::size_t index = 0; index < model.size(); ++index)
    for (std::size_t lane = 0; lane < model[index].size(); ++lane)
      if (rtl[index][lane] != model[index][lane])
        return WrongResult{0, static_cast<int>(lane), static_cast<int>(index), rtl[index][lane],
                           model[index][lane]};
  return {};
}

[[noreturn]] void no_answer(const WarpReport& report) {
  throw std::logic_error(report.mnemonic + ": the RTL tensor core does not answer");
}

/// Issues `count` MMAs, with stalls in `stalls` of 16 cycles, and compares the results.
class Stream {
 public:
  Stream(Source& source, rtl::WarpUnit& unit, WarpReport& report)
      : source_(source), unit_(unit), report_(report) {}

  /// Returns the cycles of issue.
  std::vector<std::int64_t> run(std::int64_t count, int stalls, rtl::Random& random) {
    std::vector<std::int64_t> issued;
    int waited = 0;
    while ((std::ssize(issued) < count || !waiting_.empty()) && !report_.wrong) {
      if (std::ssize(issued) < count && unit_.can_accept()) {
        Mma mma = source_.next();
        unit_.accept(mma.warp);
        waiting_.push_back(std::move(mma.d));
        issued.push_back(unit_.now());
      }
      unit_.clock(random.between(0, 15) >= stalls);
      for (const auto& result : unit_.take_finished()) {
        take(result);
        waited = 0;
      }
      if (++waited == kPatience) no_answer(report_);
    }
    return issued;
  }

 private:
  void take(const rtl::WarpUnit::Result& result) {
    const auto cycles = static_cast<int>(result.finished - result.accepted) + 1;
    report_.latest_cycles = std::max(report_.latest_cycles, cycles);
    if (auto wrong = difference(result.d, waiting_.front())) {
      wrong->mma = report_.mmas;
      report_.wrong = wrong;
    }
    ++report_.mmas;
    report_.vectors += source_.elements();
    waiting_.pop_front();
  }

  Source& source_;
  rtl::WarpUnit& unit_;
  WarpReport& report_;
  std::deque<rtl::Registers> waiting_;
};

}  // namespace

WarpReport verify_warp(const CorePlan& plan, const CoreInstruction& instruction,
                       rtl::WarpUnit& unit, std::int64_t vectors, std::uint64_t seed) {
  WarpReport report;
  report.mnemonic = isa::opcode_info(instruction.opcode).mnemonic;
  report.derived_interval_cycles = instruction.derived.interval_cycles();
  report.derived_latency_cycles = instruction.derived.latency_cycles;
  Source source(plan, instruction, seed);
  rtl::Random random(seed + 1);
  Stream stream(source, unit, report);
  const std::int64_t count = std::max<std::int64_t>(kTimedMmas, vectors / source.elements());
  for (std::int64_t i = 0; i < count && !report.wrong; i += kTimedMmas)
    stream.run(std::min<std::int64_t>(kTimedMmas, count - i), 4 * random.between(0, 3), random);
  if (report.wrong) return report;

  report.latest_cycles = 0;
  stream.run(1, 0, random);
  report.latency_cycles = report.latest_cycles;
  const std::vector<std::int64_t> issued = stream.run(kTimedMmas, 0, random);
  if (report.wrong) return report;
  const std::size_t half = issued.size() / 2;
  report.interval_cycles = static_cast<double>(issued.back() - issued[half - 1]) /
                           static_cast<double>(issued.size() - half);
  return report;
}

std::string to_text(const WarpReport& report) {
  std::string text = fmt::format("  {:<22} {} MMAs, {} elements of D, ", report.mnemonic,
                                 report.mmas, report.vectors);
  if (report.wrong)
    return text +
           fmt::format("OTHER BITS\n    MMA {}, register {} of lane {}: rtl {:08x}, model {:08x}\n",
                       report.wrong->mma, report.wrong->register_index, report.wrong->lane,
                       report.wrong->rtl, report.wrong->model);
  text += fmt::format("0 mismatches; interval {} (derived {}), latency {} (derived {})",
                      report.interval_cycles, report.derived_interval_cycles, report.latency_cycles,
                      report.derived_latency_cycles);
  if (!report.same_cycles()) text += ": CYCLES DIFFER";
  if (report.latest_cycles > report.latency_cycles)
    text += fmt::format("; {} among others", report.latest_cycles);
  return text + "\n";
}

}  // namespace tcsim::core_rtl
