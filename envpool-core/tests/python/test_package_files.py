# SPDX-License-Identifier: Apache-2.0
"""Files of packages that are found without an import: `envpool.package_files`.

Tests of the families with such files download the packages.
"""

import pytest
from envpool.errors import ConfigError, MissingPackageError
from envpool.package_files import PackageFile, user_cache

FILE = PackageFile(
    title="the map of the game",
    name="map.bin",
    inside=("data/map.bin", "game/data/map.bin"),
    option="map_path",
    variable="GAME_MAP",
    packages=("game_of_maps",),
    requirement="game-of-maps==1.0",
    download=("--no-index",),
    command="envpool game fetch",
    cache="game",
)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("GAME_MAP", raising=False)
    assert user_cache() == tmp_path / "cache" / "envpool"
    return user_cache() / "game"


def written(folder, inside=FILE.inside[0]):
    file = folder / inside
    file.parent.mkdir(parents=True)
    file.write_bytes(b"")
    return file


def test_the_order_of_places(tmp_path, monkeypatch, cache):
    in_cache = written(cache, FILE.inside[1])
    assert FILE.find() == in_cache
    in_package = written(tmp_path / "site" / "game_of_maps")
    (tmp_path / "site" / "game_of_maps" / "__init__.py").write_text("raise ImportError")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert FILE.find() == in_package
    named = written(tmp_path / "named")
    monkeypatch.setenv("GAME_MAP", str(tmp_path / "named"))
    assert FILE.find() == named
    assert [place.file for place in FILE.places()] == [named, in_package, in_cache]
    assert FILE.find(str(in_cache)) == in_cache
    assert FILE.find(str(cache)) == in_cache
    assert FILE.fetch() == in_cache  # without a download


def test_nothing_is_found(tmp_path, monkeypatch):
    with pytest.raises(MissingPackageError, match=r"none in \$GAME_MAP, .*`envpool game fetch`"):
        FILE.find()
    with pytest.raises(ConfigError, match=r"map_path.*no map\.bin.*data/map\.bin in it"):
        FILE.find(str(tmp_path))
    monkeypatch.setenv("GAME_MAP", str(tmp_path))
    with pytest.raises(ConfigError, match=r"\$GAME_MAP.*unset it"):
        FILE.find()


def test_a_download_without_pip(monkeypatch, cache):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match="no pip"):
        FILE.fetch()
    assert not cache.exists()
