// SPDX-License-Identifier: Apache-2.0
#include "own/sprites.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "envpool/assets.h"
#include "envpool/error.h"
#include "envpool/shared_asset.h"
#include "own/entity.h"

namespace envpool::procgen {
namespace {

enum class Form { kPlain, kMirrored, kBackdrop };

// The image that all games share. Backdrops are read as if they had no alpha.
std::shared_ptr<const Image> Shared(const std::string& path, Form form) {
  using Images = SharedAsset<Image, std::pair<std::string, Form>>;
  return Images::Get({FileKey(path), form}, [&] {
    if (form == Form::kMirrored) return Mirrored(*Shared(path, Form::kPlain));
    return ReadPng(path, form == Form::kBackdrop ? Alpha::kIgnored : Alpha::kMultiplied);
  });
}

std::vector<std::string> Numbered(const std::string& stem, int count) {
  std::vector<std::string> names;
  for (int i = 1; i <= count; ++i) names.push_back(stem + std::to_string(i));
  return names;
}

void Append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::vector<std::string> InFolder(const std::string& folder, std::vector<std::string> names) {
  for (std::string& name : names) name.insert(0, folder + "/");
  return names;
}

std::vector<std::string> Space() {
  return InFolder(
      "space_backgrounds",
      {"deep_space_01", "spacegen_01", "milky_way_01", "ez_space_lite_01", "meyespace_v1_01",
       "eye_nebula_01", "deep_sky_01", "space_nebula_01", "Background-1", "Background-2",
       "Background-3", "Background-4", "parallax-space-backgound"});
}

std::vector<std::string> TopDown() {
  std::vector<std::string> names = {"topdown_backgrounds/floortiles"};
  Append(names, Numbered("topdown_backgrounds/backgrounddetailed", 8));
  return names;
}

std::vector<std::string> Water(bool under) {
  std::vector<std::string> names = Numbered("water_backgrounds/water", 4);
  if (under) Append(names, Numbered("water_backgrounds/underwater", 3));
  return names;
}

std::vector<std::string> Platform() {
  std::vector<std::string> first = {"alien_bg", "another_world_bg", "back_cave",
                                    "caverns",  "cyberpunk_bg",     "parallax_forest",
                                    "scifi_bg", "scifi2_bg",        "living_tissue_bg"};
  Append(first, Numbered("airadventurelevel", 4));
  Append(first, {"cave_background", "blue_desert", "blue_grass", "blue_land", "blue_shroom",
                 "colored_desert", "colored_grass", "colored_land", "colored_shroom"});
  Append(first, Numbered("landscape", 4));
  Append(first, Numbered("battleback", 10));
  first.emplace_back("sunrise");
  std::vector<std::string> names = InFolder("platform_backgrounds", first);
  for (const char* const stem : {"beach", "fantasy", "candy"}) {
    Append(names, InFolder("platform_backgrounds_2", Numbered(stem, 4)));
  }
  Append(names, Space());
  return names;
}

}  // namespace

const std::vector<std::string>& BackdropNames(Backdrop set) {
  static const std::vector<std::string> all[] = {TopDown(),   {"topdown_backgrounds/floortiles"},
                                                 Water(true), Water(false),
                                                 Space(),     Platform()};
  return all[static_cast<std::size_t>(set)];
}

Sprites::Sprites(std::string folder, const std::vector<SpriteNames>& names, Backdrop set)
    : folder_(std::move(folder)), kinds_(kMostTypes) {
  for (int i = kExplosion; i <= kLastExplosion; ++i) {
    Of(i).themes.push_back(
        {"misc_assets/explosion" + std::to_string(i - kExplosion + 1), nullptr, nullptr});
  }
  Of(kTrail).themes.push_back({"misc_assets/iconCircle_white", nullptr, nullptr});
  for (const SpriteNames& kind : names) {
    Of(kind.type).themes.clear();
    for (const std::string_view name : kind.names) {
      Of(kind.type).themes.push_back({std::string(name), nullptr, nullptr});
    }
  }
  for (const std::string& name : BackdropNames(set)) backdrops_.push_back({name, nullptr, nullptr});
  for (const Kind& kind : kinds_) Check(kind.themes);
  Check(backdrops_);
}

void Sprites::Check(const std::vector<Theme>& themes) const {
  for (const Theme& theme : themes) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(folder_ + theme.name + ".png", ignored)) continue;
    throw Error(ErrorKind::kConfig, "the images of the game",
                "no " + theme.name + ".png in " + folder_, "all images of Procgen's package",
                "run `envpool procgen fetch`, or install its package again");
  }
}

const Image& Sprites::Read(Theme& theme, bool mirrored) {
  std::shared_ptr<const Image>& image = mirrored ? theme.mirrored : theme.plain;
  image = Shared(folder_ + theme.name + ".png", mirrored ? Form::kMirrored : Form::kPlain);
  return *image;
}

const Image& Sprites::Behind(int index) {
  Theme& found = backdrops_.at(static_cast<std::size_t>(index));
  if (found.plain == nullptr) {
    found.plain = Shared(folder_ + found.name + ".png", Form::kBackdrop);
  }
  return *found.plain;
}

}  // namespace envpool::procgen
