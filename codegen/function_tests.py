# SPDX-License-Identifier: Apache-2.0
"""What is known of each function of wasi:webgpu: whether the host implements it, and which test shows so.

Read from three places, each the only one of its kind: the WIT says which functions there are, src/host/webgpu/virtual_gpu.h which of them are
implemented, src/host/webgpu/function_tests.txt which test fails when one does nothing. tools/mutate-host runs those tests; reference.py
writes docs/reference/wasi-webgpu.md.
"""

import dataclasses
import pathlib
import re

from wit_model import Wit, pascal

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOST = ROOT / "src/host/webgpu"
TESTS = HOST / "function_tests.txt"
INTERFACE = "wasi:webgpu/webgpu@0.3.0-rc.2"


@dataclasses.dataclass
class Entry:
    name: str            # "gpu-buffer.map-async", "gpu-buffer.drop"
    resource: str        # "gpu-buffer"; "" for a free function
    function: object     # wit_model.Function; None for a drop
    implemented: bool
    test: str = None     # "Buffer.MapReadShowsWhatWasWritten"


def entries(wasm_tools, wit_folder):
    """All functions in the order of the interface, then the drops of the resources, without tests."""
    wit = Wit.load(wasm_tools, wit_folder)
    interface = wit.interface(INTERFACE)
    overridden = set(re.findall(r"\b(On\w+)\(", (HOST / "virtual_gpu.h").read_text()))
    functions = wit.functions(interface)
    out = []
    for f in functions:
        resource = wit.types[f.resource]["name"] if f.resource is not None else f.name.partition(".")[0] if "." in f.name else ""
        out.append(Entry(f.name, resource, f, "On" + pascal(f.ident) in overridden))
    # A resource of whose functions none is implemented cannot be had, so it cannot be dropped either.
    for t in wit.resources(interface):
        name = wit.types[t]["name"]
        out.append(Entry(name + ".drop", name, None, any(e.implemented for e in out if e.resource == name)))
    return out


def rows():
    """function_tests.txt as {entry: test}."""
    found = {}
    for number, line in enumerate(TESTS.read_text().splitlines(), 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if len(words) != 2:
            raise SystemExit(f"{TESTS.name}:{number}: expected a function and its test, got '{line}'")
        if words[0] in found:
            raise SystemExit(f"{TESTS.name}:{number}: '{words[0]}' has a row already")
        found[words[0]] = words[1]
    return found


def test_files():
    """{test: file} of all tests of the host."""
    found = {}
    for path in sorted(HOST.glob("*_test.cc")):
        for suite, name in re.findall(r"^TEST\((\w+), (\w+)\)", path.read_text(), re.MULTILINE):
            found[f"{suite}.{name}"] = path
    return found


def complete(wasm_tools, wit_folder):
    """All entries with their tests; says what is wrong with the rows and stops."""
    all_entries, tests, files, wrong = entries(wasm_tools, wit_folder), rows(), test_files(), []
    for e in all_entries:
        e.test = tests.pop(e.name, None)
        if e.test is None:
            # What nobody can have, nobody can drop: the one thing that no test can show.
            if e.function is not None or e.implemented:
                wrong.append(f"'{e.name}' has no row")
        elif e.test not in files:
            wrong.append(f"the row of '{e.name}' names the test '{e.test}', which does not exist")
    wrong += [f"the row of '{name}' is of no function of {INTERFACE}" for name in tests]
    if wrong:
        raise SystemExit(f"{TESTS.relative_to(ROOT)}: " + "; ".join(wrong) + ". `tools/mutate-host --discover` finds tests for rows that are missing.")
    return all_entries
