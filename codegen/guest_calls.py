# SPDX-License-Identifier: Apache-2.0
"""Writes what a C++ guest needs to make any call of an interface that it knows only by name: readers from JSON values into the structs of
wit-bindgen's C bindings, and a table of all functions by resource and JavaScript name.

guest_calls.py --wasm-tools BIN --wit DIR --interface NAME --include BINDINGS.h --out FILE

A type that needs a rule of its own has its reader in OWN_READERS, a function in BY_HAND; both are written in tests/differential/bind.h and guest.cc.
"""

import argparse
import pathlib
import re

import jinja2

from wit_model import Wit, pascal

# A variant that JavaScript writes as a union, and resources that stand for JavaScript's records.
OWN_READERS = {"gpu-binding-resource", "gpu-layout-mode", "record-gpu-pipeline-constant-value", "record-option-gpu-size64"}
# Streams, futures and lists of resources: guest.cc calls these itself.
BY_HAND = {"gpu-device-lost", "gpu-device-on-uncaptured-error", "gpu-device-pop-error-scope", "gpu-shader-module-get-compilation-info"}
# Resources that have no meaning off the web, or that only stand in for a value.
NOT_CALLED = ("gpu-canvas-context", "gpu-uncaptured-error-event", "record-", "gpu-compilation-")
# JavaScript's name where it is not the WIT's in camel case.
RENAMED = {"getMappedRangeGetWithCopy": "getMappedRange", "getMappedRangeSetWithCopy": "setMappedRange",
           "writeBufferWithCopy": "writeBuffer", "writeTextureWithCopy": "writeTexture"}


def camel(name):
    text = pascal(name)
    return text[:1].lower() + text[1:]


def snake(name):
    return name.replace("-", "_")


def exception(name):
    """operation-error -> OperationError, gpu-pipeline-error -> GPUPipelineError."""
    return re.sub(r"^Gpu", "GPU", pascal(name))


class Guest:
    def __init__(self, wit, interface):
        self.wit = wit
        self.prefix = re.sub(r"[:/-]", "_", wit.interface_name(interface).partition("@")[0])

    def name(self, ref):
        return self.wit.types[self.wit.resolve(ref)]["name"]

    def resource(self, payload):
        """The resource that a handle type is of, and whether it is owned."""
        (kind, ref), = payload.items()
        return self.name(ref), kind == "own"

    def reader(self, ref):
        kind, payload = self.wit.kind(ref)
        if kind == "primitive":
            return {"bool": "Truth", "string": "Text"}.get(payload, "Number")
        if kind == "option":
            return f"Maybe<{self.reader(payload)}>"
        if kind == "list":
            return "Bytes" if self.wit.kind(payload) == ("primitive", "u8") else f"Sequence<{self.reader(payload)}>"
        if kind == "handle":
            name, _ = self.resource(payload)
            return f"Read{pascal(name)}" if name in OWN_READERS else f'Handle<"{name}">'
        if kind in ("enum", "flags"):
            return f"{'Word' if kind == 'enum' else 'Flags'}<k{pascal(self.name(ref))}>"
        return f"Read{pascal(self.name(ref))}"

    def result(self, ref):
        if ref is None:
            return "Nothing"
        kind, payload = self.wit.kind(ref)
        if kind == "primitive":
            return {"bool": "TruthOut", "string": "TextOut"}.get(payload, "NumberOut")
        if kind == "enum":
            return f"WordOut<k{pascal(self.name(ref))}>"
        if kind == "flags":
            return "NumberOut"
        if kind == "variant":
            return f"TagOut<k{pascal(self.name(ref))}>"
        if kind == "list":
            return "BytesOut"
        if kind == "resource" or kind == "handle":
            return f'ObjectOut<"{self.name(ref) if kind == "resource" else self.resource(payload)[0]}">'
        if kind == "option":
            inner, payload = self.wit.kind(payload)
            return f"WordMaybe<k{pascal(self.name(self.wit.kind(ref)[1]))}>" if inner == "enum" else f'ObjectMaybe<{self.result(self.wit.kind(ref)[1])}>'
        fields = self.wit.kind(payload["err"])[1]["fields"]
        kind_of_error = next(f["type"] for f in fields if f["name"] == "kind")
        return f"Outcomes<{self.result(payload['ok'])}, k{pascal(self.name(kind_of_error))}>"

    def names(self, ref):
        kind, payload = self.wit.kind(ref)
        if kind == "enum":
            return [c["name"] for c in payload["cases"]]
        if kind == "flags":
            return [f["name"] for f in payload["flags"]]
        named = exception if self.name(ref).endswith("-error-kind") and self.name(ref) != "gpu-error-kind" else str
        return [named(c["name"]) for c in payload["cases"]]

    def method(self, f):
        resource = self.wit.types[f.resource]["name"]
        name = f.wit_name.partition(".")[2]
        return dict(resource=resource, js=RENAMED.get(camel(name), camel(name)),
                    function=f"{self.prefix}_method_{snake(resource)}_{snake(name)}",
                    types=", ".join([self.result(f.result)] + [self.reader(t) for n, t in f.params if n != "self"]))


def main():
    p = argparse.ArgumentParser()
    for option in ("wasm-tools", "wit", "interface", "include", "out"):
        p.add_argument(f"--{option}", required=True)
    a = p.parse_args()
    wit = Wit.load(a.wasm_tools, a.wit)
    interface = wit.interface(a.interface)
    guest = Guest(wit, interface)
    named = wit.named_types(interface)
    methods = [guest.method(f) for f in wit.functions(interface)
               if f.resource is not None and f.ident not in BY_HAND and not wit.types[f.resource]["name"].startswith(NOT_CALLED)]
    records = [dict(name=wit.types[t]["name"], fields=[dict(js=camel(f["name"]), c=snake(f["name"]), reader=guest.reader(f["type"]))
                                                        for f in wit.kind(t)[1]["fields"]])
               for t in named if wit.kind(t)[0] == "record"
               and not wit.types[t]["name"].endswith(("-error", "-owned")) and "canvas" not in wit.types[t]["name"]]
    tables = [dict(name=wit.types[t]["name"], words=guest.names(t)) for t in named
              if wit.kind(t)[0] in ("enum", "flags", "variant") and wit.types[t]["name"] not in OWN_READERS]
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent), trim_blocks=True, lstrip_blocks=True,
                             undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    env.filters.update(pascal=pascal, snake=snake)
    pathlib.Path(a.out).write_text(env.get_template("guest_calls.h.j2").render(
        name=a.interface, include=a.include, prefix=guest.prefix, tables=tables, records=records, methods=methods,
        resources=[wit.types[t]["name"] for t in wit.resources(interface)]))


if __name__ == "__main__":
    main()
