#include "sim/mma/tile_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "models/numerics/ptx_name.hpp"
#include "sim/mma/hex.hpp"
#include "sim/mma/json_line.hpp"

namespace tcsim::mma {

namespace {

using numerics::Fragment;
using numerics::Generation;
using numerics::InstructionKind;
using numerics::OperandRole;
using Words = std::vector<std::uint32_t>;

constexpr std::array<std::pair<std::string_view, Generation>, 9> kGpus = {{
    {"V100", Generation::kVolta},
    {"T4", Generation::kTuring},
    {"A100", Generation::kAmpere},
    {"A2", Generation::kAmpere},
    {"A10", Generation::kAmpere},
    {"L4", Generation::kAda},
    {"L40S", Generation::kAda},
    {"H100", Generation::kHopper},
    {"H200", Generation::kHopper},
}};

Generation named_generation(const JsonLine& line, const std::string& word) {
  for (const auto& [gpu, generation] : kGpus)
    if (gpu == word) return generation;
  std::string lower = word;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  if (const auto generation = numerics::generation_named(lower)) return *generation;
  throw line.error("numerics",
                   fmt::format("'{}' is unknown; allowed: V100, T4, A100, L40S, H100 or "
                               "volta, turing, ampere, ada, hopper",
                               word));
}

Generation generation_of(const JsonLine& line, const numerics::MmaInstruction& instruction) {
  if (const auto word = line.string("numerics")) return named_generation(line, *word);
  const auto newest = numerics::newest_generation(instruction);
  if (!newest.has_value()) throw line.unsupported("instr", newest.refusal().reason);
  return newest.value();
}

/// `rows` strings of `columns` elements each.
Words elements(const JsonLine& line, const std::string& key, int rows, int columns, int bits_each) {
  const std::vector<std::string> texts = line.strings(key);
  if (texts.size() != static_cast<std::size_t>(rows))
    throw line.error(key,
                     fmt::format("has {} strings; this instruction has {}", texts.size(), rows));
  Words words;
  for (std::size_t row = 0; row < texts.size(); ++row) {
    const int index = static_cast<int>(row);
    const auto parsed = parse_hex(texts[row], bits_each);
    if (const auto* error = std::get_if<HexError>(&parsed))
      throw line.error(key, error->reason, index, error->offset);
    const auto& patterns = std::get<std::vector<std::uint64_t>>(parsed);
    if (patterns.size() != static_cast<std::size_t>(columns))
      throw line.error(key,
                       fmt::format("string {} holds {} elements of {} bits; expected {}", row,
                                   patterns.size(), bits_each, columns),
                       index);
    for (const std::uint64_t pattern : patterns)
      words.push_back(static_cast<std::uint32_t>(pattern));
  }
  return words;
}

Words registers(const JsonLine& line, const std::string& key,
                const numerics::MmaInstruction& instruction, OperandRole role) {
  const Fragment fragment(instruction, role);
  return elements(line, key, fragment.lanes(), fragment.registers_per_lane(), 32);
}

}  // namespace

TileRecord parse_tile(const std::string& text, const std::string& file, int line_number,
                      const std::optional<numerics::TensorArithmetic>& core) {
  const JsonLine line(text, file, line_number);
  TileRecord tile;
  const auto name = line.string("instr");
  if (!name) throw line.error("instr", "missing");
  tile.ptx_name = *name;
  const auto instruction = numerics::parse_ptx_name(*name);
  if (!instruction.has_value()) {
    const std::string reason = fmt::format("{} in '{}'", instruction.refusal().reason, *name);
    if (instruction.refusal().kind == numerics::Refusal::Kind::kMistake)
      throw line.error("instr", reason);
    throw line.unsupported("instr", reason);
  }
  tile.instruction = instruction.value();
  tile.core = core ? *core : numerics::TensorArithmetic(generation_of(line, tile.instruction));
  const auto arithmetic = numerics::arithmetic_of(tile.instruction, tile.core);
  if (!arithmetic.has_value()) throw line.unsupported("instr", arithmetic.refusal().reason);

  tile.a = registers(line, "A", tile.instruction, OperandRole::kA);
  if (tile.instruction.kind == InstructionKind::kWgmma)
    tile.b_matrix = elements(line, "B_kxn", tile.instruction.shape.k, tile.instruction.shape.n,
                             numerics::bits(tile.instruction.b));
  else
    tile.b = registers(line, "B", tile.instruction, OperandRole::kB);
  tile.c = registers(line, "C", tile.instruction, OperandRole::kC);
  tile.d = registers(line, "D", tile.instruction, OperandRole::kD);
  if (tile.instruction.sparse) {
    tile.metadata = elements(line, "E", tile.instruction.lanes(), 1, 32);
    tile.selector = line.integer("selector").value_or(0);
    const int selectors = numerics::MetadataLayout::selectors(tile.instruction);
    if (tile.selector < 0 || tile.selector >= selectors)
      throw line.error("selector", fmt::format("{} is not in 0..{}", tile.selector, selectors - 1));
  }
  return tile;
}

}  // namespace tcsim::mma
