#include "workloads/traceg/instruction_reader.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "workloads/trace/tct_cursor.hpp"
#include "workloads/traceg/fields.hpp"

namespace tcsim::traceg {
namespace {

constexpr std::uint64_t kLargestPc = (std::uint64_t{1} << 48) - 1;
constexpr std::uint64_t kLargestMask = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kAnyNumber = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kLargestStep = std::int64_t{1} << 49;
constexpr std::int64_t kMostSources = 8;
constexpr std::int64_t kWidest = 256;  // bytes that one lane may move

bool has(std::uint32_t lanes, std::size_t lane) { return (lanes >> lane & 1) != 0; }

std::int64_t checked(std::int64_t address, const Fields& fields) {
  if (address < 0 || address > static_cast<std::int64_t>(kLargestAddress))
    fields.fail("address", "lane at " + std::to_string(address) + ", outside of 49 bits");
  return address;
}

}  // namespace

bool InstructionReader::matches(const Known& known, std::uint64_t pc, std::string_view rest) {
  if (known.pc != pc || !rest.starts_with(known.text)) return false;
  return rest.size() == known.text.size() ||
         (known.has_addresses && rest[known.text.size()] == ' ');
}

int InstructionReader::find(std::uint64_t pc, std::string_view rest) const {
  if (previous_ != kNone) {
    const int next = known_[static_cast<std::size_t>(previous_)].next;
    if (next != kNone && matches(known_[static_cast<std::size_t>(next)], pc, rest)) return next;
  }
  const auto first = first_at_.find(pc);
  int entry = first == first_at_.end() ? kNone : first->second;
  while (entry != kNone && !matches(known_[static_cast<std::size_t>(entry)], pc, rest))
    entry = known_[static_cast<std::size_t>(entry)].other;
  return entry;
}

void InstructionReader::read(std::string_view line) {
  while (line.ends_with(' ')) line.remove_suffix(1);
  Fields fields(line);
  if (header_.has_source_lines()) fields.take_decimal("source line", 0, kAnyNumber);
  const std::uint64_t pc = fields.take_hex("PC", kLargestPc);
  const auto lanes = static_cast<std::uint32_t>(fields.take_hex("active mask", kLargestMask));
  int entry = find(pc, fields.rest());
  if (entry == kNone) entry = parse(pc, line, fields.position());
  const Known& known = known_[static_cast<std::size_t>(entry)];
  if (known.has_addresses) {
    read_addresses(line, fields.position() + known.text.size(), lanes);
    const bool in_shared = take_out_shared_base(lanes);
    if (known.is_generic && lanes != 0) entry = variant(entry, in_shared);
  }
  if (previous_ != kNone) known_[static_cast<std::size_t>(previous_)].next = entry;
  previous_ = entry;
  const Known& executed = known_[static_cast<std::size_t>(entry)];
  if (executed.code == kUnknown) {
    ++unknown_count_;
  } else {
    if (lines_[static_cast<std::size_t>(entry)].sass.is_constant) addresses_.fill(0);
    recording_.add_step(executed.code, lanes, addresses_);
  }
}

/// Takes apart a line that has not been seen before. Returns its entry.
int InstructionReader::parse(std::uint64_t pc, std::string_view line, std::size_t start) {
  Fields fields(line, start);
  CodeLine code{pc, {}, {}};
  if (fields.take_decimal("number of destinations", 0, 1) == 1)
    code.instruction.dst = static_cast<isa::Register>(fields.take_register("destination"));
  opcode_column_ = fields.column();
  const std::string mnemonic(fields.take_word("operation"));
  const std::int64_t source_count = fields.take_decimal("number of sources", 0, kMostSources);
  std::vector<isa::Register> sources;
  for (std::int64_t i = 0; i < source_count; ++i)
    sources.push_back(static_cast<isa::Register>(fields.take_register("source")));
  const int width_column = fields.column();
  const bool has_addresses = fields.take_decimal("width", 0, kWidest) != 0;
  std::size_t end = line.size();
  if (has_addresses) {
    end = fields.position();
    while (line[end - 1] == ' ' || line[end - 1] == '\t') --end;
  } else if (!fields.at_end()) {
    code.instruction.immediate =
        static_cast<std::int32_t>(fields.take_decimal("immediate", -kAnyNumber, kAnyNumber));
    fields.take_end();
  }
  Known known{pc, std::string(line.substr(start, end - start)), has_addresses, false, false, 0};
  const std::optional<SassOpcode> sass = parse_sass(mnemonic, header_.sm_version());
  if (!sass) {
    if (std::ranges::find(unknown_, mnemonic) == unknown_.end()) unknown_.push_back(mnemonic);
    known.code = kUnknown;
    return add(std::move(known), code);
  }
  code.sass = *sass;
  code.instruction.opcode = sass->opcode;
  const isa::Effect effect = isa::opcode_info(sass->opcode).effect;
  if (effect == isa::Effect::kWaitCopyGroups)
    code.instruction.immediate = std::max(0, code.instruction.immediate);
  else
    code.instruction.immediate = 0;
  if (code.is_memory() && !has_addresses && !sass->is_constant)
    throw trace::Mistake{width_column, "width", mnemonic + " needs addresses, and has none"};
  known.is_generic = sass->is_generic;
  set_sources(code, sources);
  return add(std::move(known), code);
}

/// Sources fill the operands of the models in order; LDGSTS names its shared address first.
void InstructionReader::set_sources(CodeLine& line, const std::vector<isa::Register>& sources) {
  const isa::OpcodeInfo& info = isa::opcode_info(line.instruction.opcode);
  std::size_t operands = 0;
  while (operands < info.src_registers.size() && info.src_registers[operands] > 0) ++operands;
  const std::size_t taken = std::min(operands, sources.size());
  std::copy_n(sources.begin(), taken, line.instruction.src.begin());
  dropped_sources_ += static_cast<std::int64_t>(sources.size() - taken);
  if (info.effect == isa::Effect::kCopyGlobalToShared && taken == 2)
    std::swap(line.instruction.src[0], line.instruction.src[1]);
}

int InstructionReader::add(Known known, const CodeLine& line) {
  const int entry = static_cast<int>(known_.size());
  if (known.code != kUnknown) known.code = recording_.add_code(line);
  int& first = first_at_.try_emplace(known.pc, kNone).first->second;
  known.other = first;
  first = entry;
  known_.push_back(std::move(known));
  lines_.push_back(line);
  return entry;
}

/// The entry like `entry`, a generic operation, for global or shared memory.
int InstructionReader::variant(int entry, bool in_shared) {
  const Known known = known_[static_cast<std::size_t>(entry)];
  if (known.in_shared == in_shared) return entry;
  for (int other = first_at_.at(known.pc); other != kNone;
       other = known_[static_cast<std::size_t>(other)].other) {
    const Known& candidate = known_[static_cast<std::size_t>(other)];
    if (candidate.text == known.text && candidate.in_shared == in_shared) return other;
  }
  Known added = known;
  added.in_shared = in_shared;
  CodeLine line = lines_[static_cast<std::size_t>(entry)];
  line.instruction.opcode = in_shared ? in_shared_memory(line.sass.opcode) : line.sass.opcode;
  return add(std::move(added), line);
}

void InstructionReader::read_addresses(std::string_view line, std::size_t start,
                                       std::uint32_t lanes) {
  Fields fields(line, start);
  if (lanes == 0) return;  // nothing moves, wherever it would have gone
  const auto first = static_cast<std::size_t>(std::countr_zero(lanes));
  const auto take_address = [&fields] {
    return static_cast<std::int64_t>(fields.take_hex("address", kLargestAddress));
  };
  const auto take_step = [&fields](std::string_view what) {
    return fields.take_decimal(what, -kLargestStep, kLargestStep);
  };
  switch (fields.take_decimal("address mode", 0, 2)) {
    case 0:
      for (std::size_t lane = first; lane < addresses_.size(); ++lane)
        if (has(lanes, lane)) addresses_[lane] = take_address();
      break;
    case 1: {
      const std::int64_t base = take_address();
      const std::int64_t stride = take_step("stride");
      for (std::size_t lane = first; lane < addresses_.size(); ++lane) {
        if (!has(lanes, lane)) continue;
        addresses_[lane] = checked(base + stride * static_cast<std::int64_t>(lane - first), fields);
      }
      break;
    }
    default: {
      std::int64_t address = addresses_[first] = take_address();
      for (std::size_t lane = first + 1; lane < addresses_.size(); ++lane) {
        if (!has(lanes, lane)) continue;
        address = checked(address + take_step("address difference"), fields);
        addresses_[lane] = address;
      }
    }
  }
  if (!fields.at_end()) fields.take_decimal("immediate", -kAnyNumber, kAnyNumber);
  fields.take_end();
}

/// True if the first lane is in the generic window of shared memory; then the addresses become
/// offsets into it.
bool InstructionReader::take_out_shared_base(std::uint32_t lanes) {
  if (lanes == 0) return false;
  const auto base = static_cast<std::int64_t>(header_.shared_base());
  const std::int64_t first = addresses_[static_cast<std::size_t>(std::countr_zero(lanes))];
  if (first < base || first >= static_cast<std::int64_t>(header_.local_base())) return false;
  for (std::int64_t& address : addresses_) address -= base;
  return true;
}

}  // namespace tcsim::traceg
