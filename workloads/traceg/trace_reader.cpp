// The header-only form needs no library at run time.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <optional>

#include "sim/files/line_reader.hpp"
#include "sim/files/shown_text.hpp"
#include "workloads/trace/input_error.hpp"
#include "workloads/trace/tct_cursor.hpp"
#include "workloads/traceg/fields.hpp"
#include "workloads/traceg/header.hpp"
#include "workloads/traceg/instruction_reader.hpp"
#include "workloads/traceg/spooled_recording.hpp"
#include "workloads/traceg/temporary_file.hpp"
#include "workloads/traceg/traceg.hpp"

namespace tcsim::traceg {
namespace {

using trace::Mistake;

constexpr int kOldestTracer = 3;
constexpr int kNewestTracer = 6;
constexpr std::int64_t kMostInstructions = std::int64_t{1} << 40;

/// One .traceg file from top to bottom.
class TraceReader {
 public:
  TraceReader(std::unique_ptr<files::ByteSource> source, const std::string& file_name,
              std::shared_ptr<TemporaryFile> spool)
      : lines_(std::move(source), file_name), file_name_(file_name), spool_(std::move(spool)) {}

  RecordedStream read() {
    try {
      read_header();
      if (!stream_.not_covered.empty()) return std::move(stream_);
      recording_ = std::make_shared<SpooledRecording>(header_.launch(), header_.sm_version(),
                                                      std::move(spool_));
      instructions_.emplace(header_, *recording_);
      read_body();
      finish();
    } catch (const Mistake& mistake) {
      throw InputError({place(mistake.column) + ": " + mistake.what + ": " + mistake.reason});
    }
    return std::move(stream_);
  }

 private:
  [[nodiscard]] std::string place(int column) const {
    return file_name_ + ":" + std::to_string(lines_.number()) + ":" + std::to_string(column);
  }

  /// The next line that is not blank; false at the end of the file.
  bool next(std::string_view& line) {
    while (lines_.next(line)) {
      if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
      content_ = XXH3_64bits_withSeed(line.data(), line.size(), content_);
      return true;
    }
    return false;
  }

  void read_header() {
    while (true) {
      if (!next(line_)) throw Mistake{1, "header", "the file ends before the first '#'"};
      if (line_.starts_with('#')) break;
      if (!line_.starts_with('-'))
        throw Mistake{1, "header", "expected '-key = value' or '#', got " + shown(line_)};
      header_.read(line_);
    }
    if (!header_.missing().empty())
      throw Mistake{1, "header", files::shown(header_.missing()) + " is missing"};
    const auto versions = known_sm_versions();
    if (std::ranges::find(versions, header_.sm_version()) == versions.end()) {
      stream_.not_covered = "code for sm_" + std::to_string(header_.sm_version()) +
                            " is not covered; sm_70, 75, 80, 86 and 90 are";
    } else if (header_.tracer_version() < kOldestTracer ||
               header_.tracer_version() > kNewestTracer) {
      stream_.not_covered = "tracer version " + std::to_string(header_.tracer_version()) +
                            " is not covered; 3 to 6 are";
    }
  }

  void read_body() {
    bool has_line = !is_comment();
    while (has_line || next(line_)) {
      has_line = false;
      if (is_comment()) continue;
      if (!line_.starts_with("#BEGIN_TB"))
        throw Mistake{1, "body", "expected '#BEGIN_TB', got " + shown(line_)};
      read_cta();
    }
  }

  [[nodiscard]] bool is_comment() const {
    return line_.starts_with('#') && !line_.starts_with("#BEGIN_TB") &&
           !line_.starts_with("#END_TB");
  }

  void need_line(const std::string& where) {
    do {
      if (!next(line_))
        throw Mistake{1, "body", "the file ends " + where + "; it is cut short: record it again"};
    } while (is_comment());
  }

  /// The column after "key =", with which the line must start.
  [[nodiscard]] std::optional<std::size_t> value_of(std::string_view key) const {
    if (!line_.starts_with(key)) return std::nullopt;
    const std::size_t equals = line_.find_first_not_of(" \t", key.size());
    if (equals == std::string_view::npos || line_[equals] != '=') return std::nullopt;
    return std::min(line_.find_first_not_of(" \t", equals + 1), line_.size());
  }

  std::int64_t number_of(std::string_view key, std::int64_t largest) {
    const auto at = value_of(key);
    if (!at)
      throw Mistake{1, "body", "expected '" + std::string(key) + " = ', got " + shown(line_)};
    Fields fields(line_);
    fields.skip(*at);
    const std::int64_t number = fields.take_decimal(key, 0, largest);
    fields.take_end();
    return number;
  }

  void read_cta() {
    need_line("after '#BEGIN_TB'");
    const auto at = value_of("thread block");
    if (!at) throw Mistake{1, "body", "expected 'thread block = x,y,z', got " + shown(line_)};
    const auto cta = parse_triple(line_, *at, "thread block");
    const auto& grid = header_.launch().grid;
    const int column = static_cast<int>(*at) + 1;
    for (std::size_t i = 0; i < cta.size(); ++i)
      if (cta[i] >= grid[i]) throw Mistake{column, "thread block", "outside of the grid"};
    if (!recording_->begin_cta(cta))
      throw Mistake{column, "thread block", "recorded a second time"};
    while (true) {
      need_line("inside a thread block");
      if (line_.starts_with("#END_TB")) break;
      if (line_.starts_with("cluster"))
        read_cluster();
      else
        read_warp();
    }
    idle_warps_ += recording_->end_cta();
  }

