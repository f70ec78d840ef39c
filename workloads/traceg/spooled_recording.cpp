#include "workloads/traceg/spooled_recording.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <string_view>

#include "sim/errors/errors.hpp"

namespace tcsim::traceg {
namespace {

constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};

/// Front of a step in the file. For an instruction with addresses and lanes, the number of its
/// pattern and its address follow and, if the pattern is its own, the offsets of the active lanes;
/// for a SYNCS then its value. For a copy of TMA with lanes, mbarrier and ranks follow in the same
/// way and, if its box has no number, its size and pieces.
struct StepRecord {
  std::int32_t code;
  std::uint32_t lanes;
};
struct AccessRecord {
  std::int64_t address;
  std::int64_t pattern;
};
struct BoxRecord {
  AccessRecord access;
  std::int64_t barrier;
  std::int64_t ranks;
};
struct OwnBoxRecord {
  std::int64_t bytes;
  std::int64_t pieces;
};

template <typename Record>
std::span<const std::byte> bytes_of(const Record& record) {
  return std::as_bytes(std::span(&record, 1));
}

}  // namespace

/// Reads the file from one offset on.
class SpooledRecording::Warp : public isa::RecordedWarp {
 public:
  Warp(const SpooledRecording& recording, std::uint64_t offset)
      : recording_(recording), next_offset_(offset) {}

  void read(isa::RecordedStep& step) override {
    const auto front = take<StepRecord>();
    const auto number = static_cast<std::size_t>(front.code);
    step.instruction = recording_.position_[number];
    step.lanes = front.lanes;
    const CodeLine& line = recording_.code_[number];
    if (front.lanes == 0) return;
    if (line.copies_box()) read_box(step);
    if (line.has_addresses()) read_addresses(line, step);
    if (line.is_on_mbarrier()) step.value = take<std::int64_t>();
  }

 private:
  void set(const AccessRecord& access, isa::RecordedStep& step) {
    step.address = access.address;
    step.pattern = static_cast<int>(access.pattern);
  }

  void read_addresses(const CodeLine& line, isa::RecordedStep& step) {
    set(take<AccessRecord>(), step);
    if (step.pattern != isa::RecordedStep::kOwnPattern) return;
    step.own_pattern = {{}, line.sass.bytes_per_lane, line.sass.matrices};
    for (int lane = 0; lane < 32; ++lane) {
      if ((step.lanes >> lane & 1) != 0)
        step.own_pattern.offsets[static_cast<std::size_t>(lane)] = take<std::int64_t>();
    }
  }

  void read_box(isa::RecordedStep& step) {
    const auto box = take<BoxRecord>();
    set(box.access, step);
    step.barrier = box.barrier;
    step.value = box.ranks;
    if (step.pattern != isa::RecordedStep::kOwnPattern) return;
    const auto own = take<OwnBoxRecord>();
    step.own_box.bytes = static_cast<int>(own.bytes);
    step.own_box.pieces.resize(static_cast<std::size_t>(own.pieces));
    for (isa::RecordedBox::Piece& piece : step.own_box.pieces)
      piece = take<isa::RecordedBox::Piece>();
  }

  template <typename Record>
  Record take() {
    if (end_ - begin_ < sizeof(Record)) fill(sizeof(Record));
    Record record;
    std::memcpy(&record, buffer_.data() + begin_, sizeof record);
    begin_ += sizeof record;
    return record;
  }

  void fill(std::size_t least) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    while (end_ < least) {
      const std::size_t size =
          recording_.file_->read(next_offset_, std::span(buffer_).subspan(end_));
      if (size == 0) throw IoError("temporary file: shorter than what was written to it");
      next_offset_ += size;
      end_ += size;
    }
  }

  const SpooledRecording& recording_;
  std::uint64_t next_offset_;
  std::array<std::byte, 4096> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

std::size_t SpooledRecording::PatternHash::operator()(const isa::LanePattern& pattern) const {
  const auto bytes = std::as_bytes(std::span(pattern.offsets));
  return std::hash<std::string_view>{}(
             {reinterpret_cast<const char*>(bytes.data()), bytes.size()}) +
         static_cast<std::size_t>(pattern.bytes_per_lane * 8 + pattern.matrices);
}

