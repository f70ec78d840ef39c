#include "models/functional/race_detector.hpp"

#include <cassert>
#include <cstddef>
#include <span>

namespace tcsim::functional {
namespace {

std::string text(const Accessor& who) {
  return "warp " + std::to_string(who.warp) + " instruction " + std::to_string(who.instruction);
}

std::string between(const Race& race, const char* later_verb, const char* earlier_verb) {
  return text(race.later) + later_verb + text(race.earlier) + earlier_verb +
         " with no barrier in between";
}

std::string description(const Race& race) {
  switch (race.kind) {
    case RaceKind::kReadAfterWrite:
      return between(race, " reads what ", " writes");
    case RaceKind::kWriteAfterRead:
      return between(race, " overwrites what ", " reads");
    case RaceKind::kWriteAfterWrite:
      return between(race, " overwrites what ", " writes");
    case RaceKind::kReadOfOpenCopy:
      return text(race.later) + " reads what " + text(race.earlier) +
             " copies before that warp has waited for the copy";
    case RaceKind::kWriteToOpenCopy:
      return text(race.later) + " overwrites what " + text(race.earlier) +
             " copies before that warp has waited for the copy";
  }
  return {};
}

}  // namespace

std::string to_string(const Race& race) {
  return "CTA " + std::to_string(race.cta) + ", shared byte " + std::to_string(race.byte_offset) +
         ": " + description(race) + " (" + std::to_string(race.bytes) + " bytes in all)";
}

RaceDetector::RaceDetector(std::int64_t cta, int shared_bytes)
    : cta_(cta), bytes_(static_cast<std::size_t>(shared_bytes)) {}

void RaceDetector::read(const Accessor& who, std::int64_t offset, int bytes) {
  for (Byte& byte : std::span(bytes_).subspan(static_cast<std::size_t>(offset),
                                              static_cast<std::size_t>(bytes))) {
    if (byte.open_copies > 0)
      report(RaceKind::kReadOfOpenCopy, byte.writer, who, offset);
    else if (const Accessor* const other = other_writer(byte, who))
      report(RaceKind::kReadAfterWrite, *other, who, offset);
    if (byte.read_epoch != epoch_) {
      byte.read_epoch = epoch_;
      byte.readers = 0;
    }
    // Two different warps suffice: whichever warp writes, one of them is another.
    if (byte.readers == 0 || (byte.readers == 1 && byte.reader[0].warp != who.warp))
      byte.reader[static_cast<std::size_t>(byte.readers++)] = who;
    ++offset;
  }
}

const Accessor* RaceDetector::other_writer(const Byte& byte, const Accessor& who) const {
  if (byte.write_epoch != epoch_) return nullptr;
  if (byte.writer.warp != who.warp) return &byte.writer;
  return byte.by_two_warps ? &byte.other_writer : nullptr;
}

void RaceDetector::check_open_and_readers(const Byte& byte, const Accessor& who,
                                          std::int64_t offset) {
  if (byte.open_copies > 0) report(RaceKind::kWriteToOpenCopy, byte.writer, who, offset);
  if (byte.read_epoch != epoch_) return;
  for (int i = 0; i < byte.readers; ++i)
    if (const Accessor& reader = byte.reader[static_cast<std::size_t>(i)]; reader.warp != who.warp)
      report(RaceKind::kWriteAfterRead, reader, who, offset);
}

/// Orders a write after everything before it, and makes `who` the writer.
void RaceDetector::claim(Byte& byte, const Accessor& who, std::int64_t offset) {
  const Accessor* const other = other_writer(byte, who);
  if (byte.open_copies == 0 && other != nullptr)
    report(RaceKind::kWriteAfterWrite, *other, who, offset);
  check_open_and_readers(byte, who, offset);
  byte.writer = who;
  byte.write_epoch = epoch_;
  byte.by_atomic = byte.by_two_warps = false;
}

void RaceDetector::update(const Accessor& who, std::int64_t offset, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    Byte& byte = bytes_[static_cast<std::size_t>(offset + i)];
    const bool follows_atomics = byte.write_epoch == epoch_ && byte.by_atomic;
    if (!follows_atomics) {
      claim(byte, who, offset + i);
      byte.by_atomic = true;
      continue;
    }
    check_open_and_readers(byte, who, offset + i);
    if (byte.writer.warp == who.warp) continue;
    byte.by_two_warps = true;
    byte.other_writer = who;
  }
}

void RaceDetector::write(const Accessor& who, std::int64_t offset, int bytes) {
  for (int i = 0; i < bytes; ++i)
    claim(bytes_[static_cast<std::size_t>(offset + i)], who, offset + i);
}

void RaceDetector::open_copy(const Accessor& who, std::int64_t offset, int bytes) {
  write(who, offset, bytes);
  for (int i = 0; i < bytes; ++i) ++bytes_[static_cast<std::size_t>(offset + i)].open_copies;
}

void RaceDetector::close_copy(const Accessor& who, std::int64_t offset, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    Byte& byte = bytes_[static_cast<std::size_t>(offset + i)];
    assert(byte.open_copies > 0);
    --byte.open_copies;
    byte.writer = who;
    byte.write_epoch = epoch_;
    byte.by_atomic = byte.by_two_warps = false;
  }
}

void RaceDetector::report(RaceKind kind, const Accessor& earlier, const Accessor& later,
                          std::int64_t offset) {
  const auto [found, is_new] = known_.try_emplace({kind, earlier, later}, races_.size());
  if (is_new) races_.push_back({kind, cta_, earlier, later, offset, 0});
  ++races_[found->second].bytes;
}

}  // namespace tcsim::functional
