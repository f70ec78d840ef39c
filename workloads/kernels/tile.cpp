#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "models/isa/group_mma.hpp"
#include "workloads/kernels/cost_model.hpp"
#include "workloads/kernels/gemv.hpp"
#include "workloads/kernels/kernel_name.hpp"
#include "workloads/kernels/kernel_plan.hpp"
#include "workloads/kernels/tile_menu.hpp"
#include "workloads/kernels/warp_specialised.hpp"

namespace tcsim::kernels {
namespace {

/// Last part of a tile text if its shared memory is not swizzled.
constexpr std::string_view kNoSwizzle = "_noswizzle";
/// Precedes it, after roles and clusters.
constexpr std::string_view kSwapped = "_swapped";
constexpr std::string_view kHalfBoxes = "_halfboxes";
constexpr std::string_view kWaited = "_waited";
/// Follows the number of slices of serial split-K.
constexpr std::string_view kSerial = "_serial";
/// For CTAs that take equal shares of all k-tiles.
constexpr std::string_view kStreamK = "_streamk";
/// In the order in which a text has them.
constexpr std::string_view kOptions =
    "_s5 _w2x2 _sliced2 _splitk4 _serial _streamk _coop _c2x1 _swapped _halfboxes _waited "
    "_noswizzle";

/// Reads numbers and fixed letters from the start of a text.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool accept(std::string_view literal) {
    if (!rest_.starts_with(literal)) return false;
    rest_.remove_prefix(literal.size());
    return true;
  }
  /// A number after `literal`; reads neither if no digit follows.
  bool accept_number(std::string_view literal, int& value) {
    const bool follows = rest_.starts_with(literal) && rest_.size() > literal.size() &&
                         rest_[literal.size()] >= '0' && rest_[literal.size()] <= '9';
    return follows && accept(literal) && number(value);
  }
  bool number(int& value) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{} || value <= 0) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

/// A tile with 0 for every part that the text leaves open; nothing if the text is malformed.
std::optional<GemmTile> read(std::string_view text) {
  GemmTile tile{.m = 0, .n = 0, .k = 0, .stages = 0, .warps_m = 0, .warps_n = 0};
  Reader reader(text);
  if (!reader.number(tile.m) || !reader.accept("x") || !reader.number(tile.n)) return std::nullopt;
  reader.accept_number("x", tile.k);
  reader.accept_number("_s", tile.stages);
  if (reader.accept_number("_w", tile.warps_m) && !reader.accept_number("x", tile.warps_n))
    return std::nullopt;
  reader.accept_number("_sliced", tile.sliced_k);
  if (reader.accept_number("_splitk", tile.split_k)) tile.serial_k = reader.accept(kSerial);
  if (tile.serial_k && tile.split_k == 1) return std::nullopt;
  if (reader.accept(kStreamK)) tile.stream_k = true;
  for (const WarpRoles roles : {WarpRoles::kCooperative, WarpRoles::kPingPong, WarpRoles::kGemv})
    if (reader.accept(role_word(roles))) {
      tile.roles = roles;
      break;
    }
  if (reader.accept_number("_c", tile.cluster_m) && !reader.accept_number("x", tile.cluster_n))
    return std::nullopt;
  if (reader.accept(kSwapped)) tile.swapped = true;
  if (reader.accept(kHalfBoxes)) tile.half_boxes = true;
  if (reader.accept(kWaited)) tile.waits_each_k_tile = true;
  if (reader.accept(kNoSwizzle)) tile.swizzle = false;
  if (!reader.at_end()) return std::nullopt;
  return tile;
}

/// A part of a tile that a text may state.
struct TilePart {
  std::string name;
  std::vector<int GemmTile::*> numbers;
  int most;  ///< of each number
};

