#include "workloads/trace/tct_header.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "models/isa/name_text.hpp"
#include "sim/files/shown_text.hpp"
#include "workloads/trace/tct_async.hpp"

namespace tcsim::trace {
namespace {

// Bounds of the hardware, microarchitecture.md 2.2.
constexpr std::uint64_t kMostRegisters = 255;
constexpr std::uint64_t kLargestAddress = std::uint64_t{1} << 56;

constexpr std::array<std::string_view, 6> kRequired{"tct",   "kernel",    "grid",
                                                    "warps", "registers", "shared"};

}  // namespace

bool TctHeader::is_key(std::string_view word) {
  return word == "buffer" || word == "tensormap" || word == "cluster" ||
         std::ranges::find(kRequired, word) != kRequired.end();
}

const std::vector<std::string_view>& TctHeader::keys() {
  static const std::vector<std::string_view> all{
      "tct",    "kernel",    "grid",    "warps",   "registers", "shared", "cluster",
      "buffer", "tensormap", "program", "uniform", "loop",      "end"};
  return all;
}

std::vector<std::string_view> TctHeader::missing() const {
  std::vector<std::string_view> keys;
  for (const std::string_view key : kRequired) {
    if (std::ranges::find(seen_, key) == seen_.end()) keys.push_back(key);
  }
  return keys;
}

void TctHeader::read(Cursor& cursor) {
  const int column = cursor.column();
  const std::string key(cursor.take_word("header"));
  if (key == "buffer") {
    read_buffer(cursor);
  } else if (key == "tensormap") {
    read_tensor_map(cursor);
  } else {
    if (std::ranges::find(seen_, key) != seen_.end()) {
      throw Mistake{column, "header", files::shown(key) + " is given twice"};
    }
    seen_.push_back(key);
    read_value(cursor, key);
  }
  cursor.take_end();
}

void TctHeader::read_value(Cursor& cursor, std::string_view key) {
  const auto number = [&](std::uint64_t smallest, std::uint64_t largest) {
    const int column = cursor.column();
    const std::uint64_t value = cursor.take_unsigned(key, largest);
    if (value < smallest) {
      throw Mistake{column, std::string(key), "must be at least " + std::to_string(smallest)};
    }
    return static_cast<int>(value);
  };
  if (key == "tct") {
    const int column = cursor.column();
    if (cursor.take_unsigned("tct", std::numeric_limits<std::uint32_t>::max()) != 1) {
      throw Mistake{column, "tct", "this program reads version 1"};
    }
  } else if (key == "kernel") {
    launch_.name = cursor.take_name("kernel");
  } else if (key == "grid") {
    read_grid(cursor);
  } else if (key == "cluster") {
    for (int& ctas : launch_.cluster) ctas = number(1, isa::kMostClusterCtas);
  } else if (key == "warps") {
    launch_.warps_per_cta = number(1, isa::kMostWarps);
    launch_.program_of_warp.assign(static_cast<std::size_t>(launch_.warps_per_cta), isa::kNoIndex);
  } else if (key == "registers") {
    launch_.registers_per_thread = number(1, kMostRegisters);
  } else {
    launch_.shared_bytes_per_cta = number(0, isa::kMostSharedBytes);
  }
}

void TctHeader::read_grid(Cursor& cursor) {
  for (std::size_t i = 0; i < launch_.grid.size(); ++i) {
    const int column = cursor.column();
    const auto largest = static_cast<std::uint64_t>(isa::kLargestGrid[i]);
    const std::uint64_t extent = cursor.take_unsigned("grid", largest);
    if (extent == 0) throw Mistake{column, "grid", "an extent is at least 1"};
    launch_.grid[i] = static_cast<std::int64_t>(extent);
  }
}

void TctHeader::read_buffer(Cursor& cursor) {
  const int column = cursor.column();
  const std::string name = cursor.take_name("buffer");
  if (std::ranges::find(launch_.buffers, name, &isa::Buffer::name) != launch_.buffers.end()) {
    throw Mistake{column, "buffer", isa::name_text(name) + " is declared twice"};
  }
  // The name is registered even if the rest of the line is wrong, so that its uses cause no further
  // messages.
  isa::Buffer& buffer = launch_.buffers.emplace_back();
  buffer.name = name;
  buffer.input = !cursor.sees_word() || cursor.word() != "output";
  if (!cursor.accept("input") && !cursor.accept("output")) {
    cursor.fail("buffer", "expected 'input' or 'output', got " + cursor.seen());
  }
  buffer.flags = cursor.accept("flags");
  buffer.scratch = !buffer.input && cursor.accept("scratch");
  cursor.take("base", "buffer");
  cursor.take("=", "buffer");
  buffer.base_address = cursor.take_unsigned("base", kLargestAddress);
  cursor.take("bytes", "buffer");
  cursor.take("=", "buffer");
  buffer.bytes = cursor.take_unsigned("bytes", kLargestAddress);
  if (buffer.input || !cursor.accept("replaced")) return;
  cursor.take("=", "buffer");
  buffer.replaced = cursor.take_unsigned("replaced", buffer.bytes);
}

void TctHeader::read_tensor_map(Cursor& cursor) {
  const int column = cursor.column();
  const std::string name = cursor.take_name("tensormap");
  if (std::ranges::find(launch_.tensor_maps, name, &isa::TensorMap::name) !=
      launch_.tensor_maps.end())
    throw Mistake{column, "tensormap", isa::name_text(name) + " is declared twice"};
  // Registered like a buffer, for the same reason.
  isa::TensorMap& map = launch_.tensor_maps.emplace_back();
  map.name = name;
  parse_tensor_map(cursor, launch_, map);
}

void parse_warps(Cursor& cursor, int program, std::vector<int>& program_of_warp) {
  cursor.take("warps", "program");
  if (cursor.accept("none")) return;
  do {
    const int column = cursor.column();
    const auto largest = static_cast<std::uint64_t>(program_of_warp.size()) - 1;
    const std::uint64_t first = cursor.take_unsigned("warps", largest);
    const std::uint64_t last = cursor.accept("-") ? cursor.take_unsigned("warps", largest) : first;
    if (last < first) throw Mistake{column, "warps", "the range runs backwards"};
    for (std::uint64_t warp = first; warp <= last; ++warp) {
      if (program_of_warp[warp] != isa::kNoIndex) {
        throw Mistake{column, "warps", "warp " + std::to_string(warp) + " has a program already"};
      }
      program_of_warp[warp] = program;
    }
  } while (cursor.accept(","));
}

}  // namespace tcsim::trace
