#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workloads/kernels/conv/conv.hpp"
#include "workloads/kernels/cost_model.hpp"
#include "workloads/kernels/tile_menu.hpp"

namespace tcsim::kernels {

/// One way to compute a convolution on one machine.
class ConvMethod {
 public:
  virtual ~ConvMethod() = default;

  /// Why there is no kernel, in one sentence; empty if there is one. The other members require one.
  [[nodiscard]] virtual std::string why_not() const = 0;
  /// Tiles of the product inside.
  [[nodiscard]] virtual TileMenu menu() const = 0;
  /// Those that the chooser compares, its choice first, with the costs of the product alone; none
  /// if the method has no tiles.
  [[nodiscard]] virtual std::vector<Candidate> candidates() const = 0;
  /// The chooser's choice; zeros if the method has no tiles.
  [[nodiscard]] GemmTile choose() const {
    const std::vector<Candidate> all = candidates();
    return all.empty() ? GemmTile{} : all.front().tile;
  }
  /// Estimated SM cycles of the whole stream without the launch of its first kernel.
  [[nodiscard]] virtual double estimate(const GemmTile& tile) const = 0;
  [[nodiscard]] virtual std::vector<isa::KernelLaunch> stream(const GemmTile& tile) const = 0;

 protected:
  /// Address setup and first loads, SM cycles (kernels.md 4.2: 1000 to 1500).
  static constexpr double kFillCycles = 1250;

  ConvMethod(const ConvProblem& problem, Target target)
      : problem_(problem), target_(std::move(target)) {}

  /// Estimated SM cycles in which DRAM moves `bytes`.
  [[nodiscard]] double dram_cycles(double bytes) const {
    constexpr double kDramEfficiency = 0.8;  // as `dram_efficiency` of configs/libraries/cudnn-*
    return bytes / (kDramEfficiency * target_.dram_bytes_per_cycle);
  }

  /// Estimated SM cycles of `kernels` around the one that multiplies, which together move `bytes`
  /// through DRAM.
  [[nodiscard]] double cycles_around(int kernels, double bytes) const {
    return kernels * (target_.launch_cycles + kFillCycles) + dram_cycles(bytes);
  }

  const ConvProblem problem_;
  const Target target_;
};

/// A method whose kernels have no choice of tiles.
class TilelessMethod : public ConvMethod {
 public:
  [[nodiscard]] TileMenu menu() const override {
    return {{},
            [reason = reason_](const GemmTile&) { return reason; },
            [](const GemmTile&, const GemmTile&) { return false; }};
  }
  [[nodiscard]] std::vector<Candidate> candidates() const override { return {}; }

 protected:
  /// `reason`: why it has no tiles, in one sentence.
  TilelessMethod(const ConvProblem& problem, Target target, std::string reason)
      : ConvMethod(problem, std::move(target)), reason_(std::move(reason)) {}

 private:
  std::string reason_;
};

std::unique_ptr<ConvMethod> make_conv_method(const ConvProblem& problem, ConvAlgorithm algorithm,
                                             const Target& target);

}  // namespace tcsim::kernels
