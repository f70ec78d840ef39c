// Fits the numbers of a rule `cluster_waves` (workloads/kernels/cluster_wave_rule.hpp) to named
// products. scripts/fit_cluster_waves builds and runs it.
//
// usage: fit TILES CASES ROUNDS. TILES has a line "rows width roles stages" for each tile of the
// menu, CASES one "m n k batch bytes layout swapped rows width cluster_m cluster_n" for each
// product, where the fields from `rows` on are those of its name. Prints a line for each number and
// factor.
//
// Maximises the share that softmax(-sharpness * log cycles) gives to the named tile and cluster, by
// steps of Adam along the gradient of its logarithm. Factors have an exact gradient and are drawn
// towards 1; for the gradient of the other numbers, each is moved by a hundredth.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace {

constexpr int kSms = 132;
constexpr float kMacs = 2048;   // of an SM in a cycle, 16 bits
constexpr float kLeastK = 256;  // of a slice
constexpr int kMostSlices = 32;
constexpr double kWorst = -12;    // logarithm of a share, below which a product counts no more
constexpr float kTooSlow = 1.6F;  // times the least cycles
constexpr double kPull = 2000;    // of factors towards 1

struct Candidate {
  bool swapped;
  int rows, width, cluster_m, cluster_n;
  bool cooperative;
  float along_m, along_n, slots, fill, shared_fill, multiply, shared, area;
  std::vector<int> factors;
};
struct Case {
  float m, n, k, batch, bytes;
  std::string layout;
  int named;
};
enum Number {
  kSharpness,
  kConstant,
  kPingPongTile,
  kCooperativeTile,
  kPingPongArea,
  kCooperativeArea,
  kKTile,
  kShared,
  kFill,
  kL2,
  kDram,
  kStarted,
  kCta,
  kCtaArea,
  kSlices,
  kSlice,
  kSum,
  kNumbers
};
constexpr std::array kNames{"sharpness",
                            "constant_cycles",
                            "ping_pong_tile_cycles",
                            "cooperative_tile_cycles",
                            "ping_pong_area_cycles",
                            "cooperative_area_cycles",
                            "k_tile_cycles",
                            "shared_share",
                            "fill_bytes",
                            "l2_bytes",
                            "dram_bytes",
                            "started_rounds",
                            "cta_cycles",
                            "cta_area_cycles",
                            "slices_cycles",
                            "slice_cycles",
                            "sum_cycles"};
using Numbers = std::array<double, kNumbers>;
constexpr Numbers kStart{100,  9000, 500, 800,  100, 100,  50,  0.5, 90,
                         9000, 2000, 0.2, 0.02, 1,   1500, 300, 4};

struct Score {
  double likelihood = 0;
  int right = 0;
};

