#include <algorithm>
#include <filesystem>

#include "sim/files/line_reader.hpp"
#include "sim/files/packed.hpp"
#include "workloads/trace/input_error.hpp"
#include "workloads/trace/tct_cursor.hpp"
#include "workloads/traceg/fields.hpp"
#include "workloads/traceg/header.hpp"
#include "workloads/traceg/temporary_file.hpp"
#include "workloads/traceg/traceg.hpp"
#include "workloads/traceg/tracez_source.hpp"

namespace tcsim::traceg {
namespace {

constexpr std::string_view kCopy = "MemcpyHtoD,";

bool is_kernel(std::string_view path) {
  return files::without_packing(path).ends_with(".traceg") || path.ends_with(".tracez");
}

std::unique_ptr<files::ByteSource> open_recording(const std::string& path) {
  if (path.ends_with(".tracez")) return open_tracez(path);
  return files::open_file(path, files::FileKind::kRecording);
}

/// "MemcpyHtoD,<hex address>,<decimal bytes>", possibly after blanks: only checked.
void check_copy(std::string_view line) {
  const std::size_t start = line.find(kCopy);
  const std::size_t comma = line.find(',', start + kCopy.size());
  Fields address(line.substr(0, comma));
  address.skip(kCopy.size());
  address.take_hex("MemcpyHtoD", kLargestAddress);
  if (comma == std::string_view::npos)
    throw trace::Mistake{static_cast<int>(line.size()) + 1, "MemcpyHtoD",
                         "expected an address and a number of bytes"};
  Fields bytes(line);
  bytes.skip(comma + 1 - start);
  bytes.take_decimal("MemcpyHtoD", 0, static_cast<std::int64_t>(kLargestAddress));
  bytes.take_end();
}

/// Adds what was read from `file`.
void append(RecordedStream& stream, RecordedStream more, const std::string& file) {
  std::ranges::move(more.launches, std::back_inserter(stream.launches));
  std::ranges::move(more.notes, std::back_inserter(stream.notes));
  stream.content += more.content;
  stream.cuda_streams.merge(more.cuda_streams);
  if (stream.not_covered.empty() && !more.not_covered.empty())
    stream.not_covered = file + ": " + more.not_covered;
}

RecordedStream load_list(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  files::LineReader lines(open_recording(path), path);
  const auto spool = std::make_shared<TemporaryFile>();
  RecordedStream stream;
  std::int64_t copies = 0;
  std::int64_t others = 0;
  std::string_view line;
  try {
    while (lines.next(line)) {
      Fields fields(line);
      if (fields.at_end()) continue;
      const int column = fields.column();
      const std::string word(fields.take_word("kernel"));
      if (word.starts_with(kCopy)) {
        check_copy(line);
        ++copies;
      } else if (is_kernel(word)) {
        fields.take_end();
        const std::string file = (folder / word).string();
        append(stream, read_recording(open_recording(file), file, spool), file);
      } else if (word.starts_with("Memcpy") || word.starts_with("Memset")) {
        ++others;
      } else {
        throw trace::Mistake{
            column, "kernel",
            "expected NAME.tracez or NAME.traceg, perhaps with .xz or .zst, or MemcpyHtoD, got " +
                shown(word)};
      }
    }
  } catch (const trace::Mistake& mistake) {
    throw InputError({path + ":" + std::to_string(lines.number()) + ":" +
                      std::to_string(mistake.column) + ": " + mistake.what + ": " +
                      mistake.reason});
  }
  if (copies + others > 0)
    stream.notes.push_back(path + ": " + std::to_string(copies + others) +
                           (copies + others == 1 ? " copy between host and GPU is"
                                                 : " copies between host and GPU are") +
                           " not simulated");
  if (stream.cuda_streams.size() > 1)
    stream.notes.push_back(path + ": kernels of " + std::to_string(stream.cuda_streams.size()) +
                           " CUDA streams are simulated one after the other");
  if (stream.launches.empty() && stream.not_covered.empty())
    throw InputError({path + ":1:1: kernel: the list names no kernel"});
  return stream;
}

}  // namespace

bool is_list(const std::string& path) { return files::without_packing(path).ends_with(".g"); }

bool is_recording(const std::string& path) { return is_kernel(path) || is_list(path); }

RecordedStream load_recording(const std::string& path) {
  return is_list(path) ? load_list(path) : read_recording(open_recording(path), path);
}

}  // namespace tcsim::traceg
