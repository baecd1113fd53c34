// SPDX-License-Identifier: Apache-2.0
//! Compiled code on disk. Compiled code is run without checks, so what is read must be what this user wrote: the folder and the file belong to us,
//! nobody else may enter or write, no symbolic link is followed, and the content's hash is the one that stands in front of it.

use crate::error::{Fail, Kind};
use sha2::{Digest, Sha256};
use std::fs::{DirBuilder, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::PathBuf;

const MAGIC: &[u8; 16] = b"weft compiled 1\n";

pub struct Cache {
    /// Open, so that nobody can put another folder in its place.
    dir: File,
    engine: String,
}

impl Cache {
    pub fn open(path: &str, engine: &wasmtime::Engine) -> Result<Cache, Fail> {
        let fail = |e: std::io::Error| Fail::new(Kind::Io, format!("the folder of compiled code '{path}' cannot be used: {e}; remove it or choose another"));
        let p = PathBuf::from(path);
        if let Some(parent) = p.parent() {
            std::fs::create_dir_all(parent).map_err(fail)?;
        }
        match DirBuilder::new().mode(0o700).create(&p) {
            Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => return Err(fail(e)),
            _ => {}
        }
        let dir = OpenOptions::new().read(true).custom_flags(libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC).open(&p).map_err(fail)?;
        let m = dir.metadata().map_err(fail)?;
        if m.uid() != uid() || m.mode() & 0o077 != 0 {
            return Err(Fail::new(
                Kind::Io,
                format!(
                    "the folder of compiled code '{path}' is open to others (owner {}, mode {:o}); expected owner {} and mode 700: remove it or choose another",
                    m.uid(),
                    m.mode() & 0o777,
                    uid()
                ),
            ));
        }
        let mut h = std::hash::DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut h);
        Ok(Cache { dir, engine: format!("{:016x}", h.finish()) })
    }

    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}/{name}", self.dir.as_raw_fd()))
    }

    fn name(&self, sha256: &str) -> String {
        format!("{sha256}-{}.cwasm", self.engine)
    }

    /// None: not there, or not to be trusted; then the caller compiles and puts.
    pub fn get(&self, sha256: &str) -> Option<Vec<u8>> {
        let mut f = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK).open(self.path(&self.name(sha256))).ok()?;
        let m = f.metadata().ok()?;
        if !m.is_file() || m.uid() != uid() || m.mode() & 0o077 != 0 || m.nlink() != 1 {
            return None;
        }
        let mut head = [0u8; 48];
        f.read_exact(&mut head).ok()?;
        let mut code = Vec::with_capacity(m.len() as usize);
        f.read_to_end(&mut code).ok()?;
        (head[..16] == MAGIC[..] && head[16..] == Sha256::digest(&code)[..]).then_some(code)
    }

    /// Whole or not at all; a failure only costs the next start its time.
    pub fn put(&self, sha256: &str, code: &[u8]) {
        let temporary = self.path(&format!("{sha256}.{}.{:?}.tmp", std::process::id(), std::thread::current().id()));
        let write = || -> std::io::Result<()> {
            let mut f = OpenOptions::new().write(true).create_new(true).mode(0o600).custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC).open(&temporary)?;
            f.write_all(MAGIC)?;
            f.write_all(&Sha256::digest(code))?;
            f.write_all(code)?;
            std::fs::rename(&temporary, self.path(&self.name(sha256)))
        };
        if write().is_err() {
            let _ = std::fs::remove_file(&temporary);
        }
    }
}

pub fn hex_sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

fn uid() -> u32 {
    // SAFETY: always succeeds.
    unsafe { libc::geteuid() }
}
