// SPDX-License-Identifier: Apache-2.0
//! Calls by name, for components that the host knows nothing of: values as WAVE text, and command components.

use weft_engine_base::abi::shapes::{List, Str};
use crate::call::{CallHandle, start_call};
use crate::component::Comp;
use crate::instance::InstanceHandle;
use crate::signature::signature;
use weft_engine_base::data::{Bound, Store, find_export, finish_call};
use wasmtime::component::Val;
use wasmtime::component::types::ComponentFunc;
use wasmtime::{Result, bail, format_err};

/// "name", "iface#name" or "pkg:name/iface@1.0.0#name".
fn find(comp: &Comp, wanted: &str) -> Result<(String, String, ComponentFunc)> {
    let short = |i: &str| i.split('/').next_back().unwrap_or(i).split('@').next().unwrap_or(i).to_string();
    let all = comp.functions();
    let hits: Vec<_> = match wanted.split_once('#') {
        Some((i, n)) => all.iter().filter(|f| (f.0 == i || short(&f.0) == i) && f.1 == n).collect(),
        None => all.iter().filter(|f| f.1 == wanted).collect(),
    };
    let names = |fs: &[&(String, String, ComponentFunc)]| {
        fs.iter().map(|f| if f.0.is_empty() { f.1.clone() } else { format!("{}#{}", f.0, f.1) }).collect::<Vec<_>>().join(", ")
    };
    match hits[..] {
        [one] => Ok(one.clone()),
        [] if all.is_empty() => bail!("it exports no function"),
        [] => bail!("it exports no function '{wanted}'; it exports {}", names(&all.iter().collect::<Vec<_>>())),
        _ => bail!("'{wanted}' is exported more than once: say which of {}", names(&hits)),
    }
}

fn arguments(f: &ComponentFunc, name: &str, texts: &[String]) -> Result<Vec<Val>> {
    let types: Vec<_> = f.params().collect();
    if types.len() != texts.len() {
        bail!("{name}: {} takes {} arguments, and {} are given", signature(f), types.len(), texts.len());
    }
    types
        .iter()
        .zip(texts)
        .map(|((param, ty), text)| {
            Val::from_wave(ty, text).map_err(|e| format_err!("{name}: '{text}' is no value for '{param}' in {}: {e}", signature(f)))
        })
        .collect()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_instance_invoke(instance: *mut InstanceHandle, function: Str, args: *const List<Str>) -> *mut CallHandle {
    unsafe {
        let comp = (&(*instance).0).comp.clone();
        let function = function.text();
        let texts: Vec<String> = (*args).slice().iter().map(|a| a.text()).collect();
        start_call(instance, "the invoked function", &mut |store: &mut Store, bound: &Bound| {
            let (interface, name, ty) = find(&comp, &function)?;
            let params = arguments(&ty, &name, &texts)?;
            let instance = bound.instance.ok_or_else(|| format_err!("the instance has not started"))?;
            let parent = match interface.as_str() {
                "" => None,
                i => Some(instance.get_export_index(&mut *store, None, i).ok_or_else(|| format_err!("'{i}' is not there"))?),
            };
            let index = instance.get_export_index(&mut *store, parent.as_ref(), &name).ok_or_else(|| format_err!("'{name}' is not there"))?;
            let f = instance.get_func(&mut *store, index).ok_or_else(|| format_err!("'{name}' is not a function"))?;
            let count = ty.results().len();
            Ok(Box::new(move |store: &mut Store| {
                Box::pin(async move {
                    let mut results = vec![Val::Bool(false); count];
                    f.call_async(&mut *store, &params, &mut results).await?;
                    let texts = results.iter().map(|v| v.to_wave()).collect::<Result<Vec<_>>>()?;
                    finish_call(store, texts.join("\n"))
                })
            }))
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_instance_run_command(instance: *mut InstanceHandle) -> *mut CallHandle {
    unsafe {
        let comp = (&(*instance).0).comp.clone();
        start_call(instance, "wasi:cli/run", &mut |store: &mut Store, bound: &Bound| {
            let run = comp.functions().into_iter().find(|f| f.0.starts_with("wasi:cli/run@") && f.1 == "run");
            let (interface, name, _) = run.ok_or_else(|| format_err!("it does not export wasi:cli/run: it is not a command; call one of its functions by name"))?;
            let instance = bound.instance.ok_or_else(|| format_err!("the instance has not started"))?;
            let f = find_export::<(), (std::result::Result<(), ()>,)>(&instance, store, &interface, &name)?;
            Ok(Box::new(move |store: &mut Store| {
                Box::pin(async move {
                    let code = match f.call_async(&mut *store, ()).await {
                        Ok((Ok(()),)) => 0u32,
                        Ok((Err(()),)) => 1,
                        Err(e) => match e.downcast_ref::<wasmtime_wasi::I32Exit>() {
                            Some(exit) => exit.0 as u32,
                            None => return Err(e),
                        },
                    };
                    finish_call(store, code)
                })
            }))
        })
    }
}