  /// One of the three lines about the CTA's cluster; its place in the cluster determines how large
  /// clusters are.
  void read_cluster() {
    const auto at = value_of("cluster cta");
    if (!at) return;
    const auto place = parse_triple(line_, *at, "cluster cta");
    for (std::size_t i = 0; i < place.size(); ++i) {
      if (place[i] >= isa::kMostClusterCtas)
        throw Mistake{static_cast<int>(*at) + 1, "cluster cta", "outside of any cluster"};
      cluster_[i] = std::max(cluster_[i], static_cast<int>(place[i]) + 1);
    }
  }

  void read_warp() {
    const auto warp = static_cast<int>(number_of("warp", header_.launch().warps_per_cta - 1));
    if (!recording_->begin_warp(warp))
      throw Mistake{1, "warp", "recorded a second time in this thread block"};
    instructions_->begin_warp();
    need_line("before the instructions of a warp");
    const std::int64_t count = number_of("insts", kMostInstructions);
    for (std::int64_t i = 0; i < count; ++i) {
      need_line("after " + std::to_string(i) + " of " + std::to_string(count) +
                " instructions of a warp");
      if (line_.starts_with('#') || line_.starts_with("warp")) {
        throw Mistake{1, "insts",
                      "the warp has " + std::to_string(i) + " instructions, not " +
                          std::to_string(count) + " as 'insts' says"};
      }
      read_instruction();
    }
    if (!recording_->end_warp() && count > 0) ++cut_warps_;
    if (count == 0) ++idle_warps_;
  }

  void read_instruction() {
    const std::int64_t unknown = instructions_->unknown_count();
    instructions_->read(line_);
    if (unknown == 0 && instructions_->unknown_count() == 1)
      first_unknown_ = place(instructions_->opcode_column());
  }

  void finish() {
    const isa::KernelLaunch& shape = header_.launch();
    if (recording_->cta_count() != shape.cta_count()) {
      throw Mistake{1, "body",
                    "the file ends after " + std::to_string(recording_->cta_count()) + " of " +
                        std::to_string(shape.cta_count()) +
                        " thread blocks; it is cut short: record it again"};
    }
    if (instructions_->unknown_count() > 0) {
      stream_.not_covered = unknown_sentence();
      return;
    }
    isa::KernelLaunch launch = shape;
    launch.cluster = cluster_;
    for (std::size_t i = 0; i < cluster_.size(); ++i)
      if (launch.grid[i] % cluster_[i] != 0 || launch.cluster_size() > isa::kMostClusterCtas)
        throw Mistake{1, "cluster cta", "clusters of " + text_of(cluster_) + " CTAs do not fit"};
    recording_->finish(launch);
    launch.recording = std::move(recording_);
    stream_.launches.push_back(std::move(launch));
    if (!header_.cuda_stream().empty()) stream_.cuda_streams.insert(header_.cuda_stream());
    stream_.content = std::to_string(content_) + " ";
    note(idle_warps_, "warp", "warps", " did nothing");
    note(cut_warps_, "warp", "warps", " ended without an EXIT and received one");
    note(instructions_->without_window(), "generic access is taken as one",
         "generic accesses are taken as accesses",
         " of global memory, since the header does not say where shared memory is ('shmem "
         "base_addr')");
    note(instructions_->dropped_sources(),
         "source register of an instruction in the code is beyond the operands that the models "
         "know; no instruction waits for it",
         "source registers of instructions in the code are beyond the operands that the models "
         "know; no instruction waits for them");
  }

  static std::string text_of(const std::array<int, 3>& size) {
    return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]);
  }

  /// Notes that `count`, if there are any, of `one` or `many` are so.
  void note(std::int64_t count, const char* one, const char* many, const char* are = "") {
    if (count > 0)
      stream_.notes.push_back(file_name_ + ": " + std::to_string(count) + " " +
                              (count == 1 ? one : many) + are);
  }

  [[nodiscard]] std::string unknown_sentence() const {
    constexpr std::size_t kMostNames = 8;
    const std::vector<std::string>& names = instructions_->unknown();
    std::string text = std::to_string(instructions_->unknown_count()) +
                       " executed instructions of " + std::to_string(names.size()) +
                       " operations that the models lack in code for sm_" +
                       std::to_string(header_.sm_version()) + ":";
    for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
      text += (i == 0 ? " " : ", ") + names[i].substr(0, 40);
    if (names.size() > kMostNames) text += ", ...";
    return text + "; the first at " + first_unknown_;
  }

  files::LineReader lines_;
  const std::string& file_name_;
  std::shared_ptr<TemporaryFile> spool_;
  Header header_;
  std::string_view line_;
  std::uint64_t content_ = 0;  ///< a hash of the lines so far
  std::shared_ptr<SpooledRecording> recording_;
  std::optional<InstructionReader> instructions_;
  std::string first_unknown_;
  std::array<int, 3> cluster_{1, 1, 1};
  std::int64_t idle_warps_ = 0;
  std::int64_t cut_warps_ = 0;
  RecordedStream stream_;
};

}  // namespace

RecordedStream read_recording(std::unique_ptr<files::ByteSource> source,
                              const std::string& file_name) {
  return read_recording(std::move(source), file_name, std::make_shared<TemporaryFile>());
}

RecordedStream read_recording(std::unique_ptr<files::ByteSource> source,
                              const std::string& file_name, std::shared_ptr<TemporaryFile> spool) {
  return TraceReader(std::move(source), file_name, std::move(spool)).read();
}

}  // namespace tcsim::traceg
