#include "sim/rtl/tensor_core_loop.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

#include "models/isa/opcode.hpp"
#include "sim/rtl/warp_unit.hpp"

namespace tcsim::rtl {
namespace {

std::string mnemonic(isa::Opcode opcode) { return std::string(isa::opcode_info(opcode).mnemonic); }

std::string name_of(const IssuedMma& mma) {
  const auto at = [&](isa::Variable variable) {
    return std::to_string(mma.bindings[static_cast<std::size_t>(variable)]);
  };
  return mnemonic(mma.opcode) + " of warp " + at(isa::Variable::kWarp) + " of CTA (" +
         at(isa::Variable::kCtaX) + "," + at(isa::Variable::kCtaY) + "," +
         at(isa::Variable::kCtaZ) + "), issued at cycle " + std::to_string(mma.at);
}

/// CTA and warp, without the loop counters of the warp.
isa::Bindings warp_of(const isa::Bindings& bindings) {
  isa::Bindings warp{};
  for (const auto variable :
       {isa::Variable::kCtaX, isa::Variable::kCtaY, isa::Variable::kCtaZ, isa::Variable::kWarp})
    warp[static_cast<std::size_t>(variable)] = bindings[static_cast<std::size_t>(variable)];
  return warp;
}

int cycles_of(const WarpUnit::Result& result) {
  return static_cast<int>(result.finished - result.accepted) + 1;
}

/// Cycles of `mma` in an otherwise idle unit.
int latency_alone(WarpUnit& unit, const WarpMma& mma) {
  unit.accept(mma);
  for (int waited = 0; waited < kUnitPatience; ++waited) {
    unit.clock();
    if (const auto finished = unit.take_finished(); !finished.empty())
      return cycles_of(finished.front());
  }
  throw std::logic_error("the RTL matrix unit does not answer");
}

}  // namespace

struct TensorCoreLoop::Findings {
  LoopResult result;
  std::map<isa::Opcode, LoopLatency> latencies;

  void add_difference(std::string sentence) {
    if (result.first_difference.empty()) result.first_difference = std::move(sentence);
  }
};

class TensorCoreLoop::MachineFileUnit : public sm::TensorUnit {
 public:
  explicit MachineFileUnit(const isa::TimingTable& timing) : timing_(timing) {}

  void begin_kernel() override {}
  Cycle issue(Cycle now, const isa::Bindings& bindings, isa::Opcode opcode) override {
    issued_.push_back({now, warp_of(bindings), opcode});
    return now + timing_[static_cast<std::size_t>(opcode)].issue_interval;
  }
  const std::vector<IssuedMma>& issued() const { return issued_; }

 private:
  const isa::TimingTable& timing_;
  std::vector<IssuedMma> issued_;
};

class TensorCoreLoop::RtlUnit : public sm::TensorUnit {
 public:
  RtlUnit(const MmaRecord& record, const isa::TimingTable& timing, int launches, Findings& findings)
      : record_(record), timing_(timing), launches_(launches), findings_(findings) {}

  void begin_kernel() override {
    ++kernel_;
    issued_of_warp_.clear();
  }

  Cycle issue(Cycle now, const isa::Bindings& bindings, isa::Opcode opcode) override {
    const isa::Bindings warp = warp_of(bindings);
    issued_.push_back({now, warp, opcode});
    if (!unit_) unit_ = record_.units().make();
    const RecordedMma* const mma = next_of(warp);
    if (mma == nullptr) {
      findings_.add_difference(name_of(issued_.back()) + " has no recorded operands");
      return now + timing_[static_cast<std::size_t>(opcode)].issue_interval;
    }
    clock_until(now);
    note_dependence(*mma, warp, now);
    unit_->accept(mma->mma);
    waiting_.push_back({mma, issued_.back(), latency_of(opcode, *mma), unit_->now()});
    for (int waited = 0; waited == 0 || !unit_->can_accept(); ++waited) {
      if (waited == kUnitPatience)
        throw std::logic_error("the RTL matrix unit takes no instruction");
      clock();
    }
    return now_;
  }

  /// Clocks until all issued MMAs have come out.
  void finish() {
    for (int waited = 0; !waiting_.empty(); ++waited) {
      if (waited == kUnitPatience) throw std::logic_error("the RTL matrix unit does not answer");
      clock();
    }
  }

  const std::vector<IssuedMma>& issued() const { return issued_; }

 private:
  struct Waiting {
    const RecordedMma* recorded;
    IssuedMma issued;
    int latency;               ///< expected
    std::int64_t accepted;     ///< in cycles of the unit
    Cycle wanted_at = kNever;  ///< when the warp issued an MMA that uses this D as its C
  };

  const RecordedMma* next_of(const isa::Bindings& warp) {
    const auto& recorded = record_.of_warp(kernel_ % launches_, warp);
    const std::size_t index = issued_of_warp_[warp]++;
    return index < recorded.size() ? &recorded[index] : nullptr;
  }

  void clock_until(Cycle now) {
    while (now_ < now && !waiting_.empty()) clock();
    now_ = now;  // with nothing in flight, cycles change nothing
  }

  void clock() {
    unit_->clock();
    ++now_;
    for (const WarpUnit::Result& result : unit_->take_finished()) check(result);
  }

  /// `mma` of `warp` is issued: records which earlier MMA of the same warp has a D equal to its C,
  /// since that MMA must be finished. Zeros do not identify a D.
  void note_dependence(const RecordedMma& mma, const isa::Bindings& warp, Cycle now) {
    const auto is_zero = [](const RegisterImage& image) { return image == RegisterImage{}; };
    if (std::ranges::all_of(mma.mma.c, is_zero)) return;
    for (Waiting& before : waiting_)
      if (before.issued.bindings == warp && before.recorded->d == mma.mma.c)
        before.wanted_at = std::min(before.wanted_at, now);
  }

