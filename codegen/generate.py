# SPDX-License-Identifier: Apache-2.0
"""Writes all glue between guests, engine and C++ from the WIT: C++ below OUT/cpp/wasm/gen, Rust as OUT/rust/glue.rs.

generate.py --wasm-tools BIN --wit DIR --out DIR [--only cpp|rust]

The table below is all that names an interface: another version of one is another row with its own namespace and header.
"""

import argparse
import dataclasses
import pathlib

import jinja2

from gen_cpp import Cpp
from wit_model import Wit, pascal, snake


@dataclasses.dataclass
class Row:
    wit: str            # the interface, exactly as the linker wants it
    role: str           # import: the host serves it; export: guests do; types: only types
    namespace: str      # of the C++
    header: str         # wasm/gen/<header>.h, and the Rust module
    uses: tuple = ()    # headers of the rows whose types it uses
    mutant: bool = False  # also wasm/gen/<header>_mutant.h, for tools/mutate-host
    calls: bool = False  # also wasm/gen/<header>_calls.h: all functions as types, for tools that call every one alike


ROWS = [
    Row("wasi:webgpu/webgpu@0.3.0-rc.2", "import", "weft::wasm::webgpu", "webgpu", mutant=True, calls=True),
    Row("weft:plugin/types@0.1.0", "types", "weft::wasm::plugin", "plugin_types", ("webgpu",)),
    Row("weft:plugin/log@0.1.0", "import", "weft::wasm::plugin", "plugin_log"),
    Row("weft:plugin/effect@0.1.0", "export", "weft::wasm::plugin", "effect", ("plugin_types",)),
    Row("wasi-gfx:frame-buffer/frame-buffer@0.2.0", "import", "weft::wasm::surface", "frame_buffer"),
    Row("wasi-gfx:surface/surface@0.2.0", "import", "weft::wasm::surface", "surface"),
    Row("wasi-gfx:surface/surface-frame-buffer@0.2.0", "import", "weft::wasm::surface", "surface_frame_buffer", ("frame_buffer", "surface")),
    Row("wasi-gfx:surface/surface-webgpu@0.2.0", "import", "weft::wasm::surface", "surface_webgpu", ("webgpu", "surface")),
]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--wasm-tools", required=True)
    p.add_argument("--wit", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--only", choices=["cpp", "rust"])
    a = p.parse_args()
    wit = Wit.load(a.wasm_tools, a.wit)
    out = pathlib.Path(a.out)
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent), trim_blocks=True, lstrip_blocks=True,
                             undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    env.filters.update(pascal=pascal, snake=snake)
    if a.only != "rust":
        generate_cpp(env, wit, out / "cpp/wasm/gen")
    if a.only != "cpp":
        import gen_rust
        write(out / "rust/glue.rs", gen_rust.render(env, wit, ROWS))


def generate_cpp(env, wit, out):
    by_header = {r.header: r for r in ROWS}
    layouts = []
    for row in ROWS:
        interface = wit.interface(row.wit)
        cpp = Cpp(wit, interface)
        types = [wit.types[t] for t in wit.named_types(interface)]
        usings = sorted({by_header[u].namespace for u in row.uses} - {row.namespace})
        values = dict(
            wit=wit, cpp=cpp, name=row.wit, short=pascal(interface["name"]), role=row.role, namespace=row.namespace, header=row.header,
            rust=row.header, includes=[f"wasm/gen/{u}.h" for u in row.uses], usings=usings, types=types,
            resources=[wit.types[t]["name"] for t in wit.resources(interface)],
            functions=wit.functions(interface) if row.role != "types" else [])
        write(out / f"{row.header}.h", env.get_template("cpp_interface.h.j2").render(values))
        if row.role == "import":
            write(out / f"{row.header}.cc", env.get_template("cpp_host.cc.j2").render(values))
        if row.mutant:
            write(out / f"{row.header}_mutant.h", env.get_template("cpp_mutant.h.j2").render(values))
        if row.calls:
            write(out / f"{row.header}_calls.h", env.get_template("cpp_calls.h.j2").render(values))
        if row.role == "export":
            write(out / f"{row.header}.cc", env.get_template("cpp_export.cc.j2").render(values))
        layouts.append(dict(header=row.header, namespace=row.namespace,
                            types=[dict(name=pascal(t["name"]), fields=cpp.layout_fields(t)) for t in types
                                   if t["kind"].keys() & {"record", "variant"}]))
    write(out / "layout.cc", env.get_template("cpp_layout.cc.j2").render(interfaces=layouts))


if __name__ == "__main__":
    main()
