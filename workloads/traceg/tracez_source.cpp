#include "workloads/traceg/tracez_source.hpp"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "sim/errors/errors.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::traceg {
namespace {

constexpr std::uint64_t kMostHeaderBytes = std::uint64_t{1} << 20;
constexpr std::uint32_t kMostDictionaryBytes = std::uint32_t{1} << 26;
constexpr std::uint64_t kEndBytes = 8;                         // position of the index
constexpr std::size_t kMostChunkBytes = std::size_t{1} << 28;  // unpacked; the tracer's are of MiB

struct WarpEntry {
  std::uint32_t instructions = 0;
  std::uint64_t offset = 0;
};

struct CtaEntry {
  /// Thread block, cluster, place in the cluster, each x, y, z; rank.
  std::array<std::uint32_t, 10> numbers{};
  std::vector<WarpEntry> warps;

  /// "x,y,z": the three numbers from `first` on.
  [[nodiscard]] std::string triple(std::size_t first) const {
    return std::to_string(numbers[first]) + "," + std::to_string(numbers[first + 1]) + "," +
           std::to_string(numbers[first + 2]);
  }
};

/// Reads the file chunk by chunk.
class TracezSource : public files::ByteSource {
 public:
  explicit TracezSource(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    const int reason = file_ ? EISDIR : errno;
    if (!file_ || std::filesystem::is_directory(path))
      throw IoError(path + ": cannot read: " + std::generic_category().message(reason));
    file_.seekg(0, std::ios::end);
    size_ = static_cast<std::uint64_t>(file_.tellg());
    file_.seekg(0);
    read_header();
    read_dictionary();
    read_index();
  }

  std::size_t read(std::span<char> bytes) override {
    while (taken_ == text_.size()) {
      text_.clear();
      taken_ = 0;
      if (!go_on()) return 0;
    }
    const std::size_t count = std::min(bytes.size(), text_.size() - taken_);
    std::copy_n(text_.data() + taken_, count, bytes.data());
    taken_ += count;
    return count;
  }

 private:
  struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  enum class Place : std::uint8_t { kCta, kWarp, kPacked, kEnd };

  [[noreturn]] void fail(const std::string& what, const std::string& reason) const {
    const bool is_in_warp = place_ == Place::kWarp || place_ == Place::kPacked;
    throw InputError({path_ + ":1:1: " + what + ": " + reason +
                      (is_in_warp ? " (warp " + std::to_string(warp_) + " of thread block " +
                                        ctas_[cta_].triple(0) + ")"
                                  : "")});
  }

  void take(void* bytes, std::uint64_t count, const std::string& what) {
    file_.read(static_cast<char*>(bytes), static_cast<std::streamsize>(count));
    if (!file_) fail(what, "the file ends there; it is cut short: record it again");
  }
  template <typename Number>
  Number take_number(const std::string& what) {
    Number number{};  // files of this form are little-endian, as their writers are
    take(&number, sizeof number, what);
    return number;
  }
  void seek(std::uint64_t offset, const std::string& what) {
    if (offset > size_) fail(what, "is beyond the end of the file");
    file_.seekg(static_cast<std::streamoff>(offset));
  }
  /// Reads a number of entries with at least `bytes` each, which the rest of the file must contain.
  std::uint32_t take_count(std::uint64_t bytes, const std::string& what) {
    const auto count = take_number<std::uint32_t>(what);
    if (count > (size_ - static_cast<std::uint64_t>(file_.tellg())) / bytes)
      fail(what, std::to_string(count) + " is more than the file has room for");
    return count;
  }

  void read_header() {
    for (char byte = 0; file_.get(byte) && byte != '\0' && text_.size() <= kMostHeaderBytes;)
      text_ += byte;
    if (!file_ || text_.size() > kMostHeaderBytes)
      fail("header", "no zero byte ends it within 1 MiB");
    text_ += "\n#\n";
  }

  void read_dictionary() {
    const auto bytes = take_number<std::uint32_t>("dictionary");
    take_number<std::uint32_t>("dictionary");  // instructions of a chunk at most
    if (bytes > kMostDictionaryBytes || bytes > size_)
      fail("dictionary", std::to_string(bytes) + " bytes are too many");
    dictionary_.resize(bytes);
    take(dictionary_.data(), bytes, "dictionary");
    if (ZSTD_isError(ZSTD_DCtx_loadDictionary(context_.get(), dictionary_.data(), bytes)) != 0)
      fail("dictionary", "is not a Zstandard dictionary");
  }

