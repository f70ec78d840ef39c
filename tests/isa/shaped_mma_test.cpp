#include "models/isa/shaped_mma.hpp"

#include <gtest/gtest.h>

namespace tcsim::isa {
namespace {

TEST(ShapedMma, SaysWhyAShapeIsNone) {
  EXPECT_EQ(why_no_shaped_mma("MMA.M64N64K64.F32.F16"),
            "fragments of A, B and C take 64 + 64 + 128 = 256 registers of a thread, which has 240 "
            "for them");
  EXPECT_EQ(why_no_shaped_mma("MMA.M16N8K12.F32.F16"),
            "k is 12, so a row of A has 192 bits, not 16, 32, 64 or 128 bytes with 4 elements or "
            "more");
  EXPECT_EQ(why_no_shaped_mma("MMA.M16N8K16.F16.BF16"),
            "formats of sums and operands are F16.BF16, not one of F16.F16, F32.F16, F32.BF16, "
            "F32.TF32, S32.S8, F64.F64");
  EXPECT_EQ(why_no_shaped_mma("MMA.M16N8K2.F64.F64"),
            "k is 2, so a row of A has 128 bits, not 16, 32, 64 or 128 bytes with 4 elements or "
            "more");
}

TEST(ShapedMma, SaysEverythingAtOnce) {
  EXPECT_EQ(why_no_shaped_mma("MMA.M24N12K512.F32.F16"),
            "m is 24, not 8, 16, 32 or 64; n is 12, not 8, 16, 32 or 64; k is 512, so a row of A "
            "has 8192 bits, not 16, 32, 64 or 128 bytes with 4 elements or more; fragments of A, B "
            "and C take 192 + 96 + 9 = 297 registers of a thread, which has 240 for them");
}

TEST(ShapedMma, HasNoObjectionToWhatExistsNorToOtherForms) {
  for (const BuiltName& name : shaped::kNames)
    EXPECT_EQ(why_no_shaped_mma({name.letters.data(), name.size}), "") << name.letters.data();
  for (const char* other :
       {"", "MMA.", "MMA.M16", "MMA.M16N8K16", "HMMA.16816.F32", "MMA.M0N8K16.F32.F16",
        "MMA.M16N8K99999999999.F32.F16", "MMA.M-8N8K16.F32.F16"})
    EXPECT_EQ(why_no_shaped_mma(other), "") << other;
}

}  // namespace
}  // namespace tcsim::isa
