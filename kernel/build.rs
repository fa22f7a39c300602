//! Names the sources that the kernel is built of, so that a test can tell one that was built of others.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use xxhash_rust::xxh3::Xxh3Default;

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let mut digest = Xxh3Default::new();
    for folder in ["crates", "src"] {
        for path in files(&root.join(folder))? {
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
            digest.update(name.as_bytes());
            digest.update(&fs::read(&path)?);
        }
        println!("cargo::rerun-if-changed={folder}");
    }
    println!("cargo::rustc-env=SOURCES={:016x}", digest.digest());
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