/// In the order in which they are doubted.
const std::vector<TilePart>& parts() {
  static const std::vector<TilePart> all{
      {"cluster", {&GemmTile::cluster_m, &GemmTile::cluster_n}, 16},
      {"stages", {&GemmTile::stages}, 64},
      {"warps", {&GemmTile::warps_m, &GemmTile::warps_n}, 32},
      {"slices of k-tiles", {&GemmTile::sliced_k}, 32},
      {"k", {&GemmTile::k}, 1024},
      {"n", {&GemmTile::n}, 1024},
      {"m", {&GemmTile::m}, 1024},
  };
  return all;
}

/// "stages is 100, at most 64": the part of `tile` that is larger than in any kernel; empty if none
/// is. Bytes of shared memory and registers of smaller tiles fit an int.
std::string why_beyond(const GemmTile& tile) {
  const auto beyond = [](const std::string& part, int number, int most) {
    return part + " is " + std::to_string(number) + ", at most " + std::to_string(most);
  };
  for (const TilePart& part : parts())
    for (int GemmTile::*number : part.numbers)
      if (tile.*number > part.most) return beyond(part.name, tile.*number, part.most);
  constexpr int kMostSlices = 65535;  // the CTAs of a grid's z
  return tile.split_k > kMostSlices ? beyond("slices of k", tile.split_k, kMostSlices)
                                    : std::string();
}

/// The tile that `text` describes, or the tile of the kernel that it names.
std::optional<GemmTile> wanted_tile(const std::string& text, std::string& reason) {
  std::optional<GemmTile> tile = read(text);
  std::string obstacle;
  if (!tile) {
    std::string not_a_name;
    const std::optional<KernelName> name = parse_kernel_name(text, not_a_name);
    if (!name) {
      const bool has_sizes = text.find_first_of("0123456789") == 0;
      reason = "tile '" + text +
               "' is not of the form 128x128x32_s5_w2x2, 128x128x32 or 128x128, nor the name of a "
               "kernel that has one" +
               (has_sizes ? "; its options come in the order " + std::string(kOptions) : "");
      return std::nullopt;
    }
    tile = name->tile();
    obstacle = name->why_no_tile();
  }
  if (obstacle.empty()) obstacle = why_beyond(*tile);
  if (obstacle.empty()) return tile;
  reason = "tile '" + text + "': " + obstacle;
  return std::nullopt;
}

/// True if `text` is the name of a kernel without half boxes and waits for each k-tile: of any
/// family but nvjet.
bool names_plain_kernel(const std::string& text) {
  std::string not_a_name;
  const std::optional<KernelName> name = parse_kernel_name(text, not_a_name);
  return name && name->family != "nvjet";
}

/// True if `tile` has all parts of `wanted` that are not 0.
bool matches(const GemmTile& tile, const GemmTile& wanted, bool has_any_roles) {
  const auto fits = [](int part, int want) { return want == 0 || part == want; };
  return fits(tile.m, wanted.m) && fits(tile.n, wanted.n) && fits(tile.k, wanted.k) &&
         fits(tile.stages, wanted.stages) && fits(tile.warps_m, wanted.warps_m) &&
         fits(tile.warps_n, wanted.warps_n) && fits(tile.sliced_k, wanted.sliced_k) &&
         fits(tile.cluster_m, wanted.cluster_m) && fits(tile.cluster_n, wanted.cluster_n) &&
         (tile.roles == wanted.roles || (has_any_roles && wanted.roles == WarpRoles::kUniform)) &&
         tile.swapped == wanted.swapped && (tile.half_boxes || !wanted.half_boxes) &&
         (tile.waits_each_k_tile || !wanted.waits_each_k_tile);
}

bool is_complete(const GemmTile& tile) {
  return tile.k > 0 && tile.stages > 0 && tile.warps_m > 0 && tile.warps_n > 0;
}

/// `tile` with two multiplying warpgroups, if it leaves their number open.
GemmTile with_two_groups(GemmTile tile) {
  if (tile.warps_m > 0) return tile;
  (tile.swapped ? tile.warps_n : tile.warps_m) = 2 * isa::kGroupWarps;
  (tile.swapped ? tile.warps_m : tile.warps_n) = 1;
  return tile;
}