  void check(const WarpUnit::Result& result) {
    const auto found = std::ranges::find(waiting_, result.accepted, &Waiting::accepted);
    if (found == waiting_.end())
      throw std::logic_error("the RTL matrix unit gives what none asked");
    const Waiting waiting = *found;
    waiting_.erase(found);
    ++findings_.result.instructions;
    if (result.d != waiting.recorded->d) {
      ++findings_.result.wrong_values;
      findings_.add_difference(name_of(waiting.issued) + ": D has other bits than models/numerics");
    }
    // The result was available in the previous cycle, or its registers are available as C enters.
    const Cycle there =
        now_ - 1 - (record_.units().streams() ? result.finished - result.dependent_from : 0);
    if (there > waiting.wanted_at)
      findings_.add_difference(name_of(waiting.issued) + ": a dependent MMA was issued " +
                               std::to_string(there - waiting.wanted_at) +
                               " cycles before D was there");
    const int late = cycles_of(result) - waiting.latency;
    if (late > 0 && record_.units().interleaves()) {
      ++findings_.result.late;
      findings_.result.latest_cycles = std::max(findings_.result.latest_cycles, late);
    } else if (late != 0) {
      ++findings_.result.wrong_cycles;
      findings_.add_difference(name_of(waiting.issued) + ": D came after " +
                               std::to_string(cycles_of(result)) + " cycles, alone after " +
                               std::to_string(waiting.latency));
    }
  }

  int latency_of(isa::Opcode opcode, const RecordedMma& mma) {
    auto [row, is_new] = findings_.latencies.try_emplace(opcode);
    if (is_new) {
      row->second.mnemonic = mnemonic(opcode);
      row->second.unit_cycles = latency_alone(*record_.units().make(), mma.mma);
      row->second.machine_cycles = timing_[static_cast<std::size_t>(opcode)].latency;
    }
    ++row->second.instructions;
    return row->second.unit_cycles;
  }

  const MmaRecord& record_;
  const isa::TimingTable& timing_;
  const int launches_;
  Findings& findings_;
  int kernel_ = -1;
  std::map<isa::Bindings, std::size_t> issued_of_warp_;
  std::vector<IssuedMma> issued_;
  std::unique_ptr<WarpUnit> unit_;
  Cycle now_ = 0;  ///< SM cycle up to which the unit has been clocked
  std::deque<Waiting> waiting_;
};

TensorCoreLoop::TensorCoreLoop(const MmaRecord& record, const isa::TimingTable& timing,
                               int launches)
    : record_(record),
      timing_(timing),
      launches_(launches),
      findings_(std::make_unique<Findings>()) {}

TensorCoreLoop::~TensorCoreLoop() = default;

TensorCoreLoop::TensorUnits TensorCoreLoop::of_machine_file() {
  return [this](int sm, int sub_core) -> sm::TensorUnit& {
    auto& unit = machine_file_units_[{sm, sub_core}];
    unit = std::make_unique<MachineFileUnit>(timing_);
    return *unit;
  };
}

TensorCoreLoop::TensorUnits TensorCoreLoop::in_rtl() {
  return [this](int sm, int sub_core) -> sm::TensorUnit& {
    auto& unit = rtl_units_[{sm, sub_core}];
    unit = std::make_unique<RtlUnit>(record_, timing_, launches_, *findings_);
    return *unit;
  };
}

/// The earliest issue, over all sub-cores, at which the two runs differ.
std::string TensorCoreLoop::first_other_issue() const {
  const auto none = [](const IssuedMma* mma) { return mma == nullptr ? "nothing" : name_of(*mma); };
  Cycle earliest = kNever;
  std::string sentence;
  for (const auto& [sub_core, unit] : rtl_units_) {
    const auto& with_file = machine_file_units_.at(sub_core)->issued();
    const auto& with_rtl = unit->issued();
    const auto [file, rtl] = std::ranges::mismatch(with_file, with_rtl);
    const IssuedMma* const in_file = file == with_file.end() ? nullptr : &*file;
    const IssuedMma* const in_rtl = rtl == with_rtl.end() ? nullptr : &*rtl;
    const Cycle at = std::min(in_file ? in_file->at : kNever, in_rtl ? in_rtl->at : kNever);
    if (at >= earliest) continue;
    earliest = at;
    sentence = "in RTL " + none(in_rtl) + "; with the machine file " + none(in_file);
  }
  return sentence;
}

LoopResult TensorCoreLoop::result() {
  for (const auto& [sub_core, unit] : rtl_units_) {
    unit->finish();
    if (!unit->issued().empty()) ++findings_->result.units;
  }
  if (std::string other = first_other_issue(); !other.empty())
    findings_->add_difference(std::move(other));
  findings_->result.unit = record_.units().name();
  for (const auto& [opcode, latency] : findings_->latencies) {
    findings_->result.latencies.push_back(latency);
    if (latency.unit_cycles > latency.machine_cycles ||
        (require_latencies_ && latency.unit_cycles != latency.machine_cycles))
      findings_->add_difference(latency.mnemonic + ": the unit takes " +
                                std::to_string(latency.unit_cycles) + " cycles, the machine file " +
                                std::to_string(latency.machine_cycles));
  }
  return findings_->result;
}

}  // namespace tcsim::rtl
