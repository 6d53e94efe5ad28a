# SPDX-License-Identifier: Apache-2.0
"""A compiler's messages about a broken family: the first error names the key or the function.

Each case is counter.cc with one line changed. An author who reads the first line of the errors has
to learn what is wrong, and the lines around it have to lead into the author's own file.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import NamedTuple

import pybind11
import pytest

HERE = Path(__file__).parent
INCLUDE = HERE.parents[1] / "include"
SOURCE = (HERE / "counter.cc").read_text(encoding="utf-8")
CXX = os.environ.get("CXX", "g++")
COMPILERS = sorted({CXX, "clang++"} if shutil.which("clang++") else {CXX})
SYSTEM = [f"-isystem{path}" for path in (pybind11.get_include(), sysconfig.get_path("include"))]
FLAGS = ["-std=c++20", "-fvisibility=hidden", f"-I{INCLUDE}", *SYSTEM]


class Case(NamedTuple):
    """A mistake.

    Attributes:
        right: Part of counter.cc; all of its line is the author's mistake.
        wrong: The text in its place.
        error: Pattern for the first error.
        errors: The greatest number of errors: those after the first one do not help.
    """

    right: str
    wrong: str
    error: str
    errors: int = 1


STEP = "void Step(const Action& action) override { Write(n_ += action"
CASES = {
    "state key": Case('state["obs"_]', 'state["obz"_]', r'ThisDictHasNoKey<.*{"obz"}>'),
    "action key": Case('action["action"_]', 'action["act"_]', r'ThisDictHasNoKey<.*{"act"}>'),
    "config key": Case('_.config["goal"', '_.config["gaol"', r'ThisDictHasNoKey<.*{"gaol"}>'),
    "config key in a spec": Case(
        '0, config["goal"', '0, config["gaol"', r'ThisDictHasNoKey<.*{"gaol"}>'
    ),
    "no ActionSpec": Case("static auto ActionSpec", "static auto ActoinSpec", "ActionSpec: the "),
    "no StateSpec": Case("static auto StateSpec", "static auto StatesSpec", "StateSpec: the "),
    "no DefaultConfig": Case("auto DefaultConfig", "auto Default_Config", "DefaultConfig: the "),
    "a private spec": Case("static auto ActionSpec", "private: static auto ActionSpec", "ActionSp"),
    "StateSpec is no Dict": Case(
        'Dict{"obs"_ = Box<float>({2}, 0, config["goal"_])}',
        'Box<float>({2}, 0, config["goal"_])',
        r"StateSpec: has to return a Dict, as Dict\{",
    ),
    "ActionSpec is no Dict": Case(
        'Dict{"action"_ = Discrete(2)}', "Discrete(2)", "ActionSpec: has to return a Dict"
    ),
    "DefaultConfig is no Dict": Case(
        'Dict{"goal"_ = 3}', "3", "DefaultConfig: has to return a Dict", errors=2
    ),
    "dtype of a Spec": Case(
        'Box<float>({2}, 0, config["goal"_])',
        "Spec<std::string>({2})",
        r'ThisArrayCannotHold<.*{"obs"}, .*string',
        errors=2,
    ),
    "dtype of a Box": Case("Box<float>({2}, 0", "Box<int*>({2}, 0", "Box<T>: arrays hold", 6),
    "dtype of a dynamic array": Case(
        'Box<float>({2}, 0, config["goal"_])',
        "Spec<Container<long double>>({2})",
        r'ThisArrayCannotHold<.*{"obs"}, long double>',
    ),
    "no Spec": Case("Discrete(2)", "2", r'ThisArrayNeedsASpec<.*{"action"}, int>'),
    "a key that is taken": Case(
        '"obs"_ = Box', '"reward"_ = Box', r'ThisKeyIsTakenByEnvPool<.*{"reward"}>'
    ),
    "an option that is taken": Case(
        'Dict{"goal"_ = 3}',
        'Dict{"goal"_ = 3, "num_envs"_ = 1.0}',
        r'ThisKeyIsTakenByEnvPool<.*{"num_envs"}>',
    ),
    "bounds of a Box": Case("({2}, 0,", '({2}, "zero",', "Box: a bound is a number, or a list"),
    "bounds of a vector": Case(
        "({2}, 0,", "({2}, std::vector<double>{0, 0},", "std::vector of the array's own type"
    ),
    "bounds of a Spec": Case(
        'Box<float>({2}, 0, config["goal"_])',
        'Spec<float>({2}, {"low", "high"})',
        r"no matching (function|constructor) for .*Spec<float>",
        errors=2,
    ),
    "a value that is no number": Case(
        'state["reward"_] = reward', 'state["reward"_] = "much"', "operator= of an array: takes a"
    ),
    "Step overrides nothing": Case(
        f'{STEP}["action"_], 1',
        "void Step(int action) override { Write(n_ += action, 1",
        # clang names the function in the line below only.
        "void Counter::Step|marked 'override' hides virtual member function",
    ),
    "IsDone returns something else": Case(
        "bool IsDone() override", "int IsDone() override", "IsDone|different return type"
    ),
    "no header of the generator": Case(
        "public Env<CounterSpec> {", "public Env<CounterSpec, NumpyRandom> {", "numpy_random.h>, "
    ),
}
NOT_REGISTERED = {
    "no Reset": Case(
        "void Reset() override", "void Rest()", "Reset: the environment needs `void Reset"
    ),
    "no Step": Case(
        "void Step(const Action& action) override",
        "void Stop(const Action& action)",
        "Step: the environment needs `void Step",
    ),
    "no IsDone": Case(
        "bool IsDone() override", "bool Done()", "IsDone: the environment needs `bool IsDone"
    ),
    "Step takes something else": Case(
        f'{STEP}["action"_], 1', "void Step(int action) { Write(n_ += action, 1", "Step: the envir"
    ),
    "no constructor": Case("  using Env::Env;", "  Counter() = delete;", "the constructor: the "),
    "private functions": Case(" public:\n  using", "  using", "Reset: has to be public"),
    "private Step": Case("  void Step(", " private:\n  void Step(", "Step: has to be public"),
    "private inheritance": Case(": public Env", ": Env", "Register<E>: E has to be an environment"),
    "no environment": Case("Register<Counter>(", "Register<CounterSpec>(", "Register<E>: E has to"),
    "no Reset in a final class": Case(
        "class Counter : public Env<CounterSpec> {\n public:\n  using Env::Env;\n"
        '  bool IsDone() override { return n_ >= spec_.config["goal"_]; }\n'
        "  void Reset() override",
        "class Counter final : public Env<CounterSpec> {\n public:\n  using Env::Env;\n"
        '  bool IsDone() override { return n_ >= spec_.config["goal"_]; }\n'
        "  void Rest()",
        "Reset: the environment needs `void Reset",
    ),
    "no frame of a RenderableEnv": Case(
        "public Env<CounterSpec>", "public Env<CounterSpec>, public RenderableEnv", "as Renderab"
    ),
}
# Mistakes that one source can have side by side: a compiler takes longer to start than to see them.
# Names that the pool writes itself, by use.
ENDS = "done, trunc, terminated and step_type are written by the pool .*public `bool IsTruncated"
OTHERS = "env_id and elapsed_step are written by the pool"
POOLS_ARRAYS = {
    'state["trunc"_] = reward > 0;': ENDS,
    'state["trunc"_][0] = true;': ENDS,
    'state["done"_] = 1;': ENDS,
    'bool& done = state["done"_];': ENDS,
    'state["terminated"_].Fill(1);': ENDS,
    'state["step_type"_](0) = 2;': ENDS,
    'state["elapsed_step"_] = 1;': OTHERS,
    'state["info:env_id"_].Assign(3);': OTHERS,
    'state["info:players.env_id"_][0] = 3;': OTHERS,
}
# Functions that are found by their names, in other shapes.
RENDER = "void Render(int, int, int, unsigned char*) {}"
SIZE = "std::pair<int, int> RenderSize(int w, int h) { return {w, h}; }"
SAVE = "void SaveState(StateWriter&) {}"
TRUNCATED = "IsTruncated: has to be a public `bool IsTruncated"
CONTINUE = "Continue: has to be a public `bool Continue"
DRAWS = (
    "Render: an environment that draws itself .*RenderSize.int .*Render.int width, int height, int"
)
SAVED = (
    "SaveState: an environment that can be saved .*SaveState.StateWriter& .*LoadState.StateReader&"
)
KIND = "kStepKind: .*`static constexpr auto kStepKind = StepKind::kTrivial"
HOOKS = {
    "int IsTruncated() { return 1; }": TRUNCATED,
    "bool IsTruncated(int) { return true; }": TRUNCATED,
    "bool IsTruncated = false;": TRUNCATED,
    "int Continue() { return 1; }": CONTINUE,
    "bool IsTerminalState(int) { return true; }": "IsTerminalState: has to be a public `bool IsTe",
    f"{SIZE} void Render(int, int, unsigned char*) {{}}": DRAWS,
    SIZE: DRAWS,
    RENDER: DRAWS,
    f"int RenderSize(int, int) {{ return 1; }} {RENDER}": DRAWS,
    f"{SIZE} {RENDER} void RenderDepth(int, int, float*) {{}}": "RenderDepth: has to be a public",
    "void RenderText(std::string) {}": "RenderText: has to be a public `std::string RenderText",
    "void CheckRender(int) {}": "CheckRender: has to be a public `void CheckRender",
    SAVE: SAVED,
    "void LoadState(StateReader&) {}": SAVED,
    f"{SAVE} void LoadState(std::string) {{}}": SAVED,
    "void SubmitReset() {}": "Submit: .*void Submit.const Action& action. noexcept",
    "static constexpr int kStepKind = 1;": KIND,
    "static constexpr auto kStepkind = StepKind::kTrivial;": KIND,
    "static constexpr auto step_kind = StepKind::kTrivial;": KIND,
}
# In a class that is final these are not found.
OPEN_HOOKS = {
    "private: bool IsTruncated() { return true; } public:": TRUNCATED,
    "bool Continue(int); bool Continue(float);": CONTINUE,
}
OPTIONS_FUNCTION = "ResetOptions: has to be `static auto ResetOptions.const auto& config"
RESET_OPTIONS = {
    'static auto ResetOptions() { return Dict{"low"_ = 1}; }': OPTIONS_FUNCTION,
    "static auto ResetOptions(const auto&) { return 1; }": "ResetOptions: has to return a Dict",
    'auto ResetOptions(const auto&) { return Dict{"low"_ = 1}; }': OPTIONS_FUNCTION,
    'static auto ResetOptions(const auto&) { return Dict{"low"_ = 1}; } '
    "static void CheckResetOptions(const auto&) {}": "CheckResetOptions: has to be `static void",
    "static void CheckResetOptions(const auto&, const auto&) {}": "CheckResetOptions: .*without",
}
# Possible first lines of an author's file.
FIRST_HEADERS = [
    *(f"core/{header.name}" for header in sorted((INCLUDE / "envpool" / "core").glob("*.h"))),
    *(
        "array.h",
        "assets.h",
        "dict.h",
        "env.h",
        "hooks.h",
        "module.h",
        "pixels.h",
        "shared_asset.h",
        "spec.h",
        "view.h",
    ),
]


@pytest.fixture(scope="session")
def with_module(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """By compiler: the flags that bring the header of `Register`, read once beforehand."""
    flags = {}
    for compiler in COMPILERS:
        header = tmp_path_factory.mktemp("headers") / "module.h"
        header.write_text("#include <envpool/module.h>\n", encoding="utf-8")
        command = [*shlex.split(compiler), *FLAGS, "-x", "c++-header", str(header)]
        subprocess.run([*command, "-o", f"{header}.gch"], check=True, timeout=120)
        flags[compiler] = ["-include", str(header)]
    return flags


def complaints(compiler: str, flags: list[str], source: Path) -> list[str]:
    """The compiler's messages about a source."""
    done = subprocess.run(
        [*shlex.split(compiler), *FLAGS, *flags, "-fsyntax-only", str(source)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    lines = done.stderr.splitlines()
    assert (done.returncode == 0) == (not any("error:" in line for line in lines))
    return lines


def check(case: Case, compiler: str, flags: list[str], folder: Path) -> None:
    """Checks the compiler's messages about a mistake."""
    assert SOURCE.count(case.right) == 1
    source = folder / "counter.cc"
    source.write_text(SOURCE.replace(case.right, case.wrong), encoding="utf-8")
    lines = complaints(compiler, flags, source)
    errors = [line for line in lines if "error:" in line]
    text = "\n".join(lines)
    assert re.search(case.error, errors[0]), text
    assert len(errors) <= case.errors, text
    # Its context, which ends where the next error begins, leads to the file to correct.
    beyond = lines.index(errors[1]) if len(errors) > 1 else len(lines)
    assert any(str(source) in line for line in lines[:beyond]), text


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_family_compiles_as_it_is(with_module, compiler):
    assert complaints(compiler, with_module[compiler], HERE / "counter.cc") == []


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", CASES)
def test_the_first_error(compiler, name, tmp_path):
    check(CASES[name], compiler, [], tmp_path)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", NOT_REGISTERED)
def test_the_first_error_of_register(with_module, compiler, name, tmp_path):
    check(NOT_REGISTERED[name], compiler, with_module[compiler], tmp_path)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("word", ["Array&", "const Array&", "Array", "auto&"])
def test_arrays_that_refer_to_those_of_a_state(compiler, word, tmp_path):
    """An Array is made where it is asked for, so an Array& is refused, in the compiler's words."""
    used = SOURCE.replace("env.h>", "env.h>\n#include <envpool/array.h>")
    use = f'{word} obs = state["obs"_]; obs[0] = n; obs[1] = n;'
    source = tmp_path / "counter.cc"
    source.write_text(used.replace('state["obs"_].Assign(n, n);', use), encoding="utf-8")
    errors = [line for line in complaints(compiler, [], source) if "error:" in line]
    if word == "Array&":
        assert len(errors) == 1
        assert re.search(r"counter\.cc:.*non-const lvalue reference .*Array", errors[0])
    else:
        assert errors == []


def copies(edits: list[tuple[str, str]]) -> str:
    """The family many times over, each time with one edit, in namespaces of their own."""
    head, rest = SOURCE.split("struct CounterSpec", 1)
    family = "struct CounterSpec" + rest.split("#ifdef", 1)[0]
    text, registered = head, ""
    for i, (right, wrong) in enumerate(edits):
        assert family.count(right) == 1
        text += f"namespace copy{i} {{\n{family.replace(right, wrong)}}}\n"
        registered += f'  Register<copy{i}::Counter>(m, "Counter{i}");\n'
    return f"{text}PYBIND11_MODULE(_counter, m) {{\n{registered}}}\n"


HEAD = "class Counter : public Env<CounterSpec> {\n public:\n"
FINAL = HEAD.replace("Counter :", "Counter final :")
REWARD, OPTIONS = '    state["reward"_] = reward;', "  static auto DefaultConfig"
SIDE_BY_SIDE = {
    "arrays of the pool": [(REWARD, f"{REWARD} {use}") for use in POOLS_ARRAYS],
    "functions": [(HEAD, HEAD + hook) for hook in HOOKS | OPEN_HOOKS],
    "functions of a final class": [(HEAD, FINAL + hook) for hook in HOOKS],
    "options of a reset": [(OPTIONS, f"{text}\n{OPTIONS}") for text in RESET_OPTIONS],
}
MESSAGES = {
    "arrays of the pool": POOLS_ARRAYS,
    "functions": HOOKS | OPEN_HOOKS,
    "functions of a final class": HOOKS,
    "options of a reset": RESET_OPTIONS,
}


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", SIDE_BY_SIDE)
def test_one_error_for_each_mistake(with_module, compiler, name, tmp_path):
    source = tmp_path / "counter.cc"
    source.write_text(copies(SIDE_BY_SIDE[name]), encoding="utf-8")
    lines = complaints(compiler, with_module[compiler], source)
    errors = [line for line in lines if "error:" in line]
    for code, message in MESSAGES[name].items():
        found = [line for line in errors if re.search(f"error: .*{message}", line)]
        expected = sum(other == message for other in MESSAGES[name].values())
        assert len(found) == expected, (code, "\n".join(lines))
    assert len(errors) == len(MESSAGES[name]), "\n".join(errors)
    # Each leads to the file to correct.
    assert sum(f"{source}:" in line for line in lines) >= len(errors)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("header", FIRST_HEADERS)
def test_an_older_language_is_one_error(compiler, header, tmp_path):
    """It names C++20; the second line is that of the include which makes the compiler stop."""
    source = tmp_path / "old.cc"
    source.write_text(f"#include <envpool/{header}>\n", encoding="utf-8")
    errors = [line for line in complaints(compiler, ["-std=c++17"], source) if "error:" in line]
    assert re.search(r"error: .*EnvPool needs C\+\+20: compile with -std=c\+\+20", errors[0])
    assert [line for line in errors[1:] if "the error above is the reason" not in line] == []
