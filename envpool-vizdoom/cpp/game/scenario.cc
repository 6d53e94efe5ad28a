// SPDX-License-Identifier: Apache-2.0
#include "game/scenario.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "envpool/error.h"
#include "game/names.h"

namespace envpool::vizdoom {
namespace {

using envpool::OptionError;

struct Size {
  int width, height;
};
/// The engine's resolutions; 84x84 is not among them.
constexpr std::array<Size, 36> kResolutions{
    {{160, 120},  {200, 125},   {200, 150},  {256, 144},   {256, 160},   {256, 192},
     {320, 180},  {320, 200},   {320, 240},  {320, 256},   {400, 225},   {400, 250},
     {400, 300},  {512, 288},   {512, 320},  {512, 384},   {640, 360},   {640, 400},
     {640, 480},  {800, 450},   {800, 500},  {800, 600},   {1024, 576},  {1024, 640},
     {1024, 768}, {1280, 720},  {1280, 800}, {1280, 960},  {1280, 1024}, {1400, 787},
     {1400, 875}, {1400, 1050}, {1600, 900}, {1600, 1000}, {1600, 1200}, {1920, 1080}}};

std::string Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// Normalizes a key: "living_reward" and "LivingReward" are equal.
std::string PlainKey(const std::string& key) {
  std::string plain = Upper(key);
  std::erase(plain, '_');
  return plain;
}

template <typename T>
std::optional<T> Number(const std::string& text) {
  T value{};
  const char* begin = text.data();
  const char* const end = begin + text.size();
  // ViZDoom 1.3.2 accepts "+1", std::from_chars does not.
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') ++begin;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

/// Reads one file; every error names the line.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), in_(path) {
    if (!in_) {
      throw OptionError("cfg_path", "no file that can be read at '" + path + "'",
                        "the path of a ViZDoom configuration, as scenarios/basic.cfg",
                        "correct the path");
    }
  }

  Scenario Read() {
    std::string line;
    while (NextLine(line)) {
      const std::size_t equals = line.find('=');
      if (equals == std::string::npos) Refuse("'" + line + "'", "lines as 'key = value'");
      const bool appends = equals > 0 && line[equals - 1] == '+';
      const std::string key = PlainKey(Trim(line.substr(0, equals - (appends ? 1 : 0))));
      Set(key, Trim(line.substr(equals + 1)), appends);
    }
    return std::move(scenario_);
  }

 private:
  [[noreturn]] void Refuse(const std::string& got, const std::string& allowed) const {
    throw OptionError("cfg_path", got + " in line " + std::to_string(line_) + " of " + path_,
                      allowed, "correct the file");
  }

  /// Reads the next line that is not empty or a comment.
  bool NextLine(std::string& line) {
    while (std::getline(in_, line)) {
      ++line_;
      line = Trim(line);
      if (!line.empty() && line[0] != '#') return true;
    }
    return false;
  }

  void Set(const std::string& key, const std::string& value, bool appends) {
    if (key == "AVAILABLEBUTTONS") {
      SetList(scenario_.buttons, List(value), appends, FindButton, "buttons of ViZDoom");
    } else if (key == "AVAILABLEGAMEVARIABLES") {
      SetList(scenario_.variables, List(value), appends, FindVariable, "game variables of ViZDoom");
    } else if (key == "GAMEARGS") {
      if (!appends) scenario_.arguments.clear();
      for (std::string& word : Words(value)) scenario_.arguments.push_back(std::move(word));
    } else if (appends) {
      Refuse("'+=' for one value", "'+=' for lists and game_args");
    } else if (!(SetNumber(key, value) || SetReward(key, value) || SetFlag(key, value) ||
                 SetWord(key, value))) {
      Refuse("the key '" + key + "'", "keys of ViZDoom's configurations");
    }
  }

  /// Reads the words between braces, which may span several lines.
  std::vector<std::string> List(std::string text) {
    std::string line;
    while (text.find('}') == std::string::npos && NextLine(line)) text += " " + line;
    if (text.empty()) Refuse("nothing after '='", "a list in braces");
    text = Trim(text);
    if (text.front() != '{' || text.back() != '}') Refuse("'" + text + "'", "a list in braces");
    return Words(text.substr(1, text.size() - 2));
  }

