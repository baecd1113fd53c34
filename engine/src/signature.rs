// SPDX-License-Identifier: Apache-2.0
//! Function types as a person reads them in WIT. Names of records and the like are not in a component, so these are written out.

use wasmtime::component::Type;
use wasmtime::component::types::ComponentFunc;

/// "func(a: u32, name: string) -> list<u8>".
pub fn signature(f: &ComponentFunc) -> String {
    let params: Vec<_> = f.params().map(|(n, t)| format!("{n}: {}", text(&t))).collect();
    let results: Vec<_> = f.results().map(|t| text(&t)).collect();
    let kind = if f.async_() { "async func" } else { "func" };
    match results.is_empty() {
        true => format!("{kind}({})", params.join(", ")),
        false => format!("{kind}({}) -> {}", params.join(", "), results.join(", ")),
    }
}

fn text(t: &Type) -> String {
    let inner = |t: Option<Type>| t.map_or("_".to_string(), |t| text(&t));
    match t {
        Type::Bool => "bool".into(),
        Type::S8 => "s8".into(),
        Type::U8 => "u8".into(),
        Type::S16 => "s16".into(),
        Type::U16 => "u16".into(),
        Type::S32 => "s32".into(),
        Type::U32 => "u32".into(),
        Type::S64 => "s64".into(),
        Type::U64 => "u64".into(),
        Type::Float32 => "f32".into(),
        Type::Float64 => "f64".into(),
        Type::Char => "char".into(),
        Type::String => "string".into(),
        Type::List(l) => format!("list<{}>", text(&l.ty())),
        Type::Record(r) => format!("record {{ {} }}", r.fields().map(|f| format!("{}: {}", f.name, text(&f.ty))).collect::<Vec<_>>().join(", ")),
        Type::Tuple(l) => format!("tuple<{}>", l.types().map(|t| text(&t)).collect::<Vec<_>>().join(", ")),
        Type::Variant(v) => {
            let cases: Vec<_> = v.cases().map(|c| c.ty.map_or(c.name.to_string(), |t| format!("{}({})", c.name, text(&t)))).collect();
            format!("variant {{ {} }}", cases.join(", "))
        }
        Type::Enum(e) => format!("enum {{ {} }}", e.names().collect::<Vec<_>>().join(", ")),
        Type::Flags(f) => format!("flags {{ {} }}", f.names().collect::<Vec<_>>().join(", ")),
        Type::Option(o) => format!("option<{}>", text(&o.ty())),
        Type::Result(r) => match (r.ok(), r.err()) {
            (None, None) => "result".into(),
            (ok, None) => format!("result<{}>", inner(ok)),
            (ok, err) => format!("result<{}, {}>", inner(ok), inner(err)),
        },
        Type::Own(_) => "resource".into(),
        Type::Borrow(_) => "borrow<resource>".into(),
        Type::Future(f) => format!("future<{}>", inner(f.ty())),
        Type::Stream(s) => format!("stream<{}>", inner(s.ty())),
        other => format!("{other:?}"),
    }
}
