#include "workloads/traceg/header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "sim/files/shown_text.hpp"
#include "workloads/trace/tct_cursor.hpp"
#include "workloads/traceg/fields.hpp"

namespace tcsim::traceg {
namespace {

constexpr std::int64_t kMostThreads = isa::kMostThreads;
constexpr std::int64_t kAnyVersion = 1'000'000;

constexpr std::array<std::string_view, 7> kNeeded{"kernel name",
                                                  "grid dim",
                                                  "block dim",
                                                  "shmem",
                                                  "nregs",
                                                  "binary version",
                                                  "accelsim tracer version"};
constexpr std::array<std::string_view, 4> kOptional{"shmem base_addr", "local mem base_addr",
                                                    "enable lineinfo", "cuda stream id"};

/// The key itself, whose characters outlive the line, or "" for a key that is not needed here.
std::string_view known_key(std::string_view key) {
  for (const std::string_view known : kNeeded)
    if (key == known) return known;
  for (const std::string_view known : kOptional)
    if (key == known) return known;
  return {};
}

std::string_view trimmed(std::string_view text) {
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::array<std::int64_t, 3> parse_triple(std::string_view line, std::size_t position,
                                         std::string_view what) {
  const auto fail = [&](const char* at) {
    const auto column = static_cast<std::size_t>(at - line.data());
    throw trace::Mistake{static_cast<int>(column) + 1, std::string(what),
                         "expected three numbers, x,y,z, got " + shown(line.substr(position))};
  };
  line = trimmed(line);
  position = std::min(position, line.size());
  const char* at = line.data() + position;
  const char* const end = line.data() + line.size();
  const auto take = [&](char wanted) {
    if (at == end || *at != wanted) fail(at);
    ++at;
  };
  const bool has_brackets = at < end && *at == '(';
  if (has_brackets) ++at;
  std::array<std::int64_t, 3> triple{};
  for (std::size_t i = 0; i < triple.size(); ++i) {
    if (i > 0) take(',');
    const auto [next, error] = std::from_chars(at, end, triple[i]);
    if (error != std::errc{} || triple[i] < 0) fail(at);
    at = next;
  }
  if (has_brackets) take(')');
  if (at != end) fail(at);
  return triple;
}

void Header::read(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos)
    throw trace::Mistake{1, "header", "expected '-key = value', got " + shown(line)};
  const std::string_view key = known_key(trimmed(line.substr(1, equals - 1)));
  if (key.empty()) return;
  if (std::ranges::find(seen_, key) != seen_.end())
    throw trace::Mistake{2, "header", files::shown(key) + " is given twice"};
  seen_.push_back(key);
  Fields value(line);
  value.skip(equals + 1);
  const auto number = [&](std::int64_t smallest, std::int64_t largest) {
    return static_cast<int>(value.take_decimal(key, smallest, largest));
  };
  if (key == "kernel name") {
    launch_.name = std::string(trimmed(value.rest()));
    return;
  }
  if (key == "cuda stream id") {
    cuda_stream_ = std::string(trimmed(value.rest()));
    return;
  }
  if (key == "grid dim" || key == "block dim") {
    const auto triple = parse_triple(line, value.position(), key);
    const auto largest = key == "grid dim" ? isa::kLargestGrid
                                           : std::array{kMostThreads, kMostThreads, kMostThreads};
    for (std::size_t i = 0; i < triple.size(); ++i)
      if (triple[i] < 1 || triple[i] > largest[i])
        value.fail(key, shown(std::to_string(triple[i])) + " is not between 1 and " +
                            std::to_string(largest[i]));
    if (key == "grid dim") {
      launch_.grid = triple;
      return;
    }
    const std::int64_t threads = triple[0] * triple[1] * triple[2];
    if (threads > kMostThreads) value.fail(key, "more than 1024 threads");
    launch_.warps_per_cta = static_cast<int>((threads + 31) / 32);
    return;
  }
  if (key == "shmem") launch_.shared_bytes_per_cta = number(0, isa::kMostSharedBytes);
  if (key == "nregs") launch_.registers_per_thread = std::max(1, number(0, 255));
  if (key == "binary version") sm_version_ = number(1, kAnyVersion);
  if (key == "accelsim tracer version") tracer_version_ = number(0, kAnyVersion);
  if (key == "enable lineinfo") has_source_lines_ = number(0, 1) == 1;
  if (key == "shmem base_addr") shared_base_ = value.take_hex(key, kLargestAddress);
  if (key == "local mem base_addr") local_base_ = value.take_hex(key, kLargestAddress);
  value.take_end();
}

std::uint64_t Header::shared_end() const {
  // Of one CTA: the rank in the cluster is in the bits above.
  constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 24;
  constexpr int kFirstWithClusters = 90;
  if (shared_base_ == 0 || local_base_ == shared_base_) return shared_base_;
  if (local_base_ > shared_base_) return local_base_;
  return shared_base_ +
         kWindowBytes * (sm_version_ >= kFirstWithClusters ? isa::kMostClusterCtas : 1);
}

std::string_view Header::missing() const {
  for (const std::string_view key : kNeeded)
    if (std::ranges::find(seen_, key) == seen_.end()) return key;
  return {};
}

}  // namespace tcsim::traceg
