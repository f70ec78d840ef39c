#include "tests/isa/schedule_checker.hpp"

#include "models/isa/operands.hpp"

#include <algorithm>
#include <map>

namespace tcsim::isa {
namespace {

/// A queued operation that was issued.
struct Queued {
  int position;
  long issued;
  bool wrote = false;
  bool read = false;
};

class Walk {
 public:
  Walk(const WarpProgram& program, const TimingTable& timing)
      : program_(program), timing_(timing) {}

  std::vector<std::string> run(int trips) {
    std::vector<int> done(program_.loops.size(), 0);
    for (int i = 0; i < static_cast<int>(program_.instructions.size());) {
      step(i);
      const Instruction& instruction = program_.instructions[i];
      if (instruction.opcode == Opcode::kBraSkip && trips == 0) {
        i = program_.loops[instruction.immediate].last + 1;
        continue;
      }
      if (instruction.opcode == Opcode::kBra) {
        int& count = done[instruction.immediate];
        if (++count < trips) {
          i = program_.loops[instruction.immediate].first;
          continue;
        }
        count = 0;
      }
      ++i;
    }
    return problems_;
  }

 private:
  void report(int position, const std::string& what) {
    problems_.push_back(std::to_string(position) + " " +
                        std::string(opcode_info(program_.instructions[position].opcode).mnemonic) +
                        ": " + what);
  }

  static std::vector<int> registers(Register first, int count) {
    std::vector<int> result;
    for (int r = first; first != 255 && r < first + count && r < 255; ++r) result.push_back(r);
    return result;
  }
  static std::vector<int> written_by(const Instruction& i) {
    return registers(i.dst, opcode_info(i.opcode).dst_registers);
  }
  static std::vector<int> read_by(const Instruction& i) {
    const OpcodeInfo& info = opcode_info(i.opcode);
    int used = 0;
    for (int s = 0; s < kSourceOperands; ++s) used = info.src_registers[s] > 0 ? s + 1 : used;
    if (i.has_immediate || i.has_constant) --used;
    std::vector<int> result;
    for (int s = 0; s < used; ++s) {
      for (const int r : registers(i.src[s], info.src_registers[s])) result.push_back(r);
    }
    return result;
  }

  void step(int position) {
    const Instruction& instruction = program_.instructions[position];
    const OpcodeInfo& info = opcode_info(instruction.opcode);
    const long latency = std::max(1, timing_[static_cast<int>(instruction.opcode)].latency);
    check_fields(position, instruction.control);
    wait(instruction.control.wait_mask);
    for (const int r : read_by(instruction)) {
      if (queued_writer(r)) report(position, "reads R" + std::to_string(r) + " in flight");
      if (const long at = ready(r); at > now_) {
        report(position,
               "reads R" + std::to_string(r) + " " + std::to_string(at - now_) + " early");
      }
    }
    for (const int r : written_by(instruction)) {
      if (queued_writer(r)) report(position, "overtakes a writer of R" + std::to_string(r));
      if (queued_reader(r)) report(position, "overtakes a reader of R" + std::to_string(r));
      if (ready(r) >= now_ + latency && ready(r) > now_) {
        report(position, "lands before an older result of R" + std::to_string(r));
      }
      if (const auto reader = busy_.find(r);
          reader != busy_.end() && reader->second > now_ && reader->second >= now_ + latency) {
        report(position, "lands before an MMA has read R" + std::to_string(r));
      }
    }
    check_scalars(position, latency);
    if (info.fixed_latency) {
      for (const int r : written_by(instruction)) ready_[r] = now_ + latency;
      if (info.pipe == Pipe::kTensor) {
        for (const int r : read_by(instruction)) {
          busy_[r] = std::max(busy_[r],
                              now_ + timing_[static_cast<int>(instruction.opcode)].issue_interval);
        }
      }
    } else {
      queued_.push_back({position, now_});
    }
    now_ += instruction.control.stall;
  }

  void check_scalars(int position, long latency) {
    const Instruction& instruction = program_.instructions[position];
    for (int operand = 0; operand < kSourceOperands; ++operand) {
      const int s = scalar_source(instruction, operand);
      if (s != kNoIndex && scalar_ready_[s] > now_)
        report(position, "reads scalar " + std::to_string(s) + " early");
    }
    const int s = scalar_destination(instruction);
    if (s == kNoIndex) return;
    if (scalar_ready_[s] >= now_ + latency && scalar_ready_[s] > now_)
      report(position, "lands before an older result of scalar " + std::to_string(s));
    scalar_ready_[s] = now_ + latency;
  }

  void check_fields(int position, const ControlBits& control) {
    if (control.stall < 1 || control.stall > 15) report(position, "stall outside 1 to 15");
    if (program_.instructions[position].opcode == Opcode::kDepbar && control.stall < 4) {
      report(position, "DEPBAR stalls less than 4");
    }
    if (control.write_counter > 5 && control.write_counter != 7) report(position, "write counter");
    if (control.read_counter > 5 && control.read_counter != 7) report(position, "read counter");
    if (control.wait_mask > 63) report(position, "wait mask");
  }

  /// Ends what the counters in `mask` stand for, as far as the increments can be seen by now.
  void wait(unsigned mask) {
    std::vector<Queued> left;
    for (Queued entry : queued_) {
      const ControlBits& control = program_.instructions[entry.position].control;
      const bool visible = now_ >= entry.issued + 2;
      if (visible && control.write_counter < 6 && (mask >> control.write_counter & 1) != 0) {
        entry.wrote = entry.read = true;
      }
      if (visible && control.read_counter < 6 && (mask >> control.read_counter & 1) != 0) {
        entry.read = true;
      }
      if (!entry.wrote || !entry.read) left.push_back(entry);
    }
    queued_ = std::move(left);
  }

  long ready(int r) const {
    const auto entry = ready_.find(r);
    return entry == ready_.end() ? 0 : entry->second;
  }
  bool queued_writer(int r) const {
    return std::ranges::any_of(queued_, [&](const Queued& q) {
      const auto touched = written_by(program_.instructions[q.position]);
      return !q.wrote && std::ranges::find(touched, r) != touched.end();
    });
  }
  bool queued_reader(int r) const {
    return std::ranges::any_of(queued_, [&](const Queued& q) {
      const auto touched = read_by(program_.instructions[q.position]);
      return !q.read && std::ranges::find(touched, r) != touched.end();
    });
  }

  const WarpProgram& program_;
  const TimingTable& timing_;
  long now_ = 0;
  std::map<int, long> ready_;
  std::map<int, long> busy_;
  std::map<int, long> scalar_ready_;
  std::vector<Queued> queued_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> check_schedule(const WarpProgram& program, const TimingTable& timing,
                                        int trips) {
  return Walk(program, timing).run(trips);
}

}  // namespace tcsim::isa
