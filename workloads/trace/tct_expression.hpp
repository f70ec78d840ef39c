#pragma once

#include <array>
#include <string>
#include <string_view>

#include "models/isa/expression.hpp"
#include "workloads/trace/tct_cursor.hpp"

namespace tcsim::trace {

/// Names of the variables in the order of isa::Variable.
inline constexpr std::array<std::string_view, isa::kVariableCount> kVariableNames{
    "ctaid.x", "ctaid.y", "ctaid.z", "warp", "lane", "i0",  "i1", "i2", "i3",
    "u0",      "u1",      "u2",      "u3",   "u4",   "u5",  "u6", "u7", "u8",
    "u9",      "u10",     "u11",     "u12",  "u13",  "u14", "u15"};
static_assert(!kVariableNames.back().empty());

/// "64*(lane/4%8) + ctaid.x - 16"; "0" if empty.
std::string expression_text(const isa::Expression& expression);
/// The same to be appended to other text: " + 64*lane - 16", or "" if empty.
std::string added_text(const isa::Expression& expression);
/// The offset, followed by " swizzle(bits,base,shift)" unless there is no swizzle.
std::string address_text(const isa::Address& address);
/// " swizzle(bits,base,shift)", or "" for none.
std::string swizzle_text(const isa::Swizzle& swizzle);
/// "(lane < 16 && i0 < 3)".
std::string guard_text(const isa::Guard& guard);

/// The largest value of each variable at one place of a program (for uniforms the largest
/// magnitude); -1: not defined there.
using VariableRanges = std::array<std::int64_t, isa::kVariableCount>;

/// Largest magnitude of an expression. Sums of a few of them stay within 64 bits.
inline constexpr std::int64_t kLargestValue = std::int64_t{1} << 61;

/// Reads a sum. Throws Mistake, also for variables that are not defined here and for sums that may
/// leave
/// [-kLargestValue, kLargestValue].
isa::Expression parse_expression(Cursor& cursor, const VariableRanges& ranges);
/// Reads the text after another summand: nothing, or a sum that starts with a sign. `closing` ends
/// it.
isa::Expression parse_added(Cursor& cursor, const VariableRanges& ranges, char closing);
/// Reads an optional swizzle.
isa::Swizzle parse_swizzle(Cursor& cursor);
/// Reads a guard, which opens with '('.
isa::Guard parse_guard(Cursor& cursor, const VariableRanges& ranges);

/// An upper bound of the magnitude of `expression`, which must be in range.
std::int64_t largest_magnitude(const isa::Expression& expression, const VariableRanges& ranges);

/// An upper bound of `expression`, which must be in range.
std::int64_t largest_value(const isa::Expression& expression, const VariableRanges& ranges);

}  // namespace tcsim::trace
