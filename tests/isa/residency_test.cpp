#include "models/isa/residency.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace tcsim::isa {
namespace {

constexpr ResidencyLimits kSm{.registers = 65536,
                              .register_unit = 256,
                              .sub_cores = 4,
                              .shared_bytes = 164 * 1024,
                              .shared_unit_bytes = 128,
                              .shared_reserved_bytes = 1024,
                              .warps = 64,
                              .ctas = 32};

int by_registers(int registers_per_thread, int warps) {
  return resident_ctas(kSm, {registers_per_thread, 0, warps}).by_registers;
}

TEST(Residency, WarpsGetRegistersInUnitsOfOneSubCoresFile) {
  EXPECT_EQ(by_registers(128, 4), 4);
  EXPECT_EQ(by_registers(129, 4), 3);
  EXPECT_EQ(by_registers(136, 4), 3);
  EXPECT_EQ(by_registers(137, 4), 3);
  EXPECT_EQ(by_registers(168, 4), 3);
  EXPECT_EQ(by_registers(169, 4), 2);
}

TEST(Residency, SharedMemoryIsRoundedUpAndSomeIsReserved) {
  const auto by_shared = [](int bytes) {
    return resident_ctas(kSm, {32, bytes, 4}).by_shared_memory;
  };
  EXPECT_EQ(by_shared(81 * 1024), 2);
  EXPECT_EQ(by_shared(81 * 1024 + 1), 1);
  EXPECT_EQ(by_shared(1), 164 * 1024 / (128 + 1024));
  EXPECT_EQ(by_shared(0), ResidentCtas::kUnlimited);
}

TEST(Residency, TheScarcestResourceDecides) {
  EXPECT_EQ(resident_ctas(kSm, {32, 0, 1}).least(), 32);
  EXPECT_EQ(resident_ctas(kSm, {32, 0, 8}).least(), 8);
  EXPECT_EQ(resident_ctas(kSm, {255, 0, 4}).least(), 2);
  EXPECT_EQ(resident_ctas(kSm, {32, 64 * 1024, 4}).least(), 2);
}

TEST(Residency, OneThreadOrCtaMayTakeTooMuch) {
  ResidencyLimits sm = kSm;
  sm.registers_per_thread = 96;
  sm.shared_bytes_per_cta = 1024;
  sm.threads_per_cta = 128;
  const ResidentCtas fits = resident_ctas(sm, {96, 1024, 4});
  EXPECT_EQ(fits.too_much, "");
  EXPECT_GT(fits.least(), 0);
  for (const auto& [needs, what] : {std::pair(ResidencyNeeds{97, 0, 1}, "registers of a thread"),
                                    {ResidencyNeeds{32, 1025, 1}, "shared memory of a CTA"},
                                    {ResidencyNeeds{32, 0, 5}, "threads of a CTA"}}) {
    EXPECT_EQ(resident_ctas(sm, needs).too_much, what);
    EXPECT_EQ(resident_ctas(sm, needs).least(), 0);
  }
}

}  // namespace
}  // namespace tcsim::isa
