// SPDX-License-Identifier: Apache-2.0
//! Writes C bindings for one world: `weft-guest-bindgen --world NAME --out DIR WIT...`.
//!
//! What `wit-bindgen c --sync all` does, as a program of our own: the wit-bindgen CLI has no prebuilt package and takes minutes to
//! build. Every function is lowered and lifted synchronously, so that an await looks like an ordinary call to the guest.
//! WIT files are given dependencies first; the world is looked up in the last one.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use wit_bindgen_core::{AsyncFilterSet, Files, wit_parser::Resolve};

struct Args {
    world: String,
    out: PathBuf,
    wit: Vec<PathBuf>,
}

fn parse_args() -> Result<Args> {
    let (mut world, mut out, mut wit) = (None, None, Vec::new());
    let mut rest = std::env::args().skip(1);
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "--world" => world = rest.next(),
            "--out" => out = rest.next().map(PathBuf::from),
            flag if flag.starts_with('-') => bail!("unknown option '{flag}'; expected --world NAME --out DIR WIT..."),
            file => wit.push(PathBuf::from(file)),
        }
    }
    match (world, out) {
        (Some(world), Some(out)) if !wit.is_empty() => Ok(Args { world, out, wit }),
        _ => bail!("usage: weft-guest-bindgen --world NAME --out DIR WIT... (dependencies first)"),
    }
}

/// Leaves a file alone that already says the same, so that nothing is compiled again.
fn write_if_changed(path: &Path, contents: &[u8]) -> Result<()> {
    if std::fs::read(path).is_ok_and(|old| old == contents) {
        return Ok(());
    }
    std::fs::write(path, contents).with_context(|| format!("cannot write '{}'", path.display()))
}

fn run() -> Result<()> {
    let args = parse_args()?;
    let mut resolve = Resolve::default();
    let mut last = None;
    for file in &args.wit {
        let (package, _) = resolve.push_path(file).with_context(|| format!("cannot read the WIT of '{}'", file.display()))?;
        last = Some(package);
    }
    let package = last.context("no WIT file was given")?;
    let world = resolve.select_world(&[package], Some(&args.world))?;

    let mut sync = AsyncFilterSet::default();
    sync.push("all");
    let options = wit_bindgen_c::Opts { async_: sync, ..Default::default() };
    let mut files = Files::default();
    options.build().generate(&mut resolve, world, &mut files)?;

    std::fs::create_dir_all(&args.out).with_context(|| format!("cannot make the folder '{}'", args.out.display()))?;
    for (name, contents) in files.iter() {
        write_if_changed(&args.out.join(name), contents)?;
    }
    Ok(())
}

fn main() {
    if let Err(error) = run() {
        eprintln!("weft-guest-bindgen: {error:#}");
        std::process::exit(1);
    }
}
