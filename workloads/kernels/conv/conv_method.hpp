#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workloads/kernels/conv/conv.hpp"
#include "workloads/kernels/tile_menu.hpp"

namespace tcsim::kernels {

/// One way to compute a convolution on one machine.
class ConvMethod {
 public:
  virtual ~ConvMethod() = default;

  /// Why there is no kernel, in one sentence; empty if there is one. The others require that.
  [[nodiscard]] virtual std::string why_not() const = 0;
  /// Tiles of the product inside.
  [[nodiscard]] virtual TileMenu menu() const = 0;
  /// The tile with the smallest estimated time.
  [[nodiscard]] virtual GemmTile choose() const = 0;
  /// The tiles that the chooser ranks first, choose()'s at the front, at most `count`; that one
  /// alone where the method has no list.
  [[nodiscard]] virtual std::vector<GemmTile> leading(std::size_t /*count*/) const {
    return {choose()};
  }
  /// Estimated SM cycles of the whole stream.
  [[nodiscard]] virtual double estimate(const GemmTile& tile) const = 0;
  [[nodiscard]] virtual std::vector<isa::KernelLaunch> stream(const GemmTile& tile) const = 0;
};

std::unique_ptr<ConvMethod> make_conv_method(const ConvProblem& problem, ConvAlgorithm algorithm,
                                             const Target& target);

}  // namespace tcsim::kernels
