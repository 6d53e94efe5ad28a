// SPDX-License-Identifier: Apache-2.0
// The games that are computed here, one file each in own/games/.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "own/world.h"

namespace envpool::procgen {

std::unique_ptr<World> MakeBigfish(const Settings& settings, const std::string& image_folder);
std::unique_ptr<World> MakeChaser(const Settings& settings, const std::string& image_folder);
std::unique_ptr<World> MakeHeist(const Settings& settings, const std::string& image_folder);
std::unique_ptr<World> MakeLeaper(const Settings& settings, const std::string& image_folder);
std::unique_ptr<World> MakeMaze(const Settings& settings, const std::string& image_folder);
std::unique_ptr<World> MakeMiner(const Settings& settings, const std::string& image_folder);
std::unique_ptr<World> MakePlunder(const Settings& settings, const std::string& image_folder);

/// Pictures behind levels; Procgen's groups.
inline constexpr std::string_view kTopdownBackgrounds[] = {
    "topdown_backgrounds/floortiles.png",          "topdown_backgrounds/backgrounddetailed1.png",
    "topdown_backgrounds/backgrounddetailed2.png", "topdown_backgrounds/backgrounddetailed3.png",
    "topdown_backgrounds/backgrounddetailed4.png", "topdown_backgrounds/backgrounddetailed5.png",
    "topdown_backgrounds/backgrounddetailed6.png", "topdown_backgrounds/backgrounddetailed7.png",
    "topdown_backgrounds/backgrounddetailed8.png"};
inline constexpr std::string_view kPlainBackgrounds[] = {"topdown_backgrounds/floortiles.png"};
inline constexpr std::string_view kWaterBackgrounds[] = {
    "water_backgrounds/water1.png",      "water_backgrounds/water2.png",
    "water_backgrounds/water3.png",      "water_backgrounds/water4.png",
    "water_backgrounds/underwater1.png", "water_backgrounds/underwater2.png",
    "water_backgrounds/underwater3.png"};
inline constexpr std::string_view kWaterSurfaces[] = {
    "water_backgrounds/water1.png", "water_backgrounds/water2.png", "water_backgrounds/water3.png",
    "water_backgrounds/water4.png"};
inline constexpr std::string_view kPlatformBackgrounds[] = {
    "platform_backgrounds/alien_bg.png",
    "platform_backgrounds/another_world_bg.png",
    "platform_backgrounds/back_cave.png",
    "platform_backgrounds/caverns.png",
    "platform_backgrounds/cyberpunk_bg.png",
    "platform_backgrounds/parallax_forest.png",
    "platform_backgrounds/scifi_bg.png",
    "platform_backgrounds/scifi2_bg.png",
    "platform_backgrounds/living_tissue_bg.png",
    "platform_backgrounds/airadventurelevel1.png",
    "platform_backgrounds/airadventurelevel2.png",
    "platform_backgrounds/airadventurelevel3.png",
    "platform_backgrounds/airadventurelevel4.png",
    "platform_backgrounds/cave_background.png",
    "platform_backgrounds/blue_desert.png",
    "platform_backgrounds/blue_grass.png",
    "platform_backgrounds/blue_land.png",
    "platform_backgrounds/blue_shroom.png",
    "platform_backgrounds/colored_desert.png",
    "platform_backgrounds/colored_grass.png",
    "platform_backgrounds/colored_land.png",
    "platform_backgrounds/colored_shroom.png",
    "platform_backgrounds/landscape1.png",
    "platform_backgrounds/landscape2.png",
    "platform_backgrounds/landscape3.png",
    "platform_backgrounds/landscape4.png",
    "platform_backgrounds/battleback1.png",
    "platform_backgrounds/battleback2.png",
    "platform_backgrounds/battleback3.png",
    "platform_backgrounds/battleback4.png",
    "platform_backgrounds/battleback5.png",
    "platform_backgrounds/battleback6.png",
    "platform_backgrounds/battleback7.png",
    "platform_backgrounds/battleback8.png",
    "platform_backgrounds/battleback9.png",
    "platform_backgrounds/battleback10.png",
    "platform_backgrounds/sunrise.png",
    "platform_backgrounds_2/beach1.png",
    "platform_backgrounds_2/beach2.png",
    "platform_backgrounds_2/beach3.png",
    "platform_backgrounds_2/beach4.png",
    "platform_backgrounds_2/fantasy1.png",
    "platform_backgrounds_2/fantasy2.png",
    "platform_backgrounds_2/fantasy3.png",
    "platform_backgrounds_2/fantasy4.png",
    "platform_backgrounds_2/candy1.png",
    "platform_backgrounds_2/candy2.png",
    "platform_backgrounds_2/candy3.png",
    "platform_backgrounds_2/candy4.png",
    "space_backgrounds/deep_space_01.png",
    "space_backgrounds/spacegen_01.png",
    "space_backgrounds/milky_way_01.png",
    "space_backgrounds/ez_space_lite_01.png",
    "space_backgrounds/meyespace_v1_01.png",
    "space_backgrounds/eye_nebula_01.png",
    "space_backgrounds/deep_sky_01.png",
    "space_backgrounds/space_nebula_01.png",
    "space_backgrounds/Background-1.png",
    "space_backgrounds/Background-2.png",
    "space_backgrounds/Background-3.png",
    "space_backgrounds/Background-4.png",
    "space_backgrounds/parallax-space-backgound.png"};

}  // namespace envpool::procgen