std::size_t SpooledRecording::PatternHash::operator()(const isa::RecordedBox& box) const {
  const auto bytes = std::as_bytes(std::span(box.pieces));
  return std::hash<std::string_view>{}(
             {reinterpret_cast<const char*>(bytes.data()), bytes.size()}) +
         static_cast<std::size_t>(box.bytes);
}

SpooledRecording::SpooledRecording(const isa::KernelLaunch& launch, int sm_version,
                                   std::shared_ptr<TemporaryFile> file)
    : grid_(launch.grid),
      warps_per_cta_(launch.warps_per_cta),
      sm_version_(sm_version),
      file_(std::move(file)) {}

int SpooledRecording::add_code(const CodeLine& line) {
  code_.push_back(line);
  followers_.emplace_back();
  executions_.push_back(0);
  box_bytes_.push_back(0);
  last_pattern_.push_back(isa::kNoIndex);
  return static_cast<int>(code_.size()) - 1;
}

std::int64_t SpooledRecording::index_of(const std::array<std::int64_t, 3>& cta) const {
  return cta[0] + grid_[0] * (cta[1] + grid_[1] * cta[2]);
}

bool SpooledRecording::begin_cta(const std::array<std::int64_t, 3>& cta) {
  if (!first_warp_of_cta_.emplace(index_of(cta), warp_offsets_.size()).second) return false;
  warp_offsets_.resize(warp_offsets_.size() + static_cast<std::size_t>(warps_per_cta_), kNothing);
  return true;
}

bool SpooledRecording::begin_warp(int warp) {
  std::uint64_t& offset =
      warp_offsets_[warp_offsets_.size() - static_cast<std::size_t>(warps_per_cta_ - warp)];
  if (offset != kNothing) return false;
  offset = file_->size();
  previous_ = isa::kNoIndex;
  pending_exit_ = false;
  return true;
}

/// Records that instruction `code` is the warp's next one.
void SpooledRecording::follow(int code) {
  ++executions_[static_cast<std::size_t>(code)];
  if (previous_ != isa::kNoIndex) {
    std::vector<int>& followers = followers_[static_cast<std::size_t>(previous_)];
    if (std::ranges::find(followers, code) == followers.end()) followers.push_back(code);
  }
  previous_ = code;
}

void SpooledRecording::write_step(int code, std::uint32_t lanes) {
  file_->append(bytes_of(StepRecord{code, lanes}));
}

/// True if the step continues: it is in the file and has lanes.
bool SpooledRecording::begin_step(int code, std::uint32_t lanes) {
  if (pending_exit_) write_step(previous_, 0);
  follow(code);
  pending_exit_ = code_[static_cast<std::size_t>(code)].instruction.opcode == isa::Opcode::kExit;
  if (pending_exit_) return false;
  write_step(code, lanes);
  return lanes != 0;
}

void SpooledRecording::add_step(int code, std::uint32_t lanes,
                                const std::array<std::int64_t, 32>& addresses, std::int64_t value) {
  if (!begin_step(code, lanes)) return;
  const CodeLine& line = code_[static_cast<std::size_t>(code)];
  if (!line.has_addresses()) return;
  isa::LanePattern pattern{{}, line.sass.bytes_per_lane, line.sass.matrices};
  const std::int64_t first = addresses[static_cast<std::size_t>(std::countr_zero(lanes))];
  for (std::size_t lane = 0; lane < 32; ++lane)
    if ((lanes >> lane & 1) != 0) pattern.offsets[lane] = addresses[lane] - first;
  int& number = last_pattern_[static_cast<std::size_t>(code)];
  if (number < 0 || patterns_.all()[static_cast<std::size_t>(number)] != pattern)
    number = patterns_.number_of(pattern);
  file_->append(bytes_of(AccessRecord{first, number}));
  if (number == isa::RecordedStep::kOwnPattern) {
    for (std::size_t lane = 0; lane < 32; ++lane)
      if ((lanes >> lane & 1) != 0) file_->append(bytes_of(pattern.offsets[lane]));
  }
  if (line.is_on_mbarrier()) file_->append(bytes_of(value));
}