  void SetList(std::vector<int>& list, const std::vector<std::string>& words, bool appends,
               int (*find)(std::string_view), const std::string& allowed) {
    if (!appends) list.clear();
    for (const std::string& word : words) {
      const int number = find(word);
      if (number < 0) Refuse("'" + word + "'", allowed);
      // A repeated name counts once, as in ViZDoom.
      if (std::find(list.begin(), list.end(), number) == list.end()) list.push_back(number);
    }
  }

  bool SetNumber(const std::string& key, const std::string& value) {
    unsigned skill = 0, ignored = 0;
    unsigned* const target = key == "EPISODETIMEOUT"            ? &scenario_.timeout
                             : key == "EPISODESTARTTIME"        ? &scenario_.start_tic
                             : key == "DOOMSKILL"               ? &skill
                             : key == "TICRATE"                 ? &scenario_.tics_per_second
                             : key == "AUDIOBUFFERSIZE"         ? &scenario_.audio_tics
                             : key == "SEED"                    ? &ignored
                             : key == "NOTIFICATIONSBUFFERSIZE" ? &ignored
                                                                : nullptr;
    if (target == nullptr) return false;
    const auto number = Number<unsigned>(value);
    if (!number) Refuse("'" + value + "'", "a whole number of 0 or more");
    *target = *number;
    if (target == &skill) {
      if (skill < 1 || skill > 5) Refuse("skill " + value, "1 .. 5");
      scenario_.skill = static_cast<int>(skill);
    }
    return true;
  }

  bool SetReward(const std::string& key, const std::string& value) {
    ScenarioRewards& rewards = scenario_.rewards;
    struct Row {
      std::string_view key;
      double& value;
      double sign = 1;
    };
    const Row rows[] = {{"LIVINGREWARD", rewards.living},
                        {"DEATHPENALTY", rewards.death_penalty},
                        {"DEATHREWARD", rewards.death_penalty, -1},
                        {"MAPEXITREWARD", rewards.map_exit},
                        {"KILLREWARD", rewards.kill},
                        {"ITEMREWARD", rewards.item},
                        {"SECRETREWARD", rewards.secret},
                        {"FRAGREWARD", rewards.frag},
                        {"HITREWARD", rewards.hit},
                        {"HITTAKENPENALTY", rewards.hit_taken_penalty},
                        {"HITTAKENREWARD", rewards.hit_taken_penalty, -1},
                        {"DAMAGEMADEREWARD", rewards.damage_made},
                        {"DAMAGETAKENPENALTY", rewards.damage_taken_penalty},
                        {"DAMAGETAKENREWARD", rewards.damage_taken_penalty, -1},
                        {"HEALTHREWARD", rewards.health},
                        {"ARMORREWARD", rewards.armor}};
    for (const Row& row : rows) {
      if (key != row.key) continue;
      const auto number = Number<double>(value);
      if (!number) Refuse("'" + value + "'", "a number");
      row.value = row.sign * *number;
      return true;
    }
    return false;
  }

  bool SetFlag(const std::string& key, const std::string& value) {
    struct Row {
      std::string_view key;
      int bit;  // of the render mode; 0: no effect here
    };
    constexpr Row kRows[] = {{"RENDERHUD", 1},
                             {"RENDERMINIMALHUD", 2},
                             {"RENDERWEAPON", 4},
                             {"RENDERCROSSHAIR", 8},
                             {"RENDERDECALS", 16},
                             {"RENDERPARTICLES", 32},
                             {"RENDEREFFECTSSPRITES", 64},
                             {"RENDERMESSAGES", 128},
                             {"AUTOMAPROTATE", 256},
                             {"AUTOMAPRENDERTEXTURES", 512},
                             {"AUTOMAPRENDEROBJECTSASSPRITES", 1024},
                             {"RENDERCORPSES", 2048},
                             {"RENDERSCREENFLASHES", 4096},
                             {"DEPTHBUFFERENABLED", 0},
                             {"LABELSBUFFERENABLED", 0},
                             {"AUTOMAPBUFFERENABLED", 0},
                             {"AUDIOBUFFERENABLED", 0},
                             {"NOTIFICATIONSBUFFERENABLED", 0},
                             {"OBJECTSINFOENABLED", 0},
                             {"SECTORSINFOENABLED", 0},
                             {"RENDERALLFRAMES", 0},
                             {"WINDOWVISIBLE", 0},
                             {"CONSOLEENABLED", 0},
                             {"SOUNDENABLED", 0}};
    for (const Row& row : kRows) {
      if (key != row.key) continue;
      const std::string flag = Upper(value);
      const bool on = flag == "TRUE" || flag == "1";
      if (!on && flag != "FALSE" && flag != "0") Refuse("'" + value + "'", "true or false");
      scenario_.render_mode =
          on ? scenario_.render_mode | row.bit : scenario_.render_mode & ~row.bit;
      return true;
    }
    return false;
  }

