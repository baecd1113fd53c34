# SPDX-License-Identifier: Apache-2.0
"""C++ of a WIT interface: its values as plain structs; for one that the host serves, the abstract host class and its table; for one that a
guest exports, the class of typed calls."""

from wit_model import pascal, snake

PRIMITIVES = {
    "bool": "bool", "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "s8": "int8_t", "s16": "int16_t",
    "s32": "int32_t", "s64": "int64_t", "f32": "float", "f64": "double", "char": "char32_t", "string": "Str",
}


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

    def shape(self, ref):
        """Of wasm/shapes.h: what the value is by the WIT, where the C++ type does not tell."""
        if ref is None:
            return "shape::Plain"
        kind, payload = self.wit.kind(ref)
        if kind in ("handle", "resource"):
            owned = kind == "resource" or "own" in payload
            resource = ref if kind == "resource" else payload["own" if owned else "borrow"]
            name = pascal(self.wit.types[self.wit.resolve(resource)]["name"])
            return f"shape::Handle<Resource::{name}, {'true' if owned else 'false'}>"
        if kind == "list":
            return f"shape::ListOf<{self.shape(payload)}>"
        if kind == "option":
            return f"shape::OptOf<{self.shape(payload)}>"
        if kind == "result":
            return f"shape::ResOf<{self.shape(payload['ok'])}, {self.shape(payload['err'])}>"
        if kind == "tuple":
            return f"shape::TupleOf<{', '.join(self.shape(t) for t in payload['types'])}>"
        return "shape::Plain"

    def param(self, ref):
        kind, _ = self.wit.kind(ref)
        t = self.type(ref)
        return t if kind in ("primitive", "handle", "enum", "flags") else f"const {t}&"

    def params(self, f):
        return [(("self" if n == "self" else snake(n)), self.param(t)) for n, t in f.params]

    # What is a reference in C++ is a pointer in the table.
    def abi(self, t):
        return t[:-1] + "*" if t.endswith("&") else t

    def deref(self, name, t):
        return f"*{name}" if t.endswith("&") else name

    # Of an export's C entry point: every compound by const void*, every scalar by itself, enums and flags as uint32_t.
    def abi_c(self, t):
        if t.endswith("&"):
            return "const void*"
        return "uint32_t" if t == "Rep" else "weft::wasm::Str" if t == "Str" else t if t in PRIMITIVES.values() else "uint32_t"

    def ref(self, name, t):
        if t.endswith("&"):
            return f"&{name}"
        if t == "Rep" or t in PRIMITIVES.values():
            return name
        return f"std::bit_cast<uint32_t>({name})"

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

    def delivered(self, f):
        """The type of what `deferred` names."""
        if f.is_async:
            return f.result
        return self.wit.kind(f.result)[1]

    def layout_fields(self, t):
        (kind, d), = t["kind"].items()
        if kind == "record":
            return [snake(f["name"]) for f in d["fields"]]
        if kind == "variant":
            return [snake(c["name"]) for c in d["cases"] if c["type"] is not None]
        return []
