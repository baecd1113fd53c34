// SPDX-License-Identifier: Apache-2.0
//! Writes the bindings of one world for a guest: `weft-guest-bindgen [--language c|rust] --world NAME --out DIR WIT...`.
//!
//! What `wit-bindgen c --sync all` and `wit-bindgen rust --sync all` do, as a program of our own: the wit-bindgen CLI has no prebuilt package and takes minutes to
//! build. Every function is lowered and lifted synchronously, so that an await looks like an ordinary call to the guest.
//! WIT files are given dependencies first; the world is looked up in the last one.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use wit_bindgen_core::{AsyncFilterSet, Files, WorldGenerator, wit_parser::Resolve};

enum Language {
    C,
    Rust,
}

struct Args {
    language: Language,
    world: String,
    out: PathBuf,
    wit: Vec<PathBuf>,
}

fn parse_args() -> Result<Args> {
    let (mut language, mut world, mut out, mut wit) = (Language::C, None, None, Vec::new());
    let mut rest = std::env::args().skip(1);
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "--language" => {
                language = match rest.next().as_deref() {
                    Some("c") => Language::C,
                    Some("rust") => Language::Rust,
                    other => bail!("unknown language '{}'; expected c or rust", other.unwrap_or("")),
                }
            }
            "--world" => world = rest.next(),
            "--out" => out = rest.next().map(PathBuf::from),
            flag if flag.starts_with('-') => bail!("unknown option '{flag}'; expected --language L --world NAME --out DIR WIT..."),
            file => wit.push(PathBuf::from(file)),
        }
    }
    match (world, out) {
        (Some(world), Some(out)) if !wit.is_empty() => Ok(Args { language, world, out, wit }),
        _ => bail!("usage: weft-guest-bindgen [--language c|rust] --world NAME --out DIR WIT... (dependencies first)"),
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
    let mut generator: Box<dyn WorldGenerator> = match args.language {
        Language::C => wit_bindgen_c::Opts { async_: sync, ..Default::default() }.build(),
        // The crate in sdk/rust holds the bindings and a plugin's crate exports through them.
        Language::Rust => Box::new(
            wit_bindgen_rust::Opts {
                async_: sync,
                format: true,
                generate_all: true,
                pub_export_macro: true,
                export_macro_name: Some("export_bindings".into()),
                default_bindings_module: Some("weft_plugin::bindings".into()),
                ..Default::default()
            }
            .build(),
        ),
    };
    let mut files = Files::default();
    generator.generate(&mut resolve, world, &mut files)?;

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
