//! Names the sources that the kernel is built of, so that a test can tell one that was built of others.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use xxhash_rust::xxh3::Xxh3Default;

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("src");
    let mut digest = Xxh3Default::new();
    for path in files(&folder)? {
        let name = path.strip_prefix(&folder).unwrap().to_str().unwrap();
        digest.update(name.as_bytes());
        digest.update(&fs::read(&path)?);
    }
    println!("cargo::rustc-env=SOURCES={:016x}", digest.digest());
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