  void read_index() {
    if (size_ < kEndBytes) fail("index", "the file is too short for one");
    seek(size_ - kEndBytes, "index");
    seek(take_number<std::uint64_t>("index"), "index");
    ctas_.resize(take_count(sizeof(CtaEntry::numbers), "thread blocks of the index"));
    for (CtaEntry& cta : ctas_) {
      take(cta.numbers.data(), sizeof cta.numbers, "index");
      cta.warps.resize(take_count(2 * sizeof(std::uint64_t), "warps of the index"));
      for (WarpEntry& warp : cta.warps) {
        warp.instructions = take_number<std::uint32_t>("index");
        const std::uint32_t chunks = take_count(sizeof(std::uint32_t), "chunks of the index");
        warp.offset = take_number<std::uint64_t>("index");
        file_.seekg(static_cast<std::streamoff>(chunks * sizeof(std::uint32_t)), std::ios::cur);
      }
    }
  }

  /// Adds the next part to text_; false at the end.
  bool go_on() {
    switch (place_) {
      case Place::kCta:
        if (cta_ == ctas_.size()) {
          place_ = Place::kEnd;
          return false;
        }
        begin_cta();
        return true;
      case Place::kWarp:
        if (warp_ == ctas_[cta_].warps.size()) {
          text_ = "#END_TB\n";
          ++cta_;
          place_ = Place::kCta;
        } else {
          begin_warp();
        }
        return true;
      case Place::kPacked:
        if (chunks_left_ == 0) {
          ++warp_;
          place_ = Place::kWarp;
        } else {
          unpack_chunk();
        }
        return true;
      case Place::kEnd:
        return false;
    }
    return false;
  }

  void begin_cta() {
    const CtaEntry& cta = ctas_[cta_];
    text_ = "#BEGIN_TB\nthread block = " + cta.triple(0) + "\ncluster id = " + cta.triple(3) +
            "\ncluster cta = " + cta.triple(6) +
            "\ncluster rank = " + std::to_string(cta.numbers[9]) + "\n";
    warp_ = 0;
    place_ = Place::kWarp;
  }

  void begin_warp() {
    const WarpEntry& entry = ctas_[cta_].warps[warp_];
    seek(entry.offset, "warp");
    const auto instructions = take_number<std::uint32_t>("warp");
    if (instructions != entry.instructions)
      fail("warp", "has " + std::to_string(instructions) + " instructions, and " +
                       std::to_string(entry.instructions) + " in the index");
    chunks_left_ = take_count(sizeof(std::uint32_t), "chunks of a warp");
    text_ = "warp = " + std::to_string(warp_) + "\ninsts = " + std::to_string(instructions) + "\n";
    place_ = Place::kPacked;
  }

  /// Line feeds separate lines; there is none after the last one.
  void unpack_chunk() {
    --chunks_left_;
    packed_.resize(take_count(1, "bytes of a chunk"));
    take(packed_.data(), packed_.size(), "chunk");
    ZSTD_inBuffer in{packed_.data(), packed_.size(), 0};
    std::array<char, std::size_t{1} << 16> piece;
    std::size_t left = 1;
    while (left != 0) {
      ZSTD_outBuffer out{piece.data(), piece.size(), 0};
      left = ZSTD_decompressStream(context_.get(), &out, &in);
      if (ZSTD_isError(left) != 0) fail("chunk", ZSTD_getErrorName(left));
      text_.append(piece.data(), out.pos);
      if (text_.size() > kMostChunkBytes) fail("chunk", "unpacks to more than 256 MiB");
      if (left != 0 && in.pos == in.size && out.pos < piece.size())
        fail("chunk", "its packed bytes end too soon");
    }
    if (!text_.empty() && !text_.ends_with('\n')) text_ += '\n';
  }

  const std::string path_;
  std::ifstream file_;
  std::uint64_t size_ = 0;
  std::vector<char> dictionary_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_{ZSTD_createDCtx()};
  std::vector<CtaEntry> ctas_;
  Place place_ = Place::kCta;
  std::size_t cta_ = 0;
  std::size_t warp_ = 0;
  std::uint32_t chunks_left_ = 0;
  std::vector<char> packed_;
  std::string text_;
  std::size_t taken_ = 0;
};

}  // namespace

std::unique_ptr<files::ByteSource> open_tracez(const std::string& path) {
  return std::make_unique<TracezSource>(path);
}

}  // namespace tcsim::traceg
