# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/wasi-webgpu.md: of each function of the interface, whether it is implemented and which test shows so.

reference.py --wasm-tools BIN --wit DIR [--check]     --check: only fails where the committed file is another one.
"""

import argparse
import difflib

import function_tests
from function_tests import INTERFACE, ROOT

OUT = ROOT / "docs/reference/wasi-webgpu.md"

INTRO = """<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by codegen/reference.py from the WIT, src/host/webgpu/virtual_gpu.h and src/host/webgpu/function_tests.txt. Do not edit. -->
# wasi:webgpu in weft

What weft's host does of each function of `{interface}`: {functions} functions of {resources} resources, of which {implemented} are
implemented, by the rules of the [WebGPU specification](https://www.w3.org/TR/webgpu/). The test that is named fails when the function does
nothing: `tools/mutate-host` replaces one after another, runs that test, and demands it.

- An error by the specification goes to the caller's error scopes, else to its `on-uncaptured-error` stream; where it has taken none, to the
  log, and a plugin's frame fails. A handle that is not the caller's, of another kind or dropped traps.
- Labels are kept up to {label} bytes and named in messages.
- `get-gpu` yields the caller's own virtual GPU. In a plugin every `request-device` leads to the device that `create` brought.
- `drop` is the end of the caller's handle.

{leftovers}"""

LEFTOVERS = """The interface has leftovers of the web that have no meaning here, and nothing hands out their resources. Each traps with its name, as in
"{interface} [method]{example} is not implemented by this host":

{names}
"""


def how(entry):
    f = entry.function
    if f is None:
        return ""
    if f.is_async:
        return " (awaited)"
    return {"gpu-device.lost": " (a future)", "gpu-device.on-uncaptured-error": " (a stream)"}.get(entry.name, "")


def render(entries):
    files = function_tests.test_files()
    functions = [e for e in entries if e.function]
    leftovers = [e.name for e in functions if not e.implemented]
    label = next(line.split("=")[1].strip(" ;") for line in (function_tests.HOST / "objects.h").read_text().splitlines() if "kMaxLabel =" in line)
    text = INTRO.format(
        interface=INTERFACE, functions=len(functions), resources=len({e.resource for e in entries if not e.function}),
        implemented=sum(e.implemented for e in functions), label=label,
        leftovers=LEFTOVERS.format(names="\n".join(f"- `{n}`" for n in leftovers), interface=INTERFACE, example=leftovers[0]) if leftovers else "")
    sections = {}
    for e in entries:
        sections.setdefault(e.resource, []).append(e)
    for resource, rows in sections.items():
        text += f"\n## {resource or 'Functions of the interface'}\n\n| function | | test |\n|---|---|---|\n"
        for e in rows:
            name = e.name.removeprefix(resource + ".")
            state = "implemented" if e.implemented else "traps with its name" if e.function else "cannot be had"
            test = f"[{e.test}](../../{files[e.test].relative_to(ROOT)})" if e.test else ""
            text += f"| `{name}`{how(e)} | {state} | {test} |\n"
    return text


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--wasm-tools", required=True)
    p.add_argument("--wit", required=True)
    p.add_argument("--check", action="store_true")
    a = p.parse_args()
    text = render(function_tests.complete(a.wasm_tools, a.wit))
    if not a.check:
        OUT.write_text(text)
        return
    old = OUT.read_text() if OUT.exists() else ""
    if old != text:
        print("".join(difflib.unified_diff(old.splitlines(True), text.splitlines(True), "committed", "generated", n=0)))
        raise SystemExit(f"{OUT.relative_to(ROOT)} is not what codegen/reference.py writes: run it without --check and commit the file.")


if __name__ == "__main__":
    main()
