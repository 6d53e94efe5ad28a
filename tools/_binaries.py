# SPDX-License-Identifier: Apache-2.0
"""An extension module's requirements on the machine that loads it, read with objdump (binutils).

    for problem in problems(Path("_classic.cpython-311-x86_64-linux-gnu.so"), roots=[Path.cwd()]):
        print(problem)

objdump comes with every gcc.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

# Libraries of every Linux. A family opens other libraries, as OpenGL, at run time: a library in the
# wheel would be a second one beside the driver's own, and a wheel that is linked to it cannot be
# imported on a machine without it.
LINKED = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"}
LINKED |= {"libgcc_s.so.1", "libstdc++.so.6"}
LOADERS = ("ld-linux", "ld-musl", "libc.musl")
GRAPHICS = ("libGL", "libEGL", "libOSMesa", "libGLX", "libOpenGL", "libX11", "libxcb", "libvulkan")
# Folders that exist only on the machine that built the module.
BUILD_PATH = re.compile(rb"/(?:home|root|tmp|var/tmp|build|Users|private)/[\x21-\x7e]{2,}")

# Instructions that a CPU of the x86-64 baseline, of 2003, lacks. A compiler with the option
# -march=native writes AVX wherever there is floating point, BMI elsewhere; the others are here for
# flags like -msse4.2. Not named: tzcnt, which the baseline reads as bsf, and gcc writes so.
_VECTOR = re.compile(r"%[yz]mm|%k[0-7]")
_NEWER = re.compile(
    r"v[a-z]\w+|andn|bextr|bls(i|r|msk)|bzhi|mulx|p(dep|ext)|(ro|sa|sh)rx|shlx|popcnt|lzcnt|movbe"
    r"|ad[co]x|crc32\w?|aes\w+|sha(1|256)\w+|pclmul\w+|lddqu|addsubp[sd]|h(add|sub)p[sd]|mov(d|sh|sl)dup"
    r"|ps(hufb|ign[bwd])|ph(add|sub)s?[wd]|pabs[bwd]|pm(addubs|ulhrs)w|palignr|round[sp][sd]|ptest"
    r"|pblend(w|vb)|blendv?p[sd]|pmov[sz]x\w\w|pmulld|pmuldq|p(min|max)(sb|sd|uw|ud)|dpp[sd]"
    r"|p(insr|extr)[bdq]|(insert|extract)ps|pcmp[ei]str[im]|pcmpeqq|pcmpgtq|packusdw|movntdqa"
)
_NOT_NEWER = {"verr", "verw"}
_TIMEOUT = 120  # seconds for objdump


def linked(module: Path) -> list[str]:
    """The shared libraries that are loaded with a module, by name, sorted."""
    return sorted(re.findall(r"^\s+NEEDED\s+(\S+)$", _objdump("-p", module), re.MULTILINE))


def problems(module: Path, roots: Iterable[Path] = (), beside: Iterable[str] = ()) -> Iterator[str]:
    """Problems of loading a module on other machines, and traces of the machine that built it.

    Args:
        module: An ELF file for Linux.
        roots: Folders of the build machine that the module must not contain.
        beside: Libraries that the wheel has, by their paths from the module's folder.

    Yields:
        A line for each problem.
    """
    own = {Path(path).name: Path(path).parent for path in beside}
    own = {name: folder for name, folder in own.items() if name in linked(module)}
    for library in linked(module):
        if library in own:
            continue
        if library.startswith(GRAPHICS):
            yield f"is linked to {library}, which a machine without a screen may lack: open it late"
        elif library not in LINKED and not library.startswith(LOADERS):
            yield f"is linked to {library}, which not every Linux has: open it when it is needed"
    private = _objdump("-p", module)
    paths = {f"$ORIGIN/{folder}" for folder in own.values()}
    for kind, path in re.findall(r"^\s+(R(?:UN)?PATH)\s+(\S+)$", private, re.MULTILINE):
        if path in paths:
            continue
        yield f"has a {kind}, {path}: libraries would be looked for there"
    if ".debug_info" in _objdump("-h", module):
        yield "has debugging information: build it as Release"
    content = module.read_bytes()
    found = {match.decode() for match in BUILD_PATH.findall(content)}
    found |= {str(root) for root in roots if str(root).encode() in content}
    for path in sorted(found)[:5]:
        yield f"names a path of the machine that built it, {path}"
    newer = sorted(newer_instructions(module))
    if newer:
        yield f"has instructions that not every x86-64 has ({', '.join(newer[:5])}): -march=native?"


def newer_instructions(module: Path) -> set[str]:
    """The instructions in a module that the x86-64 baseline lacks, unless it chooses at run time.

    Empty for other CPUs.
    """
    # An objdump that does not know the CPU cannot list its instructions.
    if "file format elf64-x86-64" not in _objdump("-f", module):
        return set()
    listing = _objdump("-d", "--no-show-raw-insn", module)
    found = set()
    # A line is "  address:<tab>mnemonic operands"; many thousands of them are equal.
    texts = {line.partition("\t")[2].strip() for line in listing.splitlines()}
    # Code that reads the CPU's kind chooses by it. A compiler option does not.
    if "cpuid" in texts:
        return set()
    for text in texts:
        mnemonic = text.split(maxsplit=1)[0] if text else ""
        newer = _NEWER.fullmatch(mnemonic) and mnemonic not in _NOT_NEWER
        if newer or _VECTOR.search(text):
            found.add(mnemonic)
    return found


def _objdump(*arguments: str | Path) -> str:
    command = ["objdump", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT, check=True)
    return done.stdout
