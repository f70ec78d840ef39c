#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tcsim::numerics {

/// GPU generations by age, oldest first.
enum class Generation : std::uint8_t { kVolta, kTuring, kAmpere, kAda, kHopper };

struct GenerationInfo {
  Generation generation;
  std::string_view name;
  int compute_capability;  ///< Major * 10 + minor of the oldest member.
};

inline constexpr std::array<GenerationInfo, 5> kGenerations = {{
    {Generation::kVolta, "volta", 70},
    {Generation::kTuring, "turing", 75},
    {Generation::kAmpere, "ampere", 80},
    {Generation::kAda, "ada", 89},
    {Generation::kHopper, "hopper", 90},
}};

constexpr std::string_view name(Generation generation) {
  return kGenerations[static_cast<std::size_t>(generation)].name;
}
constexpr std::optional<Generation> generation_named(std::string_view word) {
  for (const auto& row : kGenerations)
    if (row.name == word) return row.generation;
  return std::nullopt;
}

/// The generation whose arithmetic kernels use on a chip of `architecture`. Pascal, which has no
/// tensor cores, uses Volta's, which is never evaluated there.
constexpr std::optional<Generation> arithmetic_of(std::string_view architecture) {
  return architecture == "pascal" ? Generation::kVolta : generation_named(architecture);
}

/// The family of instructions that drive the tensor core.
enum class InstructionKind : std::uint8_t { kMma, kWmma, kWgmma };

inline constexpr std::array<std::string_view, 3> kInstructionKindNames = {"mma", "wmma", "wgmma"};

constexpr std::string_view name(InstructionKind kind) {
  return kInstructionKindNames[static_cast<std::size_t>(kind)];
}
constexpr std::optional<InstructionKind> instruction_kind_named(std::string_view word) {
  for (std::size_t i = 0; i < kInstructionKindNames.size(); ++i)
    if (kInstructionKindNames[i] == word) return static_cast<InstructionKind>(i);
  return std::nullopt;
}

}  // namespace tcsim::numerics