/// A warpgroup tile that no menu has: two multiplying warpgroups and as many stages as an SM holds,
/// where `tile` leaves these open. Nothing if that cannot be built either.
std::optional<GemmTile> two_groups(GemmTile tile,
                                   const std::function<std::string(const GemmTile&)>& why_not) {
  constexpr int kMostStages = 16;
  if (tile.k == 0) return std::nullopt;
  tile = with_two_groups(tile);
  const int least = tile.stages > 0 ? tile.stages : 2;
  const int most = tile.stages > 0 ? tile.stages : kMostStages;
  for (tile.stages = most; tile.stages >= least; --tile.stages)
    if (why_not(tile).empty()) return tile;
  return std::nullopt;
}

/// `tile` of the menu with what every such tile may have besides, as `wanted` has it.
GemmTile with_extras_of(const GemmTile& wanted, GemmTile tile) {
  tile.swizzle = wanted.swizzle;
  tile.split_k = wanted.split_k;
  tile.serial_k = wanted.serial_k;
  tile.stream_k = wanted.stream_k;
  return tile;
}

/// "n: n must be a multiple of 8": the part of `wanted` without which the menu has tiles like it,
/// and why none of these has it; empty if no part is alone at fault.
std::string why_not_one_part(const TileMenu& menu, const GemmTile& wanted) {
  for (const TilePart& part : parts()) {
    GemmTile open = wanted;
    for (int GemmTile::*number : part.numbers) open.*number = 0;
    std::string obstacle;
    for (GemmTile tile : menu.tiles) {
      if (!matches(tile, open, menu.has_any_roles)) continue;
      tile = with_extras_of(wanted, tile);
      if (!menu.why_not(tile).empty()) continue;  // not for this part
      for (int GemmTile::*number : part.numbers) tile.*number = wanted.*number;
      const std::string why_not = menu.why_not(tile);
      if (obstacle.empty()) obstacle = why_not;
      if (!why_not.empty()) continue;
      obstacle = "a whole name is needed, such as " + tile.text();
      break;
    }
    if (!obstacle.empty()) return part.name + ": " + obstacle;
  }
  return {};
}

/// Why no tile of `menu` with the roles of `wanted` has its options and clusters; empty if one has.
std::string why_not_options(const TileMenu& menu, const GemmTile& wanted) {
  std::string obstacle;
  for (GemmTile tile : menu.tiles) {
    const bool has_other_form = are_warpgroups(tile.roles) && tile.swapped != wanted.swapped;
    if (tile.roles != wanted.roles || has_other_form) continue;
    tile = with_extras_of(wanted, tile);
    tile.cluster_m = wanted.cluster_m;
    tile.cluster_n = wanted.cluster_n;
    tile.swapped = wanted.swapped;
    tile.half_boxes = wanted.half_boxes;
    tile.waits_each_k_tile = wanted.waits_each_k_tile;
    const std::string why_not = menu.why_not(tile);
    if (why_not.empty()) return {};
    if (obstacle.empty()) obstacle = why_not;
  }
  return obstacle;
}

/// How far `tile` is from `wanted`: factors of two of its numbers, and one for each other part.
double distance(const GemmTile& tile, const GemmTile& wanted, bool has_any_roles) {
  double sum = tile.swapped == wanted.swapped ? 0 : 1;
  if (tile.roles != wanted.roles && !has_any_roles) sum += 1;
  for (const TilePart& part : parts())
    for (int GemmTile::*number : part.numbers)
      if (wanted.*number > 0) sum += std::abs(std::log2(double(tile.*number) / wanted.*number));
  return sum;
}

std::string listed(const std::vector<std::string>& texts, const std::string& separator) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : separator) + text;
  return list;
}

