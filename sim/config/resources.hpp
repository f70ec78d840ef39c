#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/isa/opcode.hpp"
#include "sim/config/machine.hpp"

namespace tcsim::config {

/// How a key follows the speed of its resource.
enum class Scaling : std::uint8_t {
  kRate,     ///< times the ratio
  kTime,     ///< divided by the ratio
  kDoubled,  ///< only powers of two are possible
  kLanes,    ///< doubled, up to what a warp of every sub-core can use
  kSms,      ///< SMs of each GPC, in whole TPCs
  kBursts,   ///< as many cycles fewer for a burst of DRAM as reads need
};

struct ScaledKey {
  std::string_view path;
  Scaling scaling;
};

/// A resource on which time may depend: keys of a machine that are made faster together.
struct Resource {
  std::string_view id;
  std::string_view label;
  /// The domain that it is a part of (parts of "dram" also hold what counts in L2 cycles on the way
  /// there); its own id for a domain, empty for neither. Each number of a
  /// machine file that is a time, or is counted in cycles of a clock, belongs to one domain, so all
  /// domains faster by r make a run shorter by r: the elasticities of domains add up to -1.
  std::string_view domain;
  std::vector<ScaledKey> keys;

  [[nodiscard]] bool is_domain() const { return id == domain; }
};

/// Every resource, domains first; "nvlink" takes no time of a run on one GPU. "tensor" depends on
/// the instructions of the run: it also divides the least intervals of the MMAs that the run uses,
/// and keeps the rates of other types.
std::span<const Resource> resources();

/// A machine on which one resource is faster.
struct ResourceChange {
  std::vector<std::string> settings;  ///< "key.path=value"
  double ratio = 1;  ///< the ratio that was reached, since many keys are whole numbers
};

/// The change of `machine` that makes `resource` as nearly as possible `ratio` times as fast, for a
/// run with the MMA instructions `mmas`. Rates count by their geometric mean, times by their sum,
/// MMAs by what the slowest can sustain, DRAM by the bandwidths of its pins and of reads. Nothing
/// if the machine lacks the resource or may have no other value (machine_checks). Requires ratio
/// > 1.
std::optional<ResourceChange> faster(const Machine& machine, const Resource& resource, double ratio,
                                     const std::vector<isa::Opcode>& mmas);

}  // namespace tcsim::config
