#include "sim/config/resources.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/config/load.hpp"
#include "sim/config/mma_interval.hpp"
#include "sim/config/peak.hpp"
#include "sim/config/schema.hpp"

namespace tcsim::config {
namespace {

const Resource& resource(std::string_view id) {
  return *std::ranges::find(resources(), id, &Resource::id);
}

TEST(Resources, AreMadeOfKeysThatNumbersStandBehind) {
  std::set<std::string_view> ids;
  for (const Resource& one : resources()) {
    EXPECT_TRUE(ids.insert(one.id).second) << one.id;
    EXPECT_TRUE(one.domain.empty() || !resource(one.domain).keys.empty()) << one.id;
    for (const ScaledKey& scaled : one.keys) {
      const Key* const key = find_key(scaled.path);
      ASSERT_NE(key, nullptr) << scaled.path;
      EXPECT_TRUE(key->words.empty() && !key->descriptive()) << scaled.path;
      const bool is_time = key->unit == "ns" || key->unit == "us" || key->unit == "cycles";
      EXPECT_EQ(scaled.scaling == Scaling::kTime, is_time) << scaled.path;
    }
  }
}

/// Cycles and bytes per cycle follow a clock; whatever else has the dimension of a time, a
/// frequency or a rate has to be in a domain by itself, or the elasticities of domains would not
/// add up.
TEST(Resources, DomainsHoldEveryTimeAndEveryClock) {
  std::map<std::string_view, int> domains_of;
  for (const Resource& one : resources())
    if (one.is_domain())
      for (const ScaledKey& key : one.keys) ++domains_of[key.path];
  for (const Key& key : keys()) {
    const bool has_time =
        key.unit == "MHz" || key.unit == "ns" || key.unit == "us" || key.unit == "GB/s";
    EXPECT_EQ(domains_of[key.path], has_time && !key.descriptive() ? 1 : 0) << key.path;
  }
}

void expect_accepted(const std::string& name, const ResourceChange& change) {
  EXPECT_GT(change.ratio, 1) << name << " " << change.settings.front();
  EXPECT_LE(change.ratio, 4) << name << " " << change.settings.front();
  EXPECT_NO_THROW(load_machine(name, change.settings)) << name << " " << change.settings.front();
}

TEST(Resources, EveryMachineAcceptsEveryChange) {
  for (const std::string& name : machine_names()) {
    const Machine machine = load_machine(name);
    for (const Resource& one : resources()) {
      const auto change = faster(machine, one, 1.25, {});
      const bool is_there = one.is_domain() && (one.id != "nvlink" || machine.nvlink.links > 0);
      EXPECT_TRUE(change || !is_there) << name << " " << one.id;
      if (change) expect_accepted(name, *change);
    }
    for (const auto& row : machine.sm.tensor.instructions)
      if (const auto change = faster(machine, resource("tensor"), 1.25, {row.opcode}))
        expect_accepted(name, *change);
  }
}

TEST(Resources, TryNoValueThatTheMachineMayNotHave) {
  const std::string latency = "sm.l1.hit_latency_cycles=";
  const Machine machine = load_machine("a100", {latency + "8"});
  for (const Resource& one : resources()) {
    const auto change = faster(machine, one, 1.25, {});
    if (!change) continue;
    std::vector<std::string> settings = change->settings;
    if (std::ranges::none_of(settings,
                             [&](const std::string& each) { return each.starts_with(latency); }))
      settings.push_back(latency + "8");
    EXPECT_NO_THROW(load_machine("a100", settings)) << one.id;
  }
}

TEST(Resources, SayTheRatioThatWholeNumbersAllow) {
  const Machine a100 = load_machine("a100");
  const auto sms = faster(a100, resource("sms"), 1.25, {}).value();
  EXPECT_EQ(sms.settings.back(), "gpu.sms=136");  // 5 x 20 and 2 x 18: whole TPCs
  EXPECT_DOUBLE_EQ(sms.ratio, 136.0 / 108);
  const auto ports = faster(a100, resource("register_ports"), 1.25, {}).value();
  EXPECT_EQ(ports.settings, std::vector<std::string>{"sm.register_file.read_ports_per_bank=2"});
  EXPECT_DOUBLE_EQ(ports.ratio, 2);
  const auto clock = faster(a100, resource("sm_clock"), 1.1, {}).value();
  EXPECT_EQ(clock.settings, std::vector<std::string>{"clocks.sm_mhz=1551"});
  EXPECT_DOUBLE_EQ(clock.ratio, 1551.0 / 1410);
}

/// A burst of 32 bytes takes two cycles of 16 bytes to the L2, and two of 20 as well.
TEST(Resources, ShortenBurstsByWholeCycles) {
  const Machine a100 = load_machine("a100");
  const auto pins = faster(a100, resource("dram_bandwidth"), 1.25, {}).value();
  EXPECT_EQ(pins.settings,
            (std::vector<std::string>{"clocks.memory_mhz=1519", "dram.return_bytes_per_cycle=32"}));
  EXPECT_DOUBLE_EQ(pins.ratio, 1519.0 / 1215);
  const Machine wide = load_machine("a100-80gb");  // the way to the L2 binds, at 1805 GB/s
  const auto reads = faster(wide, resource("dram_bandwidth"), 1.25, {}).value();
  const Machine after = load_machine("a100-80gb", reads.settings);
  EXPECT_GT(dram_read_bandwidth(after).gb_per_s, 1.25 * dram_read_bandwidth(wide).gb_per_s);
  EXPECT_NEAR(reads.ratio, 1.33, 0.01);
  // One cycle for a burst cannot become less.
  const Machine h100 = load_machine("h100");
  EXPECT_EQ(faster(h100, resource("dram_bandwidth"), 1.25, {}).value().settings.size(), 1u);
}

TEST(Resources, CountTensorCoresByWhatTheirInstructionsCanSustain) {
  const Machine a100 = load_machine("a100");
  const isa::Opcode hmma = isa::Opcode::kHmma16816F32;
  EXPECT_FALSE(faster(a100, resource("tensor"), 1.25, {}));
  // Eight cycles on the A100: a tenth more is none of them, so seven; a quarter more is six.
  for (const auto& [ratio, cycles] : {std::pair{1.1, 7}, {1.25, 6}}) {
    const auto change = faster(a100, resource("tensor"), ratio, {hmma}).value();
    EXPECT_DOUBLE_EQ(change.ratio, 8.0 / cycles);
    const Machine changed = load_machine("a100", change.settings);
    EXPECT_EQ(mma_interval(changed, hmma).value().cycles(), cycles);
    EXPECT_EQ(changed.sm.tensor.int8_macs, a100.sm.tensor.int8_macs);  // no instruction of the run
  }
}

TEST(Resources, CountProductsOfWarpgroupsByTheirTurns) {
  const Machine h100 = load_machine("h100");
  const auto interval = [](const Machine& machine, const char* product) {
    return mma_interval(machine, isa::parse_opcode(product).value()).value();
  };
  const auto faster_tensor = [&h100](const char* product) {
    return faster(h100, resource("tensor"), 1.25, {isa::parse_opcode(product).value()});
  };
  const char* const wide = "HGMMA.64x128x16.F32";  // 131072 multiply-adds at 2048
  EXPECT_EQ(interval(h100, wide).cycles(), 64);
  EXPECT_FALSE(interval(h100, wide).is_held());
  const auto change = faster_tensor(wide).value();
  const Machine changed = load_machine("h100", change.settings);
  EXPECT_DOUBLE_EQ(change.ratio, 64.0 / interval(changed, wide).cycles());
  EXPECT_NEAR(change.ratio, 1.25, 0.02);
  // 16 cycles of products, but 64 + 32 rows of 32 B at 128 B per cycle.
  const char* const narrow = "HGMMA.64x32x16.F32";
  EXPECT_EQ(interval(h100, narrow).binding_text(16),
            "sm.l1.bytes_per_cycle binds (HGMMA.64x32x16.F32: 24 cycles >= 16)");
  EXPECT_FALSE(faster_tensor(narrow));
  EXPECT_EQ(interval(h100, "HGMMA.64x8x16.F32.RS").binding_keys(),
            "sm.group_tensor.register_least_cycles");
}

}  // namespace
}  // namespace tcsim::config
