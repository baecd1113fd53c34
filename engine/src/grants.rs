// SPDX-License-Identifier: Apache-2.0
//! What an import needs to be granted, and the WASI context that the grants make.

use crate::error::{Fail, Kind};
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{FsPerms, WasiCtxBuilder};
use weft_engine_base::abi::shapes::{List, Str};
use weft_engine_base::data::Wasi;
use weft_engine_glue as glue;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct AbiFolder {
    host: Str,
    guest: Str,
    writable: bool,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AbiPair {
    key: Str,
    value: Str,
}
#[repr(C)]
pub struct AbiGrants {
    gpu: bool,
    log: bool,
    stdio: bool,
    environment: bool,
    clocks: bool,
    random: bool,
    files: bool,
    network: bool,
    surface: bool,
    /// The interfaces of stdio are there, and nothing is behind them.
    closed_stdio: bool,
    arguments: List<Str>,
    variables: List<AbiPair>,
    folders: List<AbiFolder>,
}

pub enum Need {
    /// Carries nothing by itself.
    Free,
    Grant(&'static str),
    Unknown,
}

/// `import` as a component spells it.
pub fn need(import: &str) -> Need {
    let path = import.split('@').next().unwrap_or(import);
    if glue::IMPORTS.iter().any(|i| i.interface == import) {
        let (package, _) = path.split_once('/').unwrap_or((path, ""));
        return Need::Grant(match package {
            "wasi:webgpu" => "gpu",
            "wasi-gfx:surface" | "wasi-gfx:frame-buffer" => "surface",
            _ => "log",
        });
    }
    let (package, interface) = path.split_once('/').unwrap_or((path, ""));
    match (package, interface) {
        ("wasi:io", _) | ("wasi:cli", "types") => Need::Free,
        ("wasi:cli", "environment" | "exit") => Need::Grant("environment"),
        ("wasi:cli", _) => Need::Grant("stdio"),
        ("wasi:clocks", _) => Need::Grant("clocks"),
        ("wasi:random", _) => Need::Grant("random"),
        ("wasi:filesystem", _) => Need::Grant("files"),
        ("wasi:sockets", _) => Need::Grant("network"),
        _ => Need::Unknown,
    }
}

impl AbiGrants {
    pub fn has(&self, grant: &str) -> bool {
        match grant {
            "gpu" => self.gpu,
            "log" => self.log,
            "stdio" => self.stdio || self.closed_stdio,
            "environment" => self.environment,
            "clocks" => self.clocks,
            "random" => self.random,
            "files" => self.files,
            "network" => self.network,
            "surface" => self.surface,
            _ => false,
        }
    }

    /// # Safety
    /// The lists and texts are valid.
    pub unsafe fn wasi(&self) -> Result<Wasi, Fail> {
        let mut b = WasiCtxBuilder::new();
        // An instance runs on its caller's thread; blocking it there is what the caller asked for, and saves a thread.
        b.allow_blocking_current_thread(true);
        if self.stdio {
            b.inherit_stdio();
        }
        unsafe {
            for a in self.arguments.slice() {
                b.arg(a.text());
            }
            for v in self.variables.slice() {
                b.env(v.key.text(), v.value.text());
            }
            if self.files {
                for f in self.folders.slice() {
                    let perms = if f.writable { FsPerms::ReadWrite } else { FsPerms::ReadOnly };
                    let host = f.host.text();
                    b.preopened_dir(&host, f.guest.text(), perms)
                        .map_err(|e| Fail::new(Kind::Io, format!("the folder '{host}' cannot be given to the guest: {e:#}")))?;
                }
            }
        }
        if self.network {
            b.inherit_network().allow_ip_name_lookup(true);
        }
        Ok(Wasi { ctx: b.build(), table: ResourceTable::new() })
    }
}