class Fit {
 public:
  Fit(const char* tiles, const char* cases) {
    std::ifstream rows(tiles);
    std::string roles;
    for (int height, width, stages; rows >> height >> width >> roles >> stages;)
      add_tile(height, width, roles == "cooperative");
    std::ifstream list(cases);
    Case one;
    int swapped, height, width, cluster_m, cluster_n;
    while (list >> one.m >> one.n >> one.k >> one.batch >> one.bytes >> one.layout >> swapped >>
           height >> width >> cluster_m >> cluster_n) {
      one.named = -1;
      for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const Candidate& c = candidates_[i];
        if (c.swapped == (swapped == 1) && c.rows == height && c.width == width &&
            c.cluster_m == cluster_m && c.cluster_n == cluster_n)
          one.named = static_cast<int>(i);
      }
      cases_.push_back(one);
    }
  }

  void run(int rounds) {
    std::vector<double> mean(kNumbers + factors_.size()), square(mean.size());
    for (int round = 1; round <= rounds; ++round) {
      const double pace = round < rounds * 0.6 ? 1 : round < rounds * 0.85 ? 0.4 : 0.15;
      std::vector<double> slope(factors_.size());
      const Score here = score(&slope);
      for (int i = 0; i < kNumbers && round % 3 == 1; ++i) {
        const double value = numbers_[i];
        numbers_[i] = value * std::exp(0.01);
        const double rise = (score(nullptr).likelihood - here.likelihood) / 0.01;
        numbers_[i] = value;
        square[i] = 0.7 * square[i] + 0.3 * rise * rise;
        mean[i] = 0.6 * mean[i] + 0.4 * rise;
      }
      for (int i = 0; i < kNumbers; ++i)
        numbers_[i] *= std::exp(pace * 0.04 * mean[i] / (std::sqrt(square[i]) + 1e-3));
      for (std::size_t i = 0; i < factors_.size(); ++i) {
        const double rise = slope[i] - kPull * factors_[i];
        double& m = mean[kNumbers + i];
        double& s = square[kNumbers + i];
        s = 0.9 * s + 0.1 * rise * rise;
        m = 0.7 * m + 0.3 * rise;
        factors_[i] += pace * 0.004 * m / (std::sqrt(s) + 1e-3);
      }
      if (round % 15 == 0)
        std::cerr << "round " << round << ": " << here.likelihood / cases_.size() << ", right "
                  << 100.0 * here.right / cases_.size() << " %\n";
    }
  }
  void print() const {
    for (int i = 0; i < kNumbers; ++i) std::cout << kNames[i] << ' ' << numbers_[i] << '\n';
    for (const auto& [name, index] : factor_of_)
      std::cout << name << " factor " << std::exp(factors_[index]) << '\n';
  }

 private:
  int factor(const std::string& name) {
    const auto [place, is_new] = factor_of_.try_emplace(name, static_cast<int>(factors_.size()));
    if (is_new) factors_.push_back(0);
    return place->second;
  }
  void add_tile(int rows, int width, bool cooperative) {
    constexpr int kClusters[8][2] = {{1, 1}, {2, 1}, {1, 2}, {4, 1},
                                     {1, 4}, {2, 2}, {2, 4}, {4, 2}};
    for (const bool swapped : {false, true})
      for (const auto& [m, n] : kClusters) {
        Candidate c{swapped, rows, width, m, n, cooperative};
        c.along_m = static_cast<float>(swapped ? width : rows);
        c.along_n = static_cast<float>(swapped ? rows : width);
        const int ctas = m * n;  // and clusters in the largest grids of the named kernels
        c.slots = ctas == 1 ? kSms : ctas == 2 ? kSms / 2 : ctas == 4 ? 30 : 15;
        c.fill = (rows + width) * 128.0F;
        c.shared_fill = (c.along_n / m + c.along_m / n) * 128;
        c.multiply = 64.0F * rows * width / kMacs;
        c.shared = rows / 64.0F * (64 + width);
        c.area = rows * width / 1000.0F;
        const std::string height = "rows: " + std::to_string(rows);
        const std::string first = std::string("first: ") + (swapped ? "weights" : "rows");
        const int multiple = std::min(64, width & -width);
        const int step = width <= 32 ? 8 : width <= 128 ? 16 : 32;
        const int most = (width + step - 1) / step * step;
        c.factors = {
            factor(height + ", roles: " + (cooperative ? "cooperative" : "ping_pong")),
            factor("multiple: " + std::to_string(multiple)),
            factor(first),
            factor(height + ", " + first),
            factor("width: " + std::to_string(most - step + 8) + "x" + std::to_string(most)),
            factor("cluster: " + std::to_string(m) + "x" + std::to_string(n) + ", " + first)};
        candidates_.push_back(c);
      }
  }
  /// What lies across k is copied 64 rows at once, or 32 columns.
  static bool is_built(const Case& one, const Candidate& c) {
    const int step_m = c.swapped ? 32 : 64;
    const int step_n = c.swapped ? 64 : 32;
    return (one.layout[1] != 'N' || static_cast<int>(c.along_n) % step_n == 0) &&
           (one.layout[0] != 'T' || static_cast<int>(c.along_m) % step_m == 0);
  }
  float cycles(const Case& one, const Candidate& c, float k_tile, float own, float factor) const {
    const float clusters = std::ceil(one.n / (c.along_n * c.cluster_n)) *
                           std::ceil(one.m / (c.along_m * c.cluster_m)) * one.batch;
    const float ctas = static_cast<float>(c.cluster_m * c.cluster_n);
    const float k_tiles = std::ceil(one.k * one.bytes / 128);
    const float moved =
        ((one.m + one.n) * one.k * one.bytes + one.m * one.n * 2) * one.batch / number(kDram);
    const int most = one.batch == 1 ? std::min<int>(kMostSlices, c.slots / clusters) : 1;
    float least = 1e30F;
    for (int slices = 1; slices == 1 || (slices <= most && one.k / slices >= kLeastK); ++slices) {
      const float tiles = clusters * slices;
      const float l2 = std::min(tiles, c.slots) * ctas * c.shared_fill / number(kL2);
      const float k_cycles = std::cbrt(k_tile * k_tile * k_tile + l2 * l2 * l2);
      const float rounds = std::ceil(tiles / c.slots) + number(kStarted) * tiles / c.slots;
      float sum = number(kConstant) + rounds * (k_cycles * std::ceil(k_tiles / slices) + own) +
                  moved + tiles * ctas * (number(kCta) + number(kCtaArea) * c.area);
      if (slices > 1)
        sum += number(kSlices) + slices * (number(kSlice) + number(kSum) * one.m * one.n / 1000);
      least = std::min(least, sum);
    }
    return least * factor;
  }
  [[nodiscard]] float number(Number which) const { return static_cast<float>(numbers_[which]); }

  Score score(std::vector<double>* slope) const {
    const std::size_t count = candidates_.size();
    std::vector<float> k_tile(count), own(count), product(count), cycle(count), weight(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Candidate& c = candidates_[i];
      const double busy =
          std::cbrt(std::pow(c.multiply, 3) + std::pow(number(kShared) * c.shared, 3)) +
          number(kKTile);
      k_tile[i] = std::cbrt(std::pow(busy, 3) + std::pow(c.fill / number(kFill), 3));
      own[i] = c.cooperative ? number(kCooperativeTile) + number(kCooperativeArea) * c.area
                             : number(kPingPongTile) + number(kPingPongArea) * c.area;
      double sum = 0;
      for (const int index : c.factors) sum += factors_[index];
      product[i] = std::exp(sum);
    }
    Score result;
    for (const Case& one : cases_) {
      std::size_t best = 0;
      for (std::size_t i = 0; i < count; ++i) {
        cycle[i] = is_built(one, candidates_[i])
                       ? cycles(one, candidates_[i], k_tile[i], own[i], product[i])
                       : 1e30F;
        if (cycle[i] < cycle[best]) best = i;
      }
      double all = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const float ratio = cycle[i] / cycle[best];
        weight[i] = ratio > kTooSlow ? 0 : std::exp(-number(kSharpness) * std::log(ratio));
        all += weight[i];
      }
      const double share =
          one.named < 0
              ? kWorst
              : -number(kSharpness) * std::log(cycle[one.named] / cycle[best]) - std::log(all);
      result.likelihood += std::max(kWorst, share);
      if (one.named >= 0) {
        const Candidate& a = candidates_[best];
        const Candidate& b = candidates_[one.named];
        result.right += a.rows == b.rows && a.width == b.width && a.swapped == b.swapped;
      }
      if (slope == nullptr || share <= kWorst) continue;
      for (std::size_t i = 0; i < count; ++i)
        for (const int index : candidates_[i].factors)
          if (weight[i] > 1e-5F) (*slope)[index] += number(kSharpness) * weight[i] / all;
      for (const int index : candidates_[one.named].factors) (*slope)[index] -= number(kSharpness);
    }
    return result;
  }

  std::vector<Candidate> candidates_;
  std::vector<Case> cases_;
  Numbers numbers_ = kStart;
  std::vector<double> factors_;
  std::map<std::string, int> factor_of_;
};

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  Fit fit(words[1], words[2]);
  fit.run(std::stoi(words[3]));
  fit.print();
}