/// The texts of the nearest tiles, without the parts that `wanted` leaves open.
std::string nearest_text(const TileMenu& menu, const GemmTile& wanted) {
  constexpr std::size_t kMost = 5;
  std::vector<GemmTile> tiles = menu.tiles;
  std::ranges::stable_sort(
      tiles, {}, [&](const GemmTile& tile) { return distance(tile, wanted, menu.has_any_roles); });
  std::vector<std::string> texts;
  for (GemmTile tile : tiles) {
    for (const TilePart& part : parts())
      for (int GemmTile::*number : part.numbers)
        if (wanted.*number == 0) tile.*number = 0;
    tile.half_boxes = wanted.half_boxes;
    tile.waits_each_k_tile = wanted.waits_each_k_tile;
    const std::string text = tile.text();
    if (std::ranges::find(texts, text) != texts.end()) continue;
    texts.push_back(text);
    if (texts.size() == kMost) break;
  }
  return listed(texts, ", ");
}

/// Why `menu`, which is not empty, has no tile like `wanted`, which `text` describes.
std::string why_not_on(const TileMenu& menu, const GemmTile& wanted, const std::string& text) {
  const std::string head = "no tile '" + text + "' on the menu";
  if (const std::string fault = why_not_one_part(menu, wanted); !fault.empty())
    return head + " because of its " + fault;
  if (const std::string fault = why_not_options(menu, wanted); !fault.empty())
    return head + ": " + fault;
  return head + "; of its tiles the nearest are " + nearest_text(menu, wanted) +
         (menu.libraries.empty()
              ? ""
              : "; 'tcsim library show " + listed(menu.libraries, "' or '") + "' lists all");
}

/// Why there is no menu for `wanted`: the reason why a similar tile cannot be built.
std::string why_empty(const TileMenu& menu, const GemmTile& wanted) {
  constexpr int kDepth = 64;
  GemmTile whole = are_warpgroups(wanted.roles) ? with_two_groups(wanted) : wanted;
  if (whole.k == 0) whole.k = kDepth;
  if (whole.stages == 0) whole.stages = 2;
  if (whole.warps_m == 0) whole.warps_m = whole.warps_n = 2;
  const std::string obstacle = menu.why_not(whole);
  return obstacle.empty() ? "a whole name is needed, such as " + whole.text() : obstacle;
}

}  // namespace

std::string_view role_word(WarpRoles roles) {
  switch (roles) {
    case WarpRoles::kUniform:
      return "";
    case WarpRoles::kCooperative:
      return "_coop";
    case WarpRoles::kPingPong:
      return "_pingpong";
    case WarpRoles::kGemv:
      return "_gemv";
  }
  throw std::invalid_argument("roles");
}

std::string GemmTile::text() const {
  const auto pair = [](int first, int second) {
    return std::to_string(first) + "x" + std::to_string(second);
  };
  std::string text = pair(m, n);
  if (k > 0) text += "x" + std::to_string(k);
  if (stages > 0) text += "_s" + std::to_string(stages);
  if (warps_m > 0) text += "_w" + pair(warps_m, warps_n);
  if (sliced_k > 1) text += "_sliced" + std::to_string(sliced_k);
  if (split_k > 1) text += "_splitk" + std::to_string(split_k);
  if (serial_k) text += kSerial;
  if (stream_k) text += kStreamK;
  text += role_word(roles);
  if (cluster_m * cluster_n > 1) text += "_c" + pair(cluster_m, cluster_n);
  if (swapped) text += kSwapped;
  if (half_boxes) text += kHalfBoxes;
  if (waits_each_k_tile) text += kWaited;
  if (!swizzle) text += kNoSwizzle;
  return text;
}

std::string tile_text_mistake(const std::string& text) {
  std::string reason;
  (void)wanted_tile(text, reason);
  return reason;
}