void SpooledRecording::add_box(int code, std::uint32_t lanes, const ExecutedBox& executed) {
  if (!begin_step(code, lanes)) return;
  box_bytes_[static_cast<std::size_t>(code)] += executed.box.bytes;
  const int number = boxes_.number_of(executed.box);
  file_->append(bytes_of(BoxRecord{{executed.address, number}, executed.barrier, executed.ranks}));
  if (number != isa::RecordedStep::kOwnPattern) return;
  const auto& pieces = executed.box.pieces;
  file_->append(
      bytes_of(OwnBoxRecord{executed.box.bytes, static_cast<std::int64_t>(pieces.size())}));
  file_->append(std::as_bytes(std::span(pieces)));
}

/// An EXIT after all code, for warps that end without one.
int SpooledRecording::exit_code() {
  if (exit_code_ == isa::kNoIndex)
    exit_code_ = add_code({kNoAddress, {.opcode = isa::Opcode::kExit}, {}});
  return exit_code_;
}

bool SpooledRecording::end_warp() {
  const bool has_exit = pending_exit_;
  if (!has_exit) follow(exit_code());
  write_step(previous_, kAllLanes);
  return has_exit;
}

int SpooledRecording::end_cta() {
  int idle = 0;
  for (int warp = 0; warp < warps_per_cta_; ++warp) {
    std::uint64_t& offset =
        warp_offsets_[warp_offsets_.size() - static_cast<std::size_t>(warps_per_cta_ - warp)];
    if (offset != kNothing) continue;
    ++idle;
    if (empty_warp_ == kNothing) {
      empty_warp_ = file_->size();
      write_step(exit_code(), kAllLanes);
    }
    offset = empty_warp_;
    ++executions_[static_cast<std::size_t>(exit_code())];
  }
  return idle;
}

void SpooledRecording::finish(isa::KernelLaunch& launch) {
  file_->flush();
  std::vector<int> order(code_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto pc_of = [this](int number) { return code_[static_cast<std::size_t>(number)].pc; };
  std::ranges::stable_sort(order, {}, pc_of);
  position_.resize(order.size());
  isa::WarpProgram program;
  program.name = "recorded";
  std::vector<std::int64_t> executions;
  std::vector<std::int64_t> box_bytes;
  for (const int number : order) {
    // A generic operation is recorded as global memory before its first address is known.
    if (executions_[static_cast<std::size_t>(number)] == 0) continue;
    position_[static_cast<std::size_t>(number)] = static_cast<int>(program.instructions.size());
    program.instructions.push_back(code_[static_cast<std::size_t>(number)].instruction);
    addresses_.push_back(pc_of(number));
    executions.push_back(executions_[static_cast<std::size_t>(number)]);
    box_bytes.push_back(box_bytes_[static_cast<std::size_t>(number)]);
  }
  executions_ = std::move(executions);
  box_bytes_ = std::move(box_bytes);
  for (std::size_t from = 0; from < followers_.size(); ++from) {
    for (const int to : followers_[from]) {
      const std::pair jump{position_[from], position_[static_cast<std::size_t>(to)]};
      if (jump.second != jump.first + 1) jumps_.push_back(jump);
    }
  }
  std::ranges::sort(jumps_);
  patterns_.close();
  boxes_.close();
  launch.programs = {std::move(program)};
  launch.program_of_warp.assign(static_cast<std::size_t>(launch.warps_per_cta), 0);
}

std::unique_ptr<isa::RecordedWarp> SpooledRecording::open(const std::array<std::int64_t, 3>& cta,
                                                          int warp) const {
  const std::size_t first = first_warp_of_cta_.at(index_of(cta));
  return std::make_unique<Warp>(*this, warp_offsets_[first + static_cast<std::size_t>(warp)]);
}

}  // namespace tcsim::traceg
