#include "sim/cli/timeline_files.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <iostream>

#include "sim/files/packed.hpp"
#include "sim/timeline/kanata.hpp"
#include "sim/timeline/perfetto.hpp"

namespace tcsim::cli {
namespace {

constexpr std::size_t kMegabyte = 1'000'000;
constexpr std::size_t kLargeBytes = 200 * kMegabyte;

void warn_if_large(const char* form, std::size_t bytes, std::size_t instructions) {
  if (bytes <= kLargeBytes) return;
  fmt::print(
      std::cerr,
      "tcsim: the {} text of {} instructions is about {} MB unpacked; viewers are slow above "
      "200 MB, so choose fewer cycles or one sub-core\n",
      form, instructions, bytes / kMegabyte);
}

}  // namespace

std::string packed_kanata(const timeline::Timeline& recorded) {
  warn_if_large("Kanata", timeline::kanata_bytes(recorded), recorded.records.size());
  constexpr int kLevel = 3;
  return files::zstd_packed(timeline::kanata_text(recorded), kLevel);
}

std::string packed_perfetto(const timeline::Timeline& recorded) {
  warn_if_large("Perfetto", timeline::perfetto_bytes(recorded), recorded.records.size());
  return files::gzip_packed(timeline::perfetto_json(recorded));
}

std::vector<std::string> write_timeline_files(report::ResultFiles& files,
                                              const timeline::Timeline& recorded) {
  files.write(kKanataFile, packed_kanata(recorded));
  files.write(kPerfettoFile, packed_perfetto(recorded));
  return {kKanataFile, kPerfettoFile};
}

}  // namespace tcsim::cli