  bool SetWord(const std::string& key, const std::string& value) {
    if (value.empty()) Refuse("nothing after '='", "a value");
    const std::string word = Upper(value);
    if (key == "DOOMSCENARIOPATH") {
      scenario_.wad = Beside(value);
    } else if (key == "DOOMGAMEPATH") {
      scenario_.game_wad = Beside(value);
    } else if (key == "DOOMMAP") {
      scenario_.map = value;
    } else if (key == "SCREENRESOLUTION") {
      SetScreen(word);
    } else if (key == "SCREENFORMAT") {
      SetFormat(word);
    } else if (key == "AUTOMAPMODE") {
      constexpr std::string_view kModes[] = {"NORMAL", "WHOLE", "OBJECTS", "OBJECTS_WITH_SIZE"};
      const auto found = std::find(std::begin(kModes), std::end(kModes), word);
      if (found == std::end(kModes))
        Refuse("'" + value + "'", "normal, whole, objects or objects_with_size");
      scenario_.automap_mode = static_cast<int>(found - std::begin(kModes));
    } else if (key == "AUDIOSAMPLINGRATE") {
      const auto rate = Number<unsigned>(word.starts_with("SR_") ? word.substr(3) : word);
      if (rate != 11025u && rate != 22050u && rate != 44100u) {
        Refuse("'" + value + "'", "SR_11025, SR_22050 or SR_44100");
      }
      scenario_.audio_rate = *rate;
    } else {
      // The players and the limits of buttons are decided by this family, not by the file.
      return key == "MODE" || key == "VIZDOOMPATH" || key == "DOOMCONFIGPATH" ||
             key == "BUTTONMAXVALUE";
    }
    return true;
  }

  void SetScreen(const std::string& word) {
    const std::string size = word.starts_with("RES_") ? word.substr(4) : word;
    for (const Size& known : kResolutions) {
      if (size != std::to_string(known.width) + "X" + std::to_string(known.height)) continue;
      scenario_.width = known.width;
      scenario_.height = known.height;
      return;
    }
    Refuse("'" + word + "'", "a resolution of ViZDoom, as RES_320X240");
  }

  void SetFormat(const std::string& word) {
    // Colors are returned as planes, in any byte order of the file.
    if (word == "CRCGCB" || word == "RGB24" || word == "RGBA32" || word == "ARGB32") {
      scenario_.format = ScreenFormat::kRgbPlanes;
    } else if (word == "CBCGCR" || word == "BGR24" || word == "BGRA32" || word == "ABGR32") {
      scenario_.format = ScreenFormat::kBgrPlanes;
    } else if (word == "GRAY8") {
      scenario_.format = ScreenFormat::kGray;
    } else if (word == "DOOM_256_COLORS8") {
      scenario_.format = ScreenFormat::kPalette;
    } else {
      Refuse("'" + word + "'", "a screen format of ViZDoom, as CRCGCB or GRAY8");
    }
  }

  /// A path relative to the file's folder.
  std::string Beside(const std::string& path) const {
    return (std::filesystem::path(path_).parent_path() / path).string();
  }

  const std::string path_;
  std::ifstream in_;
  int line_ = 0;
  Scenario scenario_;
};

}  // namespace

Scenario ReadScenario(const std::string& path) { return Reader(path).Read(); }

void SetResolution(Scenario& scenario, const std::string& text) {
  std::vector<std::string> names;
  for (const Size& known : kResolutions) {
    names.push_back(std::to_string(known.width) + "x" + std::to_string(known.height));
    if (text != names.back()) continue;
    scenario.width = known.width;
    scenario.height = known.height;
    return;
  }
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  throw OptionError("render_resolution", "'" + text + "'", "'' for that of the scenario, " + all,
                    "pass one of these", names);
}

}  // namespace envpool::vizdoom
