// SPDX-License-Identifier: Apache-2.0
#include "game/game.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "envpool/error.h"
#include "envpool/logging.h"

namespace envpool::nethack {
namespace {

constexpr int kSpace = 32;
constexpr int kMostSpaces = 1000;       // as nle
constexpr int kInMoveLoop = 3;          // index in program_state: 1 if the player may act
constexpr std::size_t kKeysShown = 50;  // last keys of a crashed game in the warning
constexpr std::size_t kKeysReserved = std::size_t{1} << 14;

std::atomic<std::int64_t> loaded_from_memory{0}, loaded_by_keys{0};

template <std::size_t N>
void CopyText(char (&to)[N], const std::string& from) {
  if (from.size() >= N) throw std::runtime_error("a text that is too long for NetHack: " + from);
  std::memcpy(to, from.c_str(), from.size() + 1);
}

}  // namespace

Game::Game(GameSettings settings)
    : settings_(std::move(settings)),
      bank_(settings_.levels.empty() ? nullptr : LevelBank::Of(settings_.levels)),
      folder_(settings_.data),
      screen_(settings_.keys, settings_.lent_key),
      start_(std::make_unique<StartSettings>()),
      library_(LoadLibrary(settings_.library, settings_.loader)) {
  CopyText(start_->hackdir, folder_.path());
  CopyText(start_->options, settings_.options);
  start_->spawn_monsters = settings_.spawn_monsters ? 1 : 0;
  start_->fix_moon_phase = settings_.fix_moon_phase;
  CopyText(start_->wizkit, settings_.wizkit);
  if (!settings_.recordings.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(settings_.recordings, ignored);
    const std::string scores = RecordingStem();
    CopyText(start_->scoreprefix, scores);
    if (!std::ofstream(scores + "xlogfile", std::ios::app)) {
      throw std::runtime_error("cannot write into savedir=" + settings_.recordings);
    }
  }
  pressed_.reserve(kKeysReserved);
}

bool Game::CanBegin() {
  PutLevel(0);
  start_->seeds.use_init = true;
  const bool begins = Start(nullptr);
  over_ = true;
  return begins;
}

void Game::Begin(const GameSeeds& seeds) {
  seeds_ = seeds;
  foreign_memory_ = {};
  if (!folder_.Clear()) level_ = -1;
  PutLevel(seeds.level);
  screen_.Clear();
  pressed_.clear();
  const auto core = static_cast<std::uint64_t>(seeds.core);
  start_->seeds = {.core = core,
                   .disp = static_cast<std::uint64_t>(seeds.disp),
                   .reseed = 0,
                   .use_init = true,
                   .lgen = seeds.lgen < 0 ? 0 : static_cast<std::uint64_t>(seeds.lgen),
                   .use_lgen = seeds.lgen >= 0};
  start_->time_seed = core + 1;  // as nle
  start_->time_seed_is_set = settings_.fix_moon_phase;
  if (!Start(Record())) {
    throw std::runtime_error("NetHack did not begin a game with the options '" + settings_.options +
                             "'");
  }
  pressed_.clear();
}

// Returns true if the game reached the point where the player may act.
bool Game::Start(std::FILE* recording) {
  Note(library_->Start(screen_.observation(), *start_, settings_.clock, recording));
  const int* const state = screen_.observation().program_state;
  for (int i = 0; i < kMostSpaces && !over_ && state[kInMoveLoop] == 0; ++i) Press(kSpace);
  return !over_ && state[kInMoveLoop] != 0;
}

// The names of nle's files, with the environment's number after the process's, so that several
// environments can write.
std::string Game::RecordingStem() const {
  return settings_.recordings + "/nle." + std::to_string(getpid()) + "-" +
         std::to_string(settings_.env_id) + ".";
}

// The file of the next game; null if it is not recorded.
std::FILE* Game::Record() {
  const std::int64_t number = begun_++;
  CopyText(start_->ttyrecname, "");
  if (settings_.recordings.empty() || number % settings_.record_every != 0) return nullptr;
  const std::string path = RecordingStem() + std::to_string(number) + ".ttyrec3.bz2";
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw std::runtime_error("cannot write " + path);
  // The list of scores contains this name; nle's reader expects it without a folder.
  CopyText(start_->ttyrecname, path.substr(path.rfind('/') + 1));
  return file;
}

bool Game::Press(int key) {
  pressed_.push_back(static_cast<std::uint8_t>(key));
  if (!foreign_memory_.empty()) foreign_memory_ = {};
  screen_.observation().action = key;
  return Note(library_->Press(screen_.observation()));
}

void Game::Save(StateWriter& out) const {
  if (!foreign_memory_.empty()) {
    out.Write(seeds_, pressed_, over_, true, foreign_memory_);
    return;
  }
  StateWriter memory;
  const bool has_memory = library_->SaveMemory(memory);
  if (!library_->guards() || (settings_.clock == 0 && !has_memory)) {
    throw Error(ErrorKind::kSavedState, "save_state()", "games of a library that the system loaded",
                "games whose memory is known here, which the loader \"own\" makes",
                "make the pool without loader=\"dlopen\"");
  }
  if (has_memory) {
    screen_.Save(memory);
    folder_.Save(memory);
  }
  out.Write(seeds_, pressed_, over_, has_memory, memory.Take());
}

void Game::Load(StateReader& in) {
  GameSeeds seeds;
  std::vector<std::uint8_t> keys;
  bool over = false, has_memory = false;
  std::string memory;
  in.Read(seeds, keys, over, has_memory, memory);
  if (seeds.level < 0 || seeds.level >= num_levels()) {
    throw std::runtime_error("a state of level " + std::to_string(seeds.level) + " of " +
                             std::to_string(num_levels()));
  }
  StateReader reader(memory.data(), memory.size());
  if (has_memory && library_->LoadMemory(reader)) {
    screen_.Load(reader);
    if (!folder_.Load(reader)) level_ = -1;
    PutLevel(seeds.level);
    seeds_ = seeds;
    pressed_ = keys;
    over_ = over;
    foreign_memory_ = {};
    ++loaded_from_memory;
    return;
  }
  if (settings_.clock == 0) {
    throw std::runtime_error(
        "a game that saw the machine's clock is loaded only into the environment that saved it; "
        "make the pool with another clock, as the default");
  }
  Replay(seeds, keys, over);
  foreign_memory_ = std::move(memory);
  ++loaded_by_keys;
}

void Game::Replay(const GameSeeds& seeds, const std::vector<std::uint8_t>& keys, bool over) {
  std::vector<std::byte> unseen(settings_.lent_key.empty() ? 0 : kLargestArray);
  const ArrayLoan loan = Lend(unseen.data(), unseen.size());
  Begin(seeds);
  for (const std::uint8_t key : keys) {
    if (over_) break;
    Press(key);
  }
  if (over_ != over || pressed_ != keys) {
    throw std::runtime_error("the keys of the state gave another game; was it another library?");
  }
}

std::pair<std::int64_t, std::int64_t> Game::loads() {
  return {loaded_from_memory.load(), loaded_by_keys.load()};
}

void Game::PutLevel(std::int64_t level) {
  if (bank_ == nullptr || level_ == level) return;
  folder_.Put("mylevel.lev", bank_->level(static_cast<std::size_t>(level)));
  level_ = level;
}

bool Game::Note(Outcome outcome) {
  over_ = outcome != Outcome::kGoesOn;
  if (outcome == Outcome::kFault) {
    ++faults_;
    Warn();
  }
  return over_;
}

// Once per process: a game that crashes may crash in each of many environments.
void Game::Warn() const {
  static std::atomic<bool> warned{false};
  if (warned.exchange(true)) return;
  std::string keys;
  const std::size_t first = pressed_.size() - std::min(pressed_.size(), kKeysShown);
  for (std::size_t i = first; i < pressed_.size(); ++i) {
    keys += (keys.empty() ? "" : " ") + std::to_string(pressed_[i]);
  }
  LOG(WARNING) << "a game of NetHack crashed, and ended by that alone: core=" << seeds_.core
               << ", disp=" << seeds_.disp << ", lgen=" << seeds_.lgen << ", after "
               << pressed_.size() << " keys, the last ones: " << keys
               << ". Further ones are counted in info[\"faults\"] only";
}

}  // namespace envpool::nethack
