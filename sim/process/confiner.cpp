#include "sim/process/confiner.hpp"

#include <fcntl.h>
#include <link.h>
#include <linux/close_range.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <thread>

namespace tcsim::process {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kReading =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kReadingAFile = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;
/// Rights of the first version, which every kernel with Landlock has.
constexpr std::uint64_t kAll = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1U) - 1;

int add_library(dl_phdr_info* info, std::size_t /*size*/, void* list) {
  if (info->dlpi_name != nullptr && *info->dlpi_name == '/')
    static_cast<std::vector<fs::path>*>(list)->emplace_back(info->dlpi_name);
  return 0;
}

/// What a program of this system reads before and while it runs: libraries, and the files of /proc
/// and /sys that the C++ library reads.
std::vector<fs::path> readable_to_all() {
  std::vector<fs::path> paths{"/usr",  "/lib",      "/lib64",       "/etc/ld.so.cache",
                              "/proc", "/dev/null", "/dev/urandom", "/sys/devices/system/cpu"};
  ::dl_iterate_phdr(add_library, &paths);
  return paths;
}

void allow(int rules, const fs::path& path, std::uint64_t further = 0) {
  landlock_path_beneath_attr rule{};
  rule.parent_fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0) return;  // a path that does not exist need not be read
  std::error_code none;
  rule.allowed_access = (fs::is_directory(path, none) ? kReading : kReadingAFile) | further;
  ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  ::close(rule.parent_fd);
}

int rules_for(const std::vector<fs::path>& readable, const std::vector<fs::path>& writable) {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = kAll;
  const int rules =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
  if (rules < 0) return -1;
  for (const fs::path& path : readable_to_all()) allow(rules, path);
  for (const fs::path& path : readable) allow(rules, path);
  for (const fs::path& path : writable) allow(rules, path, kAll);
  allow(rules, "/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE);
  return rules;
}

bool limit(__rlimit_resource resource, rlim_t most) {
  const rlimit both{most, most};
  return ::setrlimit(resource, &both) == 0;
}

}  // namespace

Confiner::Confiner(const Confinement& confinement, const std::string& program,
                   const PoolOptions& options)
    : output_mib_(confinement.output_mib),
      descriptors_(confinement.descriptors),
      processor_s_(options.limits.time_s * std::max(1U, std::thread::hardware_concurrency())) {
  std::vector<fs::path> readable = confinement.readable;
  readable.emplace_back(program);
  readable.push_back(options.directory.empty() ? fs::path(".") : options.directory);
  rules_ = rules_for(readable, confinement.writable);
}

Confiner::~Confiner() {
  if (rules_ >= 0) ::close(rules_);
}

bool Confiner::confine_this_process() const {
  bool good = limit(RLIMIT_FSIZE, static_cast<rlim_t>(output_mib_) << 20) &&
              limit(RLIMIT_NOFILE, static_cast<rlim_t>(descriptors_));
  if (processor_s_ > 0)
    good = good && limit(RLIMIT_CPU, static_cast<rlim_t>(std::ceil(processor_s_)) + 1);
  good = good && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  if (rules_ >= 0) good = good && ::syscall(SYS_landlock_restrict_self, rules_, 0) == 0;
  constexpr unsigned kFirst = 3;  // after the standard streams
  return good && ::syscall(SYS_close_range, kFirst, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
}

}  // namespace tcsim::process