std::optional<GemmTile> find_tile(const std::string& text, const TileMenu& menu,
                                  std::string& reason) {
  const std::optional<GemmTile> wanted = wanted_tile(text, reason);
  if (!wanted) return std::nullopt;
  const auto generatable = [&](const GemmTile& tile) -> std::optional<GemmTile> {
    const std::string obstacle = menu.why_not(tile);
    if (obstacle.empty()) return tile;
    reason = "tile '" + text + "': " + obstacle;
    return std::nullopt;
  };
  const bool has_open_roles = menu.has_any_roles && wanted->roles == WarpRoles::kUniform;
  if (is_complete(*wanted) && !has_open_roles) return generatable(*wanted);
  std::optional<GemmTile> best;
  for (const GemmTile& one : menu.tiles) {
    if (!matches(one, *wanted, menu.has_any_roles)) continue;
    const GemmTile tile = with_extras_of(*wanted, one);
    if (!best || menu.is_preferred(tile, *best)) best = tile;
  }
  if (!best) {
    reason = menu.tiles.empty() ? "tile '" + text + "': " + why_empty(menu, *wanted)
                                : why_not_on(menu, *wanted, text);
    return std::nullopt;
  }
  return generatable(*best);
}

std::optional<GemmTile> parse_tile(const std::string& text, const GemmProblem& problem,
                                   const Target& target, std::string& reason) {
  const std::optional<GemmTile> wanted = wanted_tile(text, reason);
  if (!wanted) return std::nullopt;
  if (wanted->roles == WarpRoles::kGemv) {
    TileMenu by_name_alone;
    by_name_alone.why_not = [&](const GemmTile& tile) {
      return why_not_gemv(problem, tile, target);
    };
    return find_tile(text, by_name_alone, reason);
  }
  std::optional<Recipe> recipe;
  const bool has_roles = are_warpgroups(wanted->roles);
  if (!has_roles) recipe = find_recipe(problem, target, reason);
  const bool is_for_warpgroups_alone = !has_roles && !recipe && target.features.warpgroups;
  if (has_roles || is_for_warpgroups_alone) {
    std::string why_none;
    recipe = find_warp_specialised(problem, target, why_none);
    if (has_roles) reason = "tile '" + text + "': " + why_none;
  }
  if (!recipe) {
    if (is_for_warpgroups_alone) reason = why_no_kernel(problem, target);
    std::string why_none;
    if (has_roles && find_recipe(problem, target, why_none))
      reason += "; a tile without roles has a kernel";
    return std::nullopt;
  }
  const auto obstacle = [&](const GemmTile& tile) {
    return why_not(problem, tile, *recipe, target);
  };
  std::vector<GemmTile> tiles = recipe_tiles(*recipe, problem, target);
  if (is_for_warpgroups_alone && tiles.empty()) {
    reason = why_no_kernel(problem, target);
    return std::nullopt;
  }
  std::vector<std::shared_ptr<const KernelFamily>> others;
  if (recipe->math == MathKind::kGroup) others = warp_specialised_families(problem, target);
  if (recipe->by_name) others.push_back(recipe->by_name);
  std::vector<std::string> libraries{recipe->family->library};
  for (const auto& family : others) {
    std::ranges::copy(
        menu_tiles(*family, problem.input, [&](const GemmTile& t) { return obstacle(t).empty(); }),
        std::back_inserter(tiles));
    if (std::ranges::find(libraries, family->library) == libraries.end())
      libraries.push_back(family->library);
  }
  if (names_plain_kernel(text))
    std::erase_if(tiles,
                  [](const GemmTile& one) { return one.half_boxes || one.waits_each_k_tile; });
  const bool is_on_menu = std::ranges::any_of(
      tiles, [&](const auto& tile) { return matches(tile, *wanted, is_for_warpgroups_alone); });
  if (has_roles && !is_on_menu)
    if (const auto built = two_groups(*wanted, obstacle)) tiles.push_back(*built);
  const TileMenu menu{
      std::move(tiles), obstacle,
      [&](const GemmTile& a, const GemmTile& b) { return is_preferred(a, b, problem, target); },
      is_for_warpgroups_alone, std::move(libraries)};
  return find_tile(text, menu, reason);
}

}  // namespace tcsim::kernels
