# SPDX-License-Identifier: Apache-2.0
"""Writes the C++ header of a WIT interface: its values as plain structs, and, for an interface that the host serves, the abstract host class.

gen_cpp.py --wasm-tools BIN --wit DIR --interface NAME --role import|types --namespace NS [--include HEADER]... [--using NAMESPACE]... --out FILE
"""

import argparse
import pathlib

import jinja2

from wit_model import Wit, pascal, snake

PRIMITIVES = {
    "bool": "bool", "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "s8": "int8_t", "s16": "int16_t",
    "s32": "int32_t", "s64": "int64_t", "f32": "float", "f64": "double", "char": "char32_t", "string": "Str",
}
BY_VALUE = {"bool", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64", "char", "string"}


class Cpp:
    def __init__(self, wit, interface):
        self.wit, self.interface = wit, interface

    def type(self, ref):
        if ref is None:
            return "Unit"
        kind, payload = self.wit.kind(ref)
        if kind == "primitive":
            return PRIMITIVES[payload]
        if kind in ("handle", "resource"):
            return "Rep"
        if kind == "list":
            return f"List<{self.type(payload)}>"
        if kind == "option":
            return f"Opt<{self.type(payload)}>"
        if kind == "result":
            return f"Res<{self.type(payload['ok'])}, {self.type(payload['err'])}>"
        if kind == "tuple":
            return f"Tuple{len(payload['types'])}<{', '.join(self.type(t) for t in payload['types'])}>"
        return pascal(self.wit.types[self.wit.resolve(ref)]["name"])

    def param(self, ref):
        kind, payload = self.wit.kind(ref)
        t = self.type(ref)
        if (kind == "primitive" and payload in BY_VALUE) or kind in ("handle", "enum", "flags"):
            return t
        return f"const {t}&"

    def params(self, f):
        return [(("self" if n == "self" else snake(n)), self.param(t)) for n, t in f.params]

    def deferred(self, f):
        """'completion', 'stream' or None, and the C++ type that is delivered."""
        if f.is_async:
            return "completion", self.type(f.result)
        if f.result is not None:
            kind, payload = self.wit.kind(f.result)
            if kind == "future":
                return "completion", self.type(payload)
            if kind == "stream":
                return "stream", self.type(payload)
        return None, None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--wasm-tools", required=True)
    p.add_argument("--wit", required=True)
    p.add_argument("--interface", required=True)
    p.add_argument("--role", choices=["import", "types"], required=True)
    p.add_argument("--namespace", required=True)
    p.add_argument("--include", action="append", default=[])
    p.add_argument("--using", action="append", default=[])
    p.add_argument("--out", required=True)
    a = p.parse_args()
    wit = Wit.load(a.wasm_tools, a.wit)
    interface = wit.interface(a.interface)
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent), trim_blocks=True, lstrip_blocks=True,
                             undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    env.filters.update(pascal=pascal, snake=snake)
    cpp = Cpp(wit, interface)
    text = env.get_template("cpp_interface.h.j2").render(
        wit=wit, cpp=cpp, name=wit.interface_name(interface), short=pascal(interface["name"]), role=a.role, namespace=a.namespace,
        includes=a.include, usings=a.using, types=[wit.types[t] for t in wit.named_types(interface)],
        resources=[wit.types[t]["name"] for t in wit.resources(interface)],
        functions=wit.functions(interface) if a.role == "import" else [])
    out = pathlib.Path(a.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    if not out.exists() or out.read_text() != text:
        out.write_text(text)


if __name__ == "__main__":
    main()
