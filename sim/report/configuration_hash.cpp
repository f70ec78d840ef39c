#include "sim/report/configuration_hash.hpp"

#include <fmt/format.h>

// The header-only form needs no library at run time.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sim/files/read_file.hpp"
#include "sim/report/run_record.hpp"

namespace tcsim::report {

std::string hash_text(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string hash_file(const std::filesystem::path& path, files::FileKind kind) {
  const std::vector<std::uint8_t> bytes = files::read_bytes(path, kind);
  return hash_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::string configuration_hash(const RunInputs& inputs) {
  // Each part ends with a zero byte, so that no two lists of parts give the same text.
  std::string text;
  const auto add = [&](std::string_view part) {
    text += part;
    text += '\0';
  };
  add(inputs.effective_machine);
  add(inputs.workload + inputs.workload_content);
  add(inputs.unit);
  add(inputs.l2_state);
  for (const std::string& tile : inputs.kernel_tiles) add(tile);
  // Further inputs of the energy, named where they are not the usual ones.
  const PowerInputs usual;
  const PowerInputs power = inputs.power.value_or(usual);
  if (power.data != usual.data) add("data " + power.data);
  if (power.boost_mhz > inputs.clock_mhz) add(fmt::format("boost {} MHz", power.boost_mhz));
  return hash_text(text);
}

}  // namespace tcsim::report
