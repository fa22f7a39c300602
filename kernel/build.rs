//! Names the sources that the kernel is built of, so that a test can tell one that was built of others.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// FNV-1a (Fowler, Noll, Vo): its start, and what it multiplies by.
const START: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("src");
    let mut digest = START;
    for path in files(&folder)? {
        let name = path.strip_prefix(&folder).unwrap().to_str().unwrap();
        for byte in [name.as_bytes(), &fs::read(&path)?].concat() {
            digest = (digest ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }
    println!("cargo::rustc-env=SOURCES={digest:016x}");
    println!("cargo::rerun-if-changed=src");
    Ok(())
}

/// All files below a folder, by path.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => found.extend(files(&path)?),
            false => found.push(path),
        }
    }
    found.sort();
    Ok(found)
}
