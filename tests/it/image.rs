//! The image is built from what its Dockerfile copies: a file outside `src` that the program includes must be among that.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::corpus::{files, root};

/// Paths, from the repository on, that the text of a source file includes.
fn included(source: &Path, text: &str) -> Vec<PathBuf> {
    let calls = ["include_str!(\"", "include_bytes!(\""];
    let starts = calls.iter().flat_map(|call| text.split(call).skip(1));
    let names = starts.filter_map(|rest| Some(rest.split_once('"')?.0));
    let folder = source.parent().expect("a file is in a folder");
    names.map(|name| plain(&folder.join(name))).collect()
}

/// Without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts
        .strip_prefix(root())
        .expect("it lies in the repository")
        .to_owned()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = files(folder).into_iter().partition(|path| path.is_dir());
    let inner = folders.iter().flat_map(|folder| sources(folder));
    // Tests beside the code are not compiled into the image.
    let product = files.into_iter().filter(|path| !path.ends_with("tests.rs"));
    inner.chain(product).collect()
}

#[test]
fn the_dockerfile_copies_all_that_the_program_includes() {
    let dockerfile = fs::read_to_string(root().join("Dockerfile")).unwrap();
    let copied: Vec<&str> = dockerfile
        .lines()
        .filter_map(|line| line.strip_prefix("COPY ").filter(|rest| !rest.starts_with("--from")))
        .flat_map(|rest| rest.split_whitespace().rev().skip(1))
        .collect();
    let mut seen = 0;
    for source in sources(&root().join("src")) {
        for file in included(&source, &fs::read_to_string(&source).unwrap()) {
            seen += 1;
            assert!(
                copied.iter().any(|place| file.starts_with(place)),
                "{} includes {}, which the Dockerfile does not copy",
                source.display(),
                file.display()
            );
        }
    }
    assert!(seen > 0, "nothing is included, so this test sees nothing");
}
