# SPDX-License-Identifier: Apache-2.0
"""Rust glue of all rows: C mirrors of the shapes, typed host functions that reach C++ through one table, typed calls of exports.

Three flavours of a type: `c` is what C++ sees (engine/src/abi.rs says how), `view` is lifted from a guest's arguments without copying strings
and bytes, `own` is everything else (results, values of exports).
"""

import re

from wit_model import RUST_KEYWORDS, pascal, snake

PRIMITIVES = {"bool": "bool", "u8": "u8", "u16": "u16", "u32": "u32", "u64": "u64", "s8": "i8", "s16": "i16", "s32": "i32", "s64": "i64",
              "f32": "f32", "f64": "f64", "char": "char"}
IN_PLACE = {"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"}  # lists of these are handed to C++ where the guest has them


def field(name):
    return snake(name, RUST_KEYWORDS)


class Rust:
    def __init__(self, wit, rows):
        self.wit, self.rows = wit, rows
        self.by_index = {wit.interfaces.index(wit.interface(r.wit)): r for r in rows}

    def row(self, index):
        owner = self.wit.types[index]["owner"]
        return self.by_index[owner["interface"]]

    def name(self, index):
        index = self.wit.resolve(index)
        return pascal(self.row(index).header) + pascal(self.wit.types[index]["name"])

    def resource(self, payload):
        index = payload if isinstance(payload, int) else next(iter(payload.values()))
        return self.wit.resolve(index)

    def kind_of(self, payload):
        """engine/base/src/handle.rs: host << 8 | slot."""
        index = self.resource(payload)
        row = self.row(index)
        host = [r for r in self.rows if r.role == "import"].index(row)
        return host << 8 | self.wit.resources(self.wit.interface(row.wit)).index(index)

    def is_handle(self, ref):
        return ref is not None and self.wit.kind(ref)[0] in ("handle", "resource")

    def bare_params(self, f):
        return sum(self.is_handle(t) for _, t in f.params)

    def direct(self, ref, flavour):
        """An argument's or result's type in a shared function: a bare handle has its kind from outside."""
        return "ResourceDynamic" if self.is_handle(ref) else self.type(ref, flavour)

    def signatures(self, functions):
        """Functions by signature: of each one, (function, index among the interface's functions, kinds of its bare handles)."""
        out = {}
        for i, f in enumerate(functions):
            how, what = self.deferred(f)
            key = (how, tuple(self.direct(t, "view") for _, t in f.params), self.direct(f.result, "own"),
                   tuple(self.has_own(t) for _, t in f.params))
            bare = [t for _, t in f.params] + [f.result]
            out.setdefault(key, []).append((f, i, [self.kind_of(self.wit.kind(t)[1]) for t in bare if self.is_handle(t)]))
        return list(out.values())

    def is_guest(self, payload):
        return self.row(self.resource(payload)).role == "export"

    def type(self, ref, flavour):
        if ref is None:
            return "()"
        t = lambda r: self.type(r, flavour)
        kind, payload = self.wit.kind(ref)
        if kind == "primitive":
            if payload == "string":
                return "WasmStr" if flavour == "view" else "String"
            return PRIMITIVES[payload]
        if kind in ("handle", "resource"):
            return "ResourceAny" if self.is_guest(payload) else f"Handle<{self.kind_of(payload)}>"
        if kind == "list":
            k, p = self.wit.kind(payload)
            if flavour == "view" and k == "primitive" and p in IN_PLACE:
                return f"WasmList<{PRIMITIVES[p]}>"
            return f"Vec<{t(payload)}>"
        if kind == "option":
            return f"Option<{t(payload)}>"
        if kind == "result":
            return f"std::result::Result<{t(payload['ok'])}, {t(payload['err'])}>"
        if kind == "tuple":
            return f"({', '.join(t(x) for x in payload['types'])},)"
        if kind == "future":
            return f"FutureReader<{self.type(payload, 'own')}>"
        if kind == "stream":
            return f"StreamReader<{self.type(payload, 'own')}>"
        if kind in ("enum", "flags"):
            return f"own::{self.name(ref)}"
        return f"{flavour}::{self.name(ref)}"

    def c(self, ref):
        if ref is None:
            return "c::Unit"
        kind, payload = self.wit.kind(ref)
        if kind == "primitive":
            return {"string": "c::Str", "char": "u32"}.get(payload) or PRIMITIVES[payload]
        if kind in ("handle", "resource", "enum", "flags"):
            return "u32"
        if kind == "list":
            return f"c::List<{self.c(payload)}>"
        if kind == "option":
            return f"c::Opt<{self.c(payload)}>"
        if kind == "result":
            return f"c::Res<{self.c(payload['ok'])}, {self.c(payload['err'])}>"
        if kind == "tuple":
            return f"c::Tuple{len(payload['types'])}<{', '.join(self.c(x) for x in payload['types'])}>"
        return f"c::{self.name(ref)}"

    def by_value(self, ref):
        return self.wit.kind(ref)[0] in ("primitive", "handle", "enum", "flags")

    def c_param(self, ref):
        return self.c(ref) if self.by_value(ref) else f"*const {self.c(ref)}"

    def deferred(self, f):
        if f.is_async:
            return "async", f.result
        if f.result is not None:
            kind, payload = self.wit.kind(f.result)
            if kind in ("future", "stream"):
                return kind, payload
        return None, None

    def has_own(self, ref):
        """Whether a value of the type can hold an own handle."""
        if ref is None:
            return False
        kind, payload = self.wit.kind(ref)
        if kind in ("handle", "resource"):
            return not isinstance(payload, dict) or "own" in payload
        return any(self.has_own(c) for c in self.wit.children(ref))

    def reach(self, refs):
        """All record, variant, enum and flags types below refs, each after what it holds."""
        order, seen = [], set()

        def visit(ref):
            ref = self.wit.resolve(ref)
            if isinstance(ref, str) or ref in seen:
                return
            seen.add(ref)
            for c in self.wit.children(ref):
                visit(c)
            if self.wit.kind(ref)[0] in ("record", "variant", "enum", "flags"):
                order.append(ref)

        for r in refs:
            if r is not None:
                visit(r)
        return order

    def shape(self, index):
        t = self.wit.types[index]
        (kind, d), = t["kind"].items()
        out = dict(name=self.name(index), kind=kind)
        if kind == "record":
            out["fields"] = [dict(wit=f["name"], id=field(f["name"]), type=f["type"]) for f in d["fields"]]
        elif kind == "variant":
            out["cases"] = [dict(wit=c["name"], id=field(c["name"]), case=pascal(c["name"]), type=c["type"]) for c in d["cases"]]
        elif kind == "enum":
            out["cases"] = [dict(wit=c["name"], case=pascal(c["name"])) for c in d["cases"]]
        else:
            out["flags"] = [dict(wit=c["name"], id=re.sub("-", "_", c["name"]).upper()) for c in d["flags"]]
        return out


