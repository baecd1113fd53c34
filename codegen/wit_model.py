# SPDX-License-Identifier: Apache-2.0
"""The model of a WIT package that all generators share: `wasm-tools component wit --json`, with names cased for each target.

A generator asks Wit for an interface's types in order of dependency and for its functions; it never reads the JSON itself.
"""

import dataclasses
import json
import re
import subprocess

CPP_KEYWORDS = {
    "auto", "bool", "break", "case", "char", "class", "const", "continue", "default", "delete", "do", "double", "else", "enum",
    "explicit", "export", "extern", "false", "float", "for", "if", "int", "long", "namespace", "new", "operator", "private",
    "public", "register", "return", "short", "signed", "static", "struct", "switch", "template", "this", "true", "typedef",
    "union", "unsigned", "using", "virtual", "void", "while", "data", "module",
} - {"data", "module"}
RUST_KEYWORDS = {"type", "match", "ref", "self", "move", "mod", "fn", "in", "use", "loop", "impl", "trait", "where", "default"} - {"default"}


def pascal(name):
    return "".join(p[:1].upper() + p[1:] for p in re.split(r"[-_.]", name))


def snake(name, keywords=CPP_KEYWORDS):
    s = name.replace("-", "_")
    return s + "_" if s in keywords else s


@dataclasses.dataclass
class Function:
    wit_name: str      # "[method]gpu-buffer.map-async", as the linker wants it
    ident: str         # "gpu-buffer-map-async"
    is_async: bool
    params: list       # of (name, type ref)
    result: object     # type ref or None
    docs: str
    resource: object   # type index of the resource of a method, else None

    @property
    def name(self):
        """For people: "gpu-buffer.map-async", "record-option-gpu-size64.constructor"."""
        plain = re.sub(r"^\[[a-z-]+\]", "", self.wit_name)
        return plain + ".constructor" if self.wit_name.startswith("[constructor]") else plain


class Wit:
    """A resolved package. Type refs are primitive names (str) or indexes (int) into `types`."""

    def __init__(self, data):
        self.types = data["types"]
        self.interfaces = data["interfaces"]
        self.packages = data["packages"]
        self.worlds = data["worlds"]

    @classmethod
    def load(cls, wasm_tools, path):
        return cls(json.loads(subprocess.check_output([wasm_tools, "component", "wit", "--json", path])))

    def interface(self, name):
        """By "wasi:webgpu/webgpu@0.3.0-rc.2" or, where it is the only one of that name, "webgpu"."""
        found = [i for i in self.interfaces if name in (i["name"], self.interface_name(i))]
        if len(found) != 1:
            raise SystemExit(f"interface '{name}': {len(found)} found, expected one")
        return found[0]

    def interface_name(self, interface):
        package, _, version = self.packages[interface["package"]]["name"].partition("@")
        return f"{package}/{interface['name']}" + (f"@{version}" if version else "")

    def kind(self, ref):
        """('primitive', name) or (kind, payload), through aliases."""
        while True:
            if isinstance(ref, str):
                return "primitive", ref
            k = self.types[ref]["kind"]
            if k == "resource":
                return "resource", ref
            (name, payload), = k.items()
            if name != "type":
                return name, payload
            ref = payload

    def resolve(self, ref):
        """The type index that an alias stands for."""
        while not isinstance(ref, str) and isinstance(self.types[ref]["kind"], dict) and "type" in self.types[ref]["kind"]:
            ref = self.types[ref]["kind"]["type"]
        return ref

    def children(self, ref):
        kind, payload = self.kind(ref)
        if kind == "record":
            return [f["type"] for f in payload["fields"]]
        if kind == "variant":
            return [c["type"] for c in payload["cases"] if c["type"] is not None]
        if kind == "tuple":
            return payload["types"]
        if kind in ("list", "option", "future", "stream"):
            return [payload] if payload is not None else []
        if kind == "result":
            return [t for t in (payload["ok"], payload["err"]) if t is not None]
        return []

    def named_types(self, interface):
        """Records, variants, enums and flags of the interface, each after what it holds."""
        order, seen = [], set()
        own = {self.resolve(t) for t in interface["types"].values()}

        def visit(ref):
            ref = self.resolve(ref)
            if isinstance(ref, str) or ref in seen:
                return
            seen.add(ref)
            for c in self.children(ref):
                visit(c)
            if ref in own and self.kind(ref)[0] in ("record", "variant", "enum", "flags"):
                if self.types[ref]["owner"] and self.types[ref]["owner"].get("interface") == self.interfaces.index(interface):
                    order.append(ref)

        for t in interface["types"].values():
            visit(t)
        return order

    def resources(self, interface):
        index = self.interfaces.index(interface)
        return [t for t in interface["types"].values()
                if self.types[t]["kind"] == "resource" and self.types[t]["owner"].get("interface") == index]

    def functions(self, interface):
        out = []
        for name, f in interface["functions"].items():
            kind = f["kind"] if isinstance(f["kind"], str) else next(iter(f["kind"]))
            resource = None if isinstance(f["kind"], str) else f["kind"][kind]
            ident = re.sub(r"^\[[a-z-]+\]", "", f["name"]).replace(".", "-")
            if kind == "constructor":
                ident += "-new"
            out.append(Function(f["name"], ident, kind.startswith("async"), [(p["name"], p["type"]) for p in f["params"]],
                                f.get("result"), (f.get("docs") or {}).get("contents") or "", resource))
        return out
