// SPDX-License-Identifier: Apache-2.0
// Compiled models, each loaded once and shared by all environments that use it.
//
//   std::shared_ptr<const mjModel> model = ModelStore::Load("/usr/share/robots/walker.xml");
//   std::string key = ModelStore::Add("cartpole", xml, {{"common/skybox.xml", bytes}, ...});
//   ModelStore::Load(key);
//   model = ModelStore::Built(path, "no hat", [](mjSpec& s) { mjs_delete(&s, ...); });
//   model = ModelStore::Quick(model);   // the same numbers in less time, if the model is known
//   model = ModelStore::Edited(model, "stiff", [](mjModel& m) { m.opt.timestep = .001; });
//
// Loading a model takes milliseconds to seconds and up to 70 MB. A model lives as long as a shared
// pointer to it. The model that was loaded last is also kept here, since a spec loads it before a
// pool does.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "envpool/dict.h"
#include "envpool/error.h"
#include "envpool_mujoco/detail/listed_pairs.h"
#include "envpool_mujoco/detail/load_model.h"
#include "envpool_mujoco/detail/model_files.h"
#include "envpool_mujoco/library.h"

namespace envpool::mujoco {

using SharedModel = std::shared_ptr<const mjModel>;
/// Files that a model refers to: names and contents.
using ModelFiles = std::map<std::string, std::string>;

/// The numbers of a model's elements, as int: MuJoCo's own numbers have 64 bits.
struct ModelSizes {
  explicit ModelSizes(const mjModel& model)
      : nq(static_cast<int>(model.nq)),
        nv(static_cast<int>(model.nv)),
        nu(static_cast<int>(model.nu)),
        na(static_cast<int>(model.na)),
        nbody(static_cast<int>(model.nbody)),
        njnt(static_cast<int>(model.njnt)),
        ntendon(static_cast<int>(model.ntendon)) {}
  int nq, nv, nu, na, nbody, njnt, ntendon;
};

/// The argument of ModelStore::Load for the option `xml_file`: a file in the folder `base_path`,
/// unless it begins with "." or "/", or is a key or the text of a model.
template <typename Config>
std::string ModelIn(const Config& config) {
  using namespace envpool::literals;
  const std::string& file = config["xml_file"_];
  if (file.empty() || std::string("./@<").find(file[0]) != std::string::npos) return file;
  return (std::filesystem::path(std::string(config["base_path"_])) / file).string();
}

class ModelStore {
 public:
  /// The model of a path, of a key that `Add` returned, or of XML text. Throws OptionError for
  /// `option` if there is none, or MuJoCo cannot compile it.
  static SharedModel Load(const std::string& path, const std::string& option = "xml_file") {
    return Instance().Find(Stored(path), option);
  }
  /// The model of Load's argument, compiled after `edit` has changed the parsed model; shared by
  /// all calls with this `name`. Throws OptionError as Load does.
  static SharedModel Built(const std::string& path, const std::string& name, const SpecEdit& edit) {
    return Instance().Find(Stored(path), "xml_file", name, edit);
  }
  /// Keeps the text of a model and its files, and returns their key; `name` is for messages. The
  /// same text and files have the same key. Other files are read from disk, as if the text were a
  /// file in `folder`.
  static std::string Add(const std::string& name, const std::string& xml, const ModelFiles& files,
                         const std::string& folder = "") {
    return Instance().Keep(name, {xml, files, folder});
  }
  /// The model with quicker contact search: without the middle phase of collision detection, with a
  /// list of pairs, and without constraint islands if nothing but one robot moves (several
  /// unconnected bodies may be several islands, with other roundings). It is shared by all callers.
  /// Use it only for models for which a comparison has shown equal numbers: the middle phase may
  /// order contacts otherwise.
  static SharedModel Quick(const SharedModel& model) { return Instance().Variant(model); }
  /// A copy of the model, changed by `edit`; shared by all calls with this `name`. The edit runs in
  /// a LibraryCall, and only if no such copy is alive.
  static SharedModel Edited(const SharedModel& model, const std::string& name,
                            const std::function<void(mjModel&)>& edit) {
    return Instance().Copy(model, name, edit);
  }

 private:
  struct Source {
    std::string xml;
    ModelFiles files;
    std::string folder;
  };
  struct Known {
    std::weak_ptr<const mjModel> model;
    std::vector<FileState> files;  // the files of the model
  };
  static constexpr char kKeyMark = '@';  // no path begins with it

  static ModelStore& Instance() {
    static ModelStore store;
    return store;
  }
  static void Delete(const mjModel* model) { mj_deleteModel(const_cast<mjModel*>(model)); }
  /// The key of XML text; a path or a key is returned unchanged.
  static std::string Stored(const std::string& path) {
    return path.starts_with('<') ? Add("text", path, {}) : path;
  }

  std::string Keep(const std::string& name, Source source) {
    const std::hash<std::string> hash;
    std::size_t digest = hash(source.xml) * 31 + hash(source.folder);
    for (const auto& [file, content] : source.files) {
      digest = digest * 31 + hash(file) + hash(content);
    }
    const std::string key = kKeyMark + name + "-" + std::to_string(digest);
    const std::scoped_lock lock(mutex_);
    sources_.try_emplace(key, std::move(source));
    return key;
  }

