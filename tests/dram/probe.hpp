#pragma once

#include <cstdint>
#include <ostream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "models/dram/channel.hpp"

namespace tcsim::dram::test {

/// A command seen on a command bus.
struct Issued {
  Cycle at;
  Command command;
  int dram_bank;
  std::int64_t row;

  bool operator==(const Issued&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Issued& issued) {
  constexpr std::string_view kNames[] = {"ACT", "PRE", "RD", "WR", "REF"};
  return out << issued.at << ':' << kNames[static_cast<int>(issued.command)] << " bank "
             << issued.dram_bank << " row " << issued.row;
}

/// The same machine with addresses that address_of() knows.
inline DramParams with_plain_addresses(DramParams params) {
  params.address_mapping = RowBankColumn::kName;
  return params;
}

/// The address that RowBankColumn places at `bank`, `row`, `column`.
inline std::uint64_t address_of(const DramParams& params, int dram_bank, std::int64_t row,
                                int column = 0) {
  const int burst_bytes = params.channel_width_bits / 8 * params.burst_length_beats;
  const int place =
      dram_bank % params.banks_per_group * params.bank_groups + dram_bank / params.banks_per_group;
  const std::int64_t rows_before = row * params.bank_groups * params.banks_per_group + place;
  return static_cast<std::uint64_t>(rows_before * params.row_bytes +
                                    std::int64_t{column} * burst_bytes);
}

/// A channel that remembers its commands and completions. Its addresses are plain ones.
class Probe {
 public:
  Probe(const DramParams& params, int memory_mhz)
      : params_(with_plain_addresses(params)),
        timing_(resolve(params, memory_mhz)),
        channel_(timing_, params_, root_, "channel") {
    channel_.observe([this](Cycle at, Command command, int dram_bank, std::int64_t row) {
      commands_.push_back({at, command, dram_bank, row});
    });
  }

  void read(Cycle now, int dram_bank, std::int64_t row, int column = 0, int source = 0) {
    push(now, dram_bank, row, column, false, source);
  }
  void write(Cycle now, int dram_bank, std::int64_t row, int column = 0) {
    push(now, dram_bank, row, column, true, 0);
  }
  void run(Cycle until) { channel_.advance(until, done_); }

  Channel& channel() { return channel_; }
  const DramTiming& timing() const { return timing_; }
  const std::vector<Issued>& commands() const { return commands_; }
  const std::vector<Completion>& done() const { return done_; }

  std::vector<Issued> all(Command command) const {
    std::vector<Issued> found;
    for (const Issued& issued : commands_) {
      if (issued.command == command) found.push_back(issued);
    }
    return found;
  }
  /// Clock of the n-th `command`, counted from 0; -1 when there were fewer.
  Cycle at(Command command, std::size_t n) const {
    const std::vector<Issued> found = all(command);
    return n < found.size() ? found[n].at : -1;
  }
  std::uint64_t counter(std::string_view name) const {
    for (const stats::Counter* counter : root_.children().front()->counters()) {
      if (counter->name() == name) return counter->value();
    }
    throw std::logic_error("no such counter");
  }

 private:
  void push(Cycle now, int dram_bank, std::int64_t row, int column, bool write, int source) {
    channel_.push(now, {next_tag_++, address_of(params_, dram_bank, row, column), write,
                        static_cast<std::uint16_t>(source)});
  }

  const DramParams params_;
  const DramTiming timing_;
  stats::Group root_{"test"};
  Channel channel_;
  std::uint64_t next_tag_ = 0;
  std::vector<Issued> commands_;
  std::vector<Completion> done_;
};

}  // namespace tcsim::dram::test
