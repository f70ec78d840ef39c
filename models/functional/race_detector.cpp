#include "models/functional/race_detector.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>

namespace tcsim::functional {
namespace {

/// The words after the later accessor and after the earlier one; if `rest` is null, the sentence
/// does not have the earlier one.
struct Sentence {
  const char* verb;
  const char* rest;
};

/// In the order of RaceKind.
constexpr std::array kSentences{
    Sentence{" reads what ", " writes with no barrier in between"},
    Sentence{" overwrites what ", " reads with no barrier in between"},
    Sentence{" overwrites what ", " writes with no barrier in between"},
    Sentence{" reads what ", " copies before that warp has waited for the copy"},
    Sentence{" overwrites what ", " copies before that warp has waited for the copy"},
    Sentence{" reads what ", " copies without a wait for the phase of its mbarrier"},
    Sentence{" accesses asynchronously what ", " writes with no FENCE.VIEW.ASYNC in between"},
    Sentence{" ends the CTA without being told that ", " has finished its access"},
    Sentence{" overwrites what ", " reads asynchronously before a wait for that read"},
    Sentence{" accesses what ",
             " of another CTA stores without a wait for a flag that announces the store"},
    Sentence{" accesses what ", " of another CTA stores with no MEMBAR before its flag"},
    Sentence{" reads what ", " computes before a wait for its group"},
    Sentence{" uses what ", " accesses with no WARPGROUP.ARRIVE in between"},
    Sentence{" overwrites what ", " uses before a wait for its group"},
    Sentence{" computes without a WARPGROUP.ARRIVE before it", nullptr},
};
static_assert(kSentences.size() == static_cast<std::size_t>(RaceKind::kCount));

bool is_in_registers(RaceKind kind) { return kind >= RaceKind::kReadOfOpenSums; }
bool is_global(RaceKind kind) {
  return !is_in_registers(kind) && kind >= RaceKind::kGlobalBeforeFlag;
}

/// `earlier` and `later` are the accessors in words.
std::string sentence_of(const Race& race, const std::string& earlier, const std::string& later) {
  const Sentence& sentence = kSentences[static_cast<std::size_t>(race.kind)];
  return "CTA " + std::to_string(race.cta) +
         (is_in_registers(race.kind) ? ", register R"
          : is_global(race.kind)     ? ", global byte "
                                     : ", shared byte ") +
         std::to_string(race.byte_offset) + ": " + later + sentence.verb +
         (sentence.rest != nullptr ? earlier + sentence.rest : "") + " (" +
         std::to_string(race.bytes) + (is_in_registers(race.kind) ? " times" : " bytes") +
         " in all)";
}

std::string text(const Accessor& who) {
  return "warp " + std::to_string(who.warp) + " at " + isa::address_text(who.instruction);
}

/// The number of the CTA of rank `rank` in the cluster of CTA number `cta`.
std::int64_t cta_of_rank(const isa::KernelLaunch& launch, std::int64_t cta, int rank) {
  std::array<std::int64_t, 3> place = isa::cta_at(launch, cta);
  for (std::size_t axis = 0; axis < place.size(); ++axis) {
    const int extent = launch.cluster[axis];
    place[axis] += rank % extent - place[axis] % extent;
    rank /= extent;
  }
  return isa::number_of_cta(launch, place);
}

/// `in_cluster`: the warp belongs to the cluster of the race.
std::string text(const Race& race, const Accessor& who, const isa::KernelLaunch& launch,
                 bool in_cluster) {
  const int warp = who.warp % launch.warps_per_cta;
  const std::int64_t cta = cta_of_rank(launch, race.cta, who.warp / launch.warps_per_cta);
  const isa::WarpProgram& program = launch.programs[static_cast<std::size_t>(
      launch.program_of_warp[static_cast<std::size_t>(warp)])];
  const isa::Instruction& instruction =
      program.instructions[static_cast<std::size_t>(who.instruction)];
  return "warp " + std::to_string(warp) +
         (in_cluster && cta != race.cta ? " of CTA " + std::to_string(cta) : "") + " at " +
         isa::address_text(who.instruction) + " (" +
         std::string(isa::opcode_info(instruction.opcode).mnemonic) + ")";
}

}  // namespace

std::string to_string(const Race& race) {
  return sentence_of(race, text(race.earlier), text(race.later));
}

std::string to_string(const Race& race, const isa::KernelLaunch& launch) {
  return sentence_of(race, text(race, race.earlier, launch, !is_global(race.kind)),
                     text(race, race.later, launch, /*in_cluster=*/true));
}

RaceDetector::RaceDetector(std::int64_t cta, int shared_bytes)
    : cta_(cta), bytes_(static_cast<std::size_t>(shared_bytes)) {}

void RaceDetector::use_clocks(CausalOrder& order, int first, int warps) {
  order_ = &order;
  first_ = first;
  warps_ = warps;
  async_.resize(bytes_.size());
}

/// Records an access by a CTA of the cluster. Its instruction is known to be done by those who know
/// of the warp's current time.
void RaceDetector::note_access(const Accessor& who, std::int64_t offset) {
  if (order_ == nullptr || (who.warp >= first_ && who.warp < first_ + warps_)) return;
  visits_[who.warp] = {who, offset, order_->time_of(who.warp)};
}

void RaceDetector::expect_end(const Accessor& who, int agent, int time, std::int64_t offset) {
  visits_[agent] = {who, offset, time};
}

void RaceDetector::end(const Accessor& who) {
  const auto is_known = [this](int agent, const Visit& visit) {
    for (int warp = first_; warp < first_ + warps_; ++warp)
      if (order_->clock_of(warp).has_seen(agent, visit.time)) return true;
    return false;
  };
  for (const auto& [agent, visit] : visits_)
    if (!is_known(agent, visit)) report(RaceKind::kAccessBehindEnd, visit.who, who, visit.offset);
}

void RaceDetector::read(const Accessor& who, std::int64_t offset, int bytes) {
  note_access(who, offset);
  for (Byte& byte : std::span(bytes_).subspan(static_cast<std::size_t>(offset),
                                              static_cast<std::size_t>(bytes))) {
    check_writer(byte, who, offset);
    note_reader(byte, who);
    ++offset;
  }
}

/// Reports a read that is not ordered after the last write.
void RaceDetector::check_writer(const Byte& byte, const Accessor& who, std::int64_t offset) {
  if (byte.open_copies > 0)
    report(RaceKind::kReadOfOpenCopy, byte.writer, who, offset);
  else if (const Accessor* const other = other_writer(byte, who))
    report(read_race(byte), *other, who, offset);
}

RaceKind RaceDetector::read_race(const Byte& byte) const {
  const bool by_phase = order_ != nullptr && async_[index_of(byte)].write_agent != kNever;
  return by_phase ? RaceKind::kReadBeforePhase : RaceKind::kReadAfterWrite;
}

/// Forgets readers before the last barrier of the CTA.
void RaceDetector::begin_readers(Byte& byte) {
  if (byte.read_epoch == epoch_) return;
  byte.read_epoch = epoch_;
  byte.readers = 0;
  if (order_ != nullptr) readers_.erase(index_of(byte));
}

void RaceDetector::note_reader(Byte& byte, const Accessor& who) {
  begin_readers(byte);
  if (order_ != nullptr) return note_timed_reader(byte, {who, who.warp, order_->time_of(who.warp)});
  // Two different warps suffice: whichever warp writes, one of them is another.
  if (byte.readers == 0 || (byte.readers == 1 && byte.reader[0].warp != who.warp))
    byte.reader[static_cast<std::size_t>(byte.readers++)] = who;
}

/// Replaces an earlier read of the same agent: whatever comes after this read also comes after that
/// one.
void RaceDetector::note_timed_reader(Byte& byte, const TimedReader& reader) {
  AsyncByte& async = async_[index_of(byte)];
  const auto put = [&](std::size_t place) {
    byte.reader[place] = reader.who;
    async.read_agent[place] = reader.agent;
    async.read_time[place] = reader.time;
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(byte.readers); ++i)
    if (async.read_agent[i] == reader.agent) return put(i);
  if (byte.readers < static_cast<int>(byte.reader.size()))
    return put(static_cast<std::size_t>(byte.readers++));
  replace(readers_[index_of(byte)], reader);
}

/// `latest` replaces an earlier access of the same agent.
void RaceDetector::replace(std::vector<TimedReader>& accesses, const TimedReader& latest) {
  const auto same = std::ranges::find(accesses, latest.agent, &TimedReader::agent);
  if (same == accesses.end())
    accesses.push_back(latest);
  else
    *same = latest;
}

const Accessor* RaceDetector::other_writer(const Byte& byte, const Accessor& who) const {
  if (order_ != nullptr) {
    const AsyncByte& async = async_[index_of(byte)];
    if (async.write_agent != kNever)
      return order_->clock_of(who.warp).has_seen(async.write_agent, async.write_time)
                 ? nullptr
                 : &byte.writer;
    const bool is_ordered = order_->clock_of(who.warp).has_seen(byte.writer.warp, async.write_time);
    if (byte.write_epoch == epoch_ && is_ordered)
      return byte.by_two_warps ? unordered_updater(byte, who) : nullptr;
  }
  if (byte.write_epoch != epoch_) return nullptr;
  if (byte.writer.warp != who.warp) return &byte.writer;
  return byte.by_two_warps ? &byte.other_writer : nullptr;
}

const Accessor* RaceDetector::unordered_updater(const Byte& byte, const Accessor& who) const {
  const Clock& known = order_->clock_of(who.warp);
  for (const TimedReader& updater : updaters_.at(index_of(byte)))
    if (!known.has_seen(updater.agent, updater.time)) return &updater.who;
  return nullptr;
}

void RaceDetector::check_reader(const TimedReader& reader, const Accessor& who,
                                std::int64_t offset) {
  if (reader.agent == who.warp) return;
  if (order_ != nullptr && order_->clock_of(who.warp).has_seen(reader.agent, reader.time)) return;
  report(RaceKind::kWriteAfterRead, reader.who, who, offset);
}

void RaceDetector::check_open_and_readers(const Byte& byte, const Accessor& who,
                                          std::int64_t offset) {
  if (byte.open_copies > 0) report(RaceKind::kWriteToOpenCopy, byte.writer, who, offset);
  const AsyncByte* const async = order_ != nullptr ? &async_[index_of(byte)] : nullptr;
  if (async != nullptr && async->open_reads > 0)
    report(RaceKind::kWriteToOpenRead, async->open_reader, who, offset);
  if (byte.read_epoch != epoch_) return;
  for (std::size_t i = 0; i < static_cast<std::size_t>(byte.readers); ++i)
    check_reader({byte.reader[i], async != nullptr ? async->read_agent[i] : byte.reader[i].warp,
                  async != nullptr ? async->read_time[i] : 0},
                 who, offset);
  if (async == nullptr || readers_.empty()) return;
  if (const auto more = readers_.find(index_of(byte)); more != readers_.end())
    for (const TimedReader& reader : more->second) check_reader(reader, who, offset);
}

/// Makes `who` the writer, at time `since` of its clock.
void RaceDetector::own(Byte& byte, const Accessor& who, int since) {
  byte.writer = who;
  byte.write_epoch = epoch_;
  byte.by_atomic = byte.by_two_warps = false;
  if (order_ == nullptr) return;
  AsyncByte& async = async_[index_of(byte)];
  async.write_agent = kNever;
  async.write_time = since;
  if (!updaters_.empty()) updaters_.erase(index_of(byte));
}

/// Orders a write after everything before it, and makes `who` the writer.
void RaceDetector::claim(Byte& byte, const Accessor& who, std::int64_t offset) {
  const Accessor* const other = other_writer(byte, who);
  if (byte.open_copies == 0 && other != nullptr)
    report(RaceKind::kWriteAfterWrite, *other, who, offset);
  check_open_and_readers(byte, who, offset);
  own(byte, who, time_of(who));
}

/// Records an atomic of `who` that follows others.
void RaceDetector::note_updater(Byte& byte, const Accessor& who) {
  const int time = order_->time_of(who.warp);
  if (byte.writer.warp == who.warp) {
    byte.writer = who;
    async_[index_of(byte)].write_time = time;
    return;
  }
  byte.by_two_warps = true;
  byte.other_writer = who;
  replace(updaters_[index_of(byte)], {who, who.warp, time});
}

void RaceDetector::update(const Accessor& who, std::int64_t offset, int bytes) {
  note_access(who, offset);
  for (int i = 0; i < bytes; ++i) {
    Byte& byte = bytes_[static_cast<std::size_t>(offset + i)];
    const bool follows_atomics = byte.write_epoch == epoch_ && byte.by_atomic;
    if (!follows_atomics) {
      claim(byte, who, offset + i);
      byte.by_atomic = true;
      continue;
    }
    check_open_and_readers(byte, who, offset + i);
    if (order_ != nullptr) {
      note_updater(byte, who);
      continue;
    }
    if (byte.writer.warp == who.warp) continue;
    byte.by_two_warps = true;
    byte.other_writer = who;
  }
}

void RaceDetector::write(const Accessor& who, std::int64_t offset, int bytes) {
  note_access(who, offset);
  for (int i = 0; i < bytes; ++i)
    claim(bytes_[static_cast<std::size_t>(offset + i)], who, offset + i);
}

void RaceDetector::open_copy(const Accessor& who, std::int64_t offset, int bytes) {
  write(who, offset, bytes);
  for (int i = 0; i < bytes; ++i) ++bytes_[static_cast<std::size_t>(offset + i)].open_copies;
}

int RaceDetector::time_of(const Accessor& who) const {
  return order_ != nullptr ? order_->time_of(who.warp) : 0;
}

void RaceDetector::close_copy(const Accessor& who, int since, std::int64_t offset, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    Byte& byte = bytes_[static_cast<std::size_t>(offset + i)];
    assert(byte.open_copies > 0);
    --byte.open_copies;
    own(byte, who, since);
  }
}