  SharedModel Find(const std::string& path, const std::string& option,
                   const std::string& edit_name = "", const SpecEdit& edit = nullptr) {
    const std::scoped_lock lock(mutex_);
    const std::pair<std::string, std::string> key(path, edit_name);
    if (const auto known = models_.find(key); known != models_.end()) {
      SharedModel model = known->second.model.lock();
      // With another file it would be another model.
      if (model != nullptr && Unchanged(known->second.files)) return latest_ = model;
    }
    const bool stored = path.starts_with(kKeyMark);
    // Before the files are read: a change in between is detected the next time.
    std::vector<FileState> files;
    if (!stored) {
      files = FilesOf(path);
    } else if (const auto source = sources_.find(path); source != sources_.end()) {
      files = FilesOfText(source->second.xml, source->second.folder);
    }
    CheckFiles(files, option);
    SharedModel model = stored ? Compile(path, option, edit) : Read(path, option, edit);
    std::erase_if(models_, [](const auto& item) { return item.second.model.expired(); });
    models_[key] = {model, std::move(files)};
    return latest_ = model;
  }

  /// MuJoCo would wait for a pipe's writer for ever, and read files without a size limit.
  static void CheckFiles(const std::vector<FileState>& files, const std::string& option) {
    constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
    const std::string allowed = "regular files of at most 1 GiB";
    for (const FileState& file : files) {
      if (!file.exists() || file.is_folder()) continue;
      if (!file.is_regular()) {
        throw envpool::OptionError(option, "'" + file.path + "', a pipe or a device", allowed,
                                   "pass the path of a file");
      }
      if (file.size() <= kMostBytes) continue;
      throw envpool::OptionError(option,
                                 "'" + file.path + "' of " + std::to_string(file.size()) + " bytes",
                                 allowed, "correct the path");
    }
  }

  SharedModel Variant(const SharedModel& model) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(variants_, [](const auto& item) { return item.second.expired(); });
    std::weak_ptr<const mjModel>& place = variants_[model.get()];
    if (SharedModel known = place.lock()) return known;
    auto variant = std::make_unique<mjModel>(*model);
    variant->opt.disableflags |= mjDSBL_MIDPHASE | (model->ntree == 1 ? mjDSBL_ISLAND : 0);
    // The arrays belong to the model, which this pointer keeps alive.
    SharedModel shared(variant.get(), [model](const mjModel* copy) { delete copy; });
    static_cast<void>(variant.release());
    shared = WithListedPairs(shared);
    place = shared;
    return shared;
  }

  SharedModel Copy(const SharedModel& model, const std::string& name,
                   const std::function<void(mjModel&)>& edit) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(edited_, [](const auto& item) { return item.second.expired(); });
    std::weak_ptr<const mjModel>& place = edited_[{model.get(), name}];
    if (SharedModel known = place.lock()) return known;
    InstallLogHandler();
    const LibraryCall call;
    std::unique_ptr<mjModel, void (*)(const mjModel*)> copy(mj_copyModel(nullptr, model.get()),
                                                            Delete);
    if (copy == nullptr) throw MujocoError("there is not enough memory for a model");
    edit(*copy);
    // Keeps the source model alive, so that no other model gets its address.
    SharedModel shared(copy.release(), [model](const mjModel* own) { Delete(own); });
    place = shared;
    return shared;
  }

  static SharedModel Read(const std::string& path, const std::string& option,
                          const SpecEdit& edit) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) {
      throw envpool::OptionError(option, "'" + path + "', which is no file",
                                 "the path of a MuJoCo model", "correct the path");
    }
    return Loaded(path, nullptr, path, option, edit);
  }

  SharedModel Compile(const std::string& key, const std::string& option, const SpecEdit& edit) {
    const auto source = sources_.find(key);
    if (source == sources_.end()) {
      throw envpool::OptionError(option, "'" + key + "', which nobody made",
                                 "what the family makes of a task", "leave the option out");
    }
    // On the heap, because it is large.
    const auto vfs = std::make_unique<mjVFS>();
    mj_defaultVFS(vfs.get());
    struct Closer {
      mjVFS* vfs;
      ~Closer() { mj_deleteVFS(vfs); }
    } const closer{vfs.get()};
    const auto add = [&](const std::string& name, const std::string& content) {
      mj_addBufferVFS(vfs.get(), name.c_str(), content.data(), static_cast<int>(content.size()));
    };
    for (const auto& [name, content] : source->second.files) add(name, content);
    const std::filesystem::path folder(source->second.folder);
    const std::string name = (folder / "model_.xml").string();
    add(name, source->second.xml);
    return Loaded(name, vfs.get(), key.substr(1, key.rfind('-') - 1), option, edit);
  }

  static SharedModel Loaded(const std::string& path, const mjVFS* vfs, const std::string& name,
                            const std::string& option, const SpecEdit& edit) {
    std::string error;
    try {
      return SharedModel(LoadModel(path, vfs, edit), Delete);
    } catch (const MujocoError& thrown) {
      error = thrown.what();
    }
    throw envpool::OptionError(option, "'" + name + "', of which MuJoCo says: " + error,
                               "a model that MuJoCo can compile", "correct the model");
  }

  std::mutex mutex_;
  std::map<std::string, Source> sources_;
  std::map<std::pair<std::string, std::string>, Known> models_;  // by path, and name of an edit
  std::map<const mjModel*, std::weak_ptr<const mjModel>> variants_;
  std::map<std::pair<const mjModel*, std::string>, std::weak_ptr<const mjModel>> edited_;
  SharedModel latest_;
};

}  // namespace envpool::mujoco