def render(env, wit, rows):
    rust = Rust(wit, rows)
    imports, exports = [], []
    view_refs, own_refs, c_refs = [], [], []
    for row in rows:
        interface = wit.interface(row.wit)
        functions = wit.functions(interface)
        resources = [wit.types[t]["name"] for t in wit.resources(interface)]
        c_refs += wit.named_types(interface)
        if row.role == "types":
            continue
        item = dict(row=row, functions=functions, resources=resources)
        for f in functions:
            if row.role == "import":
                view_refs += [t for _, t in f.params]
                own_refs.append(f.result)
            else:
                own_refs += [t for _, t in f.params] + [f.result]
        if row.role == "import":
            item["host_index"] = len(imports)
            item["signatures"] = rust.signatures(functions)
            imports.append(item)
        else:
            exports.append(item)
    view = rust.reach(view_refs)
    own = rust.reach(own_refs + [t for t in view if wit.kind(t)[0] in ("enum", "flags")])
    layout = [rust.shape(t) for row in rows for t in wit.named_types(wit.interface(row.wit))]
    return env.get_template("rust_glue.rs.j2").render(
        rust=rust, imports=imports, exports=exports, layout=layout, field=field,
        c_shapes=[rust.shape(t) for t in rust.reach(c_refs + view + own)],
        view_shapes=[s for s in map(rust.shape, view) if s["kind"] in ("record", "variant")], own_shapes=[rust.shape(t) for t in own])
