#pragma once

#include <utility>

#include "workloads/kernels/conv/conv.hpp"
#include "workloads/kernels/conv/tap_walk.hpp"
#include "workloads/kernels/gather.hpp"

namespace tcsim::kernels {

/// One direction of an image. Pixel number i of a grid and tap number j meet at place pixel_step *
/// (i / every) + tap_step * j + origin. The place exists if it lies in [0, extent) and i is a
/// multiple of `every`.
struct Sampling {
  std::int64_t pixels = 1;
  std::int64_t taps = 1;
  std::int64_t extent = 1;
  std::int64_t pixel_step = 1;
  std::int64_t tap_step = 1;
  isa::Expression origin{};  ///< over the batch
  std::int64_t every = 1;    ///< divides `pixels`

  /// True if every pixel sees only its own place.
  [[nodiscard]] bool is_identity() const;
  /// Adds the bounds of `place` that some pixel and tap violate.
  void add_bounds(const isa::Expression& place, isa::Guard& guard) const;
  /// The place at which pixel number (`number` / `divisor`) mod `pixels` and tap number `tap` meet;
  /// adds the bounds that some pixel and tap violate.
  [[nodiscard]] isa::Expression place(const isa::Expression& number, std::int64_t divisor,
                                      const isa::Expression& tap, isa::Guard& guard) const;
};

/// Images [image][row][column][channel] read at a grid of pixels, image by image, row by row.
struct SampledImages {
  Sampling rows;
  Sampling columns;
  std::int64_t images = 1;
  std::int64_t channels = 1;  ///< distance between pixels

  [[nodiscard]] std::int64_t pixels() const { return images * rows.pixels * columns.pixels; }
  [[nodiscard]] std::int64_t plane() const { return rows.extent * columns.extent; }
  [[nodiscard]] std::int64_t elements() const {
    return images * rows.extent * columns.extent * channels;
  }

  /// Channel `channel` of the place that pixel number `pixel` sees through tap (row, column); and
  /// the same for pixel number `pixel` / `divisor`.
  [[nodiscard]] Gather::Place place(const isa::Expression& pixel, const isa::Expression& row,
                                    const isa::Expression& column, const isa::Expression& channel,
                                    std::int64_t divisor = 1) const;
  /// The same in images of planes, for plane number `channel` of the image.
  [[nodiscard]] Gather::Place place_in_planes(const isa::Expression& pixel,
                                              const isa::Expression& row,
                                              const isa::Expression& column,
                                              const isa::Expression& channel) const;
};

/// x as the outputs of a forward pass see it.
SampledImages forward_images(const ConvProblem& conv);

/// dy as all pixels of x see it in a data gradient: without a stride, or through one tap that
/// coincides with every stride-th pixel.
SampledImages gradient_images(const ConvProblem& conv);
bool has_gradient_images(const ConvProblem& conv);

/// Pixels across, taps and channels along k: operand A of a forward pass and a data gradient.
class PixelGather : public Gather {
 public:
  PixelGather(SampledImages images, TapWalk walk, std::int64_t batch_stride)
      : Gather(images.elements(), batch_stride),
        images_(std::move(images)),
        walk_(std::move(walk)) {}

  [[nodiscard]] Place place(const Index& index) const override;

 private:
  SampledImages images_;
  TapWalk walk_;
};

/// Base of gathers that read `channels` of images in a batch; batches are `channel_stride` elements
/// apart.
class ImageGather : public Gather {
 protected:
  ImageGather(SampledImages images, std::int64_t channels, int tile_k, std::int64_t channel_stride)
      : Gather(images.elements(), channels * channel_stride),
        images_(std::move(images)),
        channels_(channels),
        tile_k_(tile_k) {}

  SampledImages images_;
  std::int64_t channels_;  ///< channels of a batch
  int tile_k_;
};

/// Images [image][channel][row][column]: pixels across, channels and the taps of each along k, in
/// the order of filters KCRS: operand B of a forward pass and a data gradient in NCHW.
class PlaneGather : public ImageGather {
 public:
  PlaneGather(const SampledImages& images, std::int64_t channels, int tile_k)
      : ImageGather(images, channels, tile_k, images.plane()) {}

  [[nodiscard]] Place place(const Index& index) const override;
};

/// Images [image][channel][row][column]: channels and the taps of each across, pixels along k:
/// operand B of a weight gradient in NCHW.
class PlanePatchGather : public ImageGather {
 public:
  PlanePatchGather(const SampledImages& images, std::int64_t channels, int tile_k)
      : ImageGather(images, channels, tile_k, images.plane()) {}

  [[nodiscard]] Place place(const Index& index) const override;
};

/// Taps and channels across, pixels along k: operand B of a weight gradient.
class PatchGather : public ImageGather {
 public:
  PatchGather(SampledImages images, std::int64_t channels, int tile_k)
      : ImageGather(std::move(images), channels, tile_k, 1) {}

  [[nodiscard]] Place place(const Index& index) const override;
};

/// Images [image][channel][pixel]: channels across, pixels along k: operand A of a weight gradient
/// in NCHW.
class PlanePixelGather : public Gather {
 public:
  PlanePixelGather(std::int64_t images, std::int64_t plane, std::int64_t channels, int tile_k,
                   std::int64_t batch_stride)
      : Gather(images * plane * channels, batch_stride),
        images_(images),
        plane_(plane),
        channels_(channels),
        tile_k_(tile_k) {}

  [[nodiscard]] Place place(const Index& index) const override;

 private:
  std::int64_t images_;
  std::int64_t plane_;
  std::int64_t channels_;
  int tile_k_;
};

/// Channels across, pixels along k: operand A of a weight gradient.
class ChannelGather : public Gather {
 public:
  ChannelGather(std::int64_t pixels, std::int64_t channels, int tile_k, std::int64_t batch_stride)
      : Gather(pixels * channels, batch_stride),
        pixels_(pixels),
        channels_(channels),
        tile_k_(tile_k) {}

  [[nodiscard]] Place place(const Index& index) const override;

 private:
  std::int64_t pixels_;
  std::int64_t channels_;
  int tile_k_;
};

}  // namespace tcsim::kernels
