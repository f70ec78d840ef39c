#include "models/sm/load_store/tile_copies.hpp"

#include <algorithm>
#include <bit>

#include "models/isa/async_operands.hpp"

namespace tcsim::sm {
namespace {

/// What a reduction adds to `line`: each word once, so one pass per sector.
memory::AtomicLanes fp32_words(const BoxLine& line) {
  constexpr int kWordBytes = 4;
  return {static_cast<std::uint8_t>(line.bytes / kWordBytes),
          static_cast<std::uint8_t>(std::popcount(line.sectors)), memory::AtomicClass::kFloat};
}

}  // namespace

TileCopies::TileCopies(const SmParams& params, int sm, DataPath& path, PeerPort& port,
                       CompletionQueue& told, MemoryCounters& counters)
    : params_(params.tile_copy),
      cluster_(params.cluster),
      line_bytes_(params.l1.line_bytes),
      sector_bytes_(params.l1.sector_bytes),
      sm_(static_cast<std::uint16_t>(sm)),
      path_(path),
      port_(port),
      fills_(params.l1.bytes_per_cycle, 1, counters.box_path_busy_cycles),
      told_(told),
      counters_(counters) {}

LineForCta TileCopies::line_for_cta(const AnswerTag& tag, const memory::ClusterFlag& flag) {
  const int barrier = static_cast<int>(tag.number) * isa::kBarrierBytes;
  return {flag.cluster, flag.rank, flag.lands, flag.asked, barrier, tag.bytes};
}

int TileCopies::take() {
  const auto found = std::ranges::find(copies_, true, &Copy::is_free);
  const auto number = static_cast<int>(found - copies_.begin());
  if (found == copies_.end()) copies_.emplace_back();
  copies_[static_cast<std::size_t>(number)].is_free = false;
  ++under_way_;
  return number;
}

void cut(const IssuedBox& box, int bytes_of_line, int bytes_of_sector,
         std::vector<BoxLine>& lines) {
  const auto line_bytes = static_cast<std::uint64_t>(bytes_of_line);
  const auto sector_bytes = static_cast<std::uint64_t>(bytes_of_sector);
  lines.clear();
  for (const ByteRange& row : box.rows) {
    std::uint64_t begin = row.begin;
    while (begin < row.end) {
      const std::uint64_t address = begin / line_bytes * line_bytes;
      const std::uint64_t stop = std::min(row.end, address + line_bytes);
      BoxLine line{address, static_cast<std::uint16_t>(stop - begin), 0, 0};
      for (std::uint64_t sector = (begin - address) / sector_bytes;
           address + sector * sector_bytes < stop; ++sector) {
        const auto bit = static_cast<std::uint8_t>(1U << sector);
        line.sectors |= bit;
        const std::uint64_t first = address + sector * sector_bytes;
        if (first < begin || first + sector_bytes > stop) line.partial |= bit;
      }
      lines.push_back(line);
      begin = stop;
    }
  }
}

BoxLines TileCopies::start(const IssuedBox& box, Cycle now) {
  const int number = take();
  Copy& copy = copies_[static_cast<std::size_t>(number)];
  cut(box, line_bytes_, sector_bytes_, copy.lines);
  copy.put_rank = box.put_rank;
  copy.put_left = box.put_rank ? box.bytes : 0;
  copy.next = 0;
  copy.unanswered = copy.lines.size();
  copy.access = box.access;
  copy.from = now + params_.start_cycles;
  copy.done = box.done;
  copy.id = box.id;
  copy.ranks = box.ranks;
  copy.cluster = box.cluster;
  copy.barrier = box.barrier;
  BoxLines inside{static_cast<int>(copy.lines.size())};
  for (const BoxLine& line : copy.lines) inside.bytes += line.bytes;
  if (copy.writes()) {  // the whole box takes the data path at once (assumption)
    path_.move_asynchronous(std::max(1, box.bytes), now);
    told_.push(path_.free_at(), copy.done, CycleReason::kCopyWait);
    copy.done = {};
  }
  if (copy.lines.empty() && copy.put_left == 0) {
    finish_if_done(number, copy.from);
  } else {
    waiting_.push_back(number);
    send_what_may(now);
  }
  return inside;
}

/// If a box has to wait, the boxes after it wait, too.
void TileCopies::send_what_may(Cycle now) {
  while (!waiting_.empty()) {
    const int number = waiting_.front();
    const bool is_put = copies_[static_cast<std::size_t>(number)].put_rank.has_value();
    if (!(is_put ? put_what_may(number, now) : ask_for_what_may(number, now))) return;
    waiting_.pop_front();
  }
}

/// Reads wait while too many bytes are in flight. True if everything has been requested.
bool TileCopies::ask_for_what_may(int number, Cycle now) {
  Copy& copy = copies_[static_cast<std::size_t>(number)];
  while (copy.next < copy.lines.size()) {
    const BoxLine& line = copy.lines[copy.next];
    const bool fits = bytes_in_flight_ + line.bytes <= params_.bytes_in_flight;
    if (copy.reads() && !fits && bytes_in_flight_ > 0) return false;
    const Cycle at = std::max({now, copy.from, next_request_});
    next_request_ = at + params_.request_cycles;
    ++copy.next;
    send(number, line, at);
  }
  return true;
}

/// True if everything has left.
bool TileCopies::put_what_may(int number, Cycle now) {
  Copy& copy = copies_[static_cast<std::size_t>(number)];
  while (copy.put_left > 0) {
    const Cycle turn = std::max(copy.from, port_.turn_at());
    if (turn > now) {
      if (!waits_for_turn_)
        told_.push(turn, {.kind = CompletionToken::Kind::kPutTurn}, CycleReason::kCopyWait);
      waits_for_turn_ = true;
      return false;
    }
    PeerMessage piece{.kind = PeerMessage::Kind::kPut};
    piece.cluster = copy.cluster;
    piece.rank = static_cast<std::uint8_t>(*copy.put_rank);
    piece.address = copy.barrier;
    piece.bytes = std::min(cluster_.put_bytes, copy.put_left);
    piece.access.operation = static_cast<std::uint16_t>(number);
    path_.move_asynchronous(piece.bytes, now);
    port_.send_access(piece, ceil_div(piece.bytes, cluster_.packet_bytes), now);
    copy.put_left -= piece.bytes;
    ++copy.unanswered;
  }
  return true;
}

void TileCopies::go_on_putting(Cycle now) {
  waits_for_turn_ = false;
  send_what_may(now);
}

void TileCopies::put_is_done(int number, Cycle now) {
  --copies_[static_cast<std::size_t>(number)].unanswered;
  finish_if_done(number, now);
}

void TileCopies::send(int number, const BoxLine& line, Cycle at) {
  Copy& copy = copies_[static_cast<std::size_t>(number)];
  memory::LineRequest& request = requests_.emplace_back();
  request.cycle = at;
  request.address = line.address;
  request.tag =
      AnswerTag{AnswerKind::kTile, static_cast<std::uint32_t>(number), line.bytes}.encoded();
  request.sm = sm_;
  request.sectors = line.sectors;
  request.access = copy.access;
  request.of_tile = true;
  if (copy.reads()) {
    if (copy.ranks != 0) {
      const auto barrier = static_cast<std::uint32_t>(copy.barrier / isa::kBarrierBytes);
      request.tag = AnswerTag{AnswerKind::kClusterLine, barrier, line.bytes}.encoded();
      request.ranks = copy.ranks;
      request.cluster = copy.cluster;
      ++lines_for_cluster_;
      --copy.unanswered;
      finish_if_done(number, at);
    }
    bytes_in_flight_ += line.bytes;
    counters_.l1_bypassed.add(static_cast<std::uint64_t>(std::popcount(line.sectors)));
    return;
  }
  if (!copy.writes()) return;
  if (copy.access == memory::LineAccess::kReduction) {
    request.atomic = fp32_words(line);
    return;
  }
  request.partial = line.partial;
  counters_.global_write_bytes.add(static_cast<std::uint64_t>(std::popcount(line.sectors)) *
                                   static_cast<std::uint64_t>(sector_bytes_));
}

void TileCopies::receive(const AnswerTag& tag, Cycle now) {
  const auto number = static_cast<int>(tag.number);
  Copy& copy = copies_[static_cast<std::size_t>(number)];
  --copy.unanswered;
  if (copy.writes()) {
    last_store_done_ = now;
  } else if (copy.reads()) {
    bytes_in_flight_ -= tag.bytes;
    fills_.move_asynchronous(tag.bytes, now);
    counters_.shared_fill_bytes.add(static_cast<std::uint64_t>(tag.bytes));
  }
  finish_if_done(number, std::max(now, fills_.free_at()));
  send_what_may(now);
}

void TileCopies::receive(const LineForCta& line, CompletionToken done, Cycle now) {
  if (line.lands) {
    fills_.move_asynchronous(line.bytes, now);
    counters_.shared_fill_bytes.add(static_cast<std::uint64_t>(line.bytes));
    told_.push(fills_.free_at(), done, CycleReason::kCopyWait);
  }
  if (!line.asked) return;
  bytes_in_flight_ -= line.bytes;
  --lines_for_cluster_;
  send_what_may(now);
}

void TileCopies::finish_if_done(int number, Cycle now) {
  Copy& copy = copies_[static_cast<std::size_t>(number)];
  if (copy.unanswered != 0 || copy.put_left != 0) return;
  told_.push(now, copy.done, CycleReason::kCopyWait);
  if (observer_ != nullptr && copy.done) observer_->changes_mbarrier(copy.id, now);
  copy.done = {};
  copy.is_free = true;
  --under_way_;
}

}  // namespace tcsim::sm
