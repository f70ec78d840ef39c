#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workloads/kernels/conv/conv.hpp"
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
  /// The tiles that the chooser ranks first, at least one and at most `count` > 0: the one with the
  /// smallest estimated time, then others if the method ranks them.
  [[nodiscard]] virtual std::vector<GemmTile> leading(std::size_t count) const = 0;
  [[nodiscard]] GemmTile choose() const { return leading(1).front(); }
  /// Estimated SM cycles of the whole stream.
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
  [[nodiscard]] std::vector<GemmTile> leading(std::size_t /*count*/) const override {
    return {GemmTile{}};
  }

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
