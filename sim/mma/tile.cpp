#include "sim/mma/tile.hpp"

#include <fmt/ostream.h>

#include <optional>

#include "models/numerics/convert.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/line_reader.hpp"
#include "sim/mma/hex.hpp"
#include "sim/mma/position.hpp"
#include "sim/mma/refuse.hpp"
#include "sim/mma/tile_record.hpp"

namespace tcsim::mma {

namespace {

struct Mismatch {
  std::size_t lane;
  std::size_t index;  ///< Register of the lane.
};

bool is_fp64_nan(std::span<const std::uint32_t> pair) {
  const std::uint64_t pattern = std::uint64_t{pair[0]} | std::uint64_t{pair[1]} << 32;
  const auto& format = numerics::format_of(numerics::ElementType::kFp64);
  return numerics::decode(format, pattern).value_class == numerics::ValueClass::kNan;
}

/// The first register that differs. Payloads of FP64 NaNs are unknown and never compared (Q8).
std::optional<Mismatch> first_mismatch(const TileRecord& tile,
                                       const std::vector<std::uint32_t>& computed) {
  const std::size_t registers =
      computed.size() / static_cast<std::size_t>(tile.instruction.lanes());
  const bool doubles = tile.instruction.d == numerics::ElementType::kFp64;
  for (std::size_t i = 0; i < computed.size(); ++i) {
    if (computed[i] == tile.d[i]) continue;
    const std::size_t pair = i - i % 2;
    if (doubles && is_fp64_nan(std::span(computed).subspan(pair, 2)) &&
        is_fp64_nan(std::span(tile.d).subspan(pair, 2)))
      continue;
    return Mismatch{i / registers, i % registers};
  }
  return std::nullopt;
}

std::vector<std::uint32_t> execute(const TileRecord& tile, const Position& position) {
  auto executor = numerics::MmaExecutor::create(tile.instruction, tile.core);
  if (!executor.has_value()) refuse(to_string(position), executor.refusal());
  numerics::MmaExecutor machine = executor.value();
  const auto d =
      machine.execute({tile.a, tile.b, tile.b_matrix, tile.c, tile.metadata, tile.selector});
  if (!d.has_value()) refuse(to_string(position) + ": E", d.refusal());
  return d.value();
}

struct Tally {
  int tiles = 0;
  int mismatching = 0;
  std::string first;
};

void replay(const TileRecord& tile, const Position& position, Tally& tally) {
  const std::vector<std::uint32_t> computed = execute(tile, position);
  ++tally.tiles;
  const auto mismatch = first_mismatch(tile, computed);
  if (!mismatch) return;
  ++tally.mismatching;
  if (!tally.first.empty()) return;
  const std::size_t registers =
      computed.size() / static_cast<std::size_t>(tile.instruction.lanes());
  const std::size_t at = mismatch->lane * registers + mismatch->index;
  tally.first = fmt::format(
      "first mismatch: {}:{}: {} as {}: lane {} register {}: expected {}, "
      "computed {}\n",
      position.file, position.line, tile.ptx_name, to_string(tile.core), mismatch->lane,
      mismatch->index, to_hex(tile.d[at], 32), to_hex(computed[at], 32));
}

}  // namespace

bool replay_tiles(const TileOptions& options, std::ostream& out) {
  if (options.files.empty()) throw UsageError("mma tile: no file; write tcsim mma tile FILE.jsonl");
  bool agrees = true;
  for (const std::string& file : options.files) {
    files::LineReader lines(files::open_file(file, files::FileKind::kVectors), file);
    Tally tally;
    for (std::string_view line; lines.next(line);) {
      if (line.find_first_not_of(" \t") == std::string::npos) continue;
      const int number = static_cast<int>(lines.number());
      replay(parse_tile(std::string(line), file, number, options.core), {file, number, 1}, tally);
    }
    if (tally.tiles == 0) throw UsageError(file + ":1:1: no tiles in the file");
    fmt::print(out, "{}: {} tiles, {} mismatching tiles\n{}", file, tally.tiles, tally.mismatching,
               tally.first);
    agrees = agrees && tally.mismatching == 0;
  }
  return agrees;
}

}  // namespace tcsim::mma