/// Asynchronous accesses learn of ordinary stores only through a fence.
void RaceDetector::check_fence(const Byte& byte, const Clock& clock, const Accessor& who,
                               std::int64_t offset) {
  const AsyncByte& async = async_[index_of(byte)];
  if (byte.write_epoch == kNever || async.write_agent != kNever) return;
  if (!clock.has_fenced(byte.writer.warp, async.write_time))
    report(RaceKind::kMissingFence, byte.writer, who, offset);
}

void RaceDetector::open_read(const Accessor& who, const Clock& clock, std::int64_t offset,
                             int bytes) {
  for (std::int64_t at = offset; at < offset + bytes; ++at) {
    Byte& byte = bytes_[static_cast<std::size_t>(at)];
    AsyncByte& async = async_[static_cast<std::size_t>(at)];
    const bool by_phase = async.write_agent != kNever;
    const int agent = by_phase ? async.write_agent : byte.writer.warp;
    const bool is_older = !by_phase && byte.write_epoch != epoch_;
    if (byte.open_copies > 0)
      report(RaceKind::kReadOfOpenCopy, byte.writer, who, at);
    else if (!is_older && !clock.has_seen(agent, async.write_time))
      report(read_race(byte), byte.writer, who, at);
    else
      check_fence(byte, clock, who, at);
    ++async.open_reads;
    async.open_reader = who;
  }
}

void RaceDetector::close_read(const Accessor& who, int agent, int time, std::int64_t offset,
                              int bytes) {
  for (std::int64_t at = offset; at < offset + bytes; ++at) {
    --async_[static_cast<std::size_t>(at)].open_reads;
    begin_readers(bytes_[static_cast<std::size_t>(at)]);
    note_timed_reader(bytes_[static_cast<std::size_t>(at)], {who, agent, time});
  }
}

void RaceDetector::open_write(const Accessor& who, int agent, int phase, std::int64_t offset,
                              int bytes) {
  for (std::int64_t at = offset; at < offset + bytes; ++at) {
    Byte& byte = bytes_[static_cast<std::size_t>(at)];
    check_fence(byte, order_->clock_of(who.warp), who, at);
    claim(byte, who, at);
    AsyncByte& async = async_[static_cast<std::size_t>(at)];
    async.write_agent = agent;
    async.write_time = phase + 1;
    ++byte.open_copies;
  }
}

void RaceDetector::close_write(std::int64_t offset, int bytes) {
  for (std::int64_t at = offset; at < offset + bytes; ++at)
    --bytes_[static_cast<std::size_t>(at)].open_copies;
}

void RaceDetector::read_until(const Accessor& who, int agent, int time, std::int64_t offset,
                              int bytes) {
  for (std::int64_t at = offset; at < offset + bytes; ++at) {
    Byte& byte = bytes_[static_cast<std::size_t>(at)];
    check_writer(byte, who, at);
    begin_readers(byte);
    note_timed_reader(byte, {who, agent, time});
  }
}

void RaceDetector::report(RaceKind kind, const Accessor& earlier, const Accessor& later,
                          std::int64_t offset) {
  const auto [found, is_new] = known_.try_emplace({kind, earlier, later}, races_.size());
  if (is_new) races_.push_back({kind, cta_, earlier, later, offset, 0});
  ++races_[found->second].bytes;
}

}  // namespace tcsim::functional
