//! How a crawler ends: flush, build, upload, announce, and the exit code that tells the kubelet whether to go on.

use serde_json::json;
use sha2::{Digest, Sha256};

use super::keys::Keys;
use super::{Crawler, End, Env, Next, Stage};
use crate::sim::storage::Upload;

impl Crawler {
    /// Pages are written to disk; a signal ends here, with nothing uploaded.
    pub(super) fn flushed(&mut self, end: End, keys: &mut Keys<'_>) -> Next {
        match end {
            End::Signal => {
                keys.set_status("interrupted");
                Next::Exit(11)
            }
            End::Finished | End::Stopped | End::Paused | End::Redo => {
                keys.set_status("generate-wacz");
                self.stage = Stage::Build(end);
                Next::After(700)
            }
        }
    }

    pub(super) fn built(&mut self, end: End, keys: &mut Keys<'_>, env: &mut Env<'_>) -> Next {
        if env.disk.unsaved.is_empty() || env.target.is_none() {
            return Self::finish(end, keys, env);
        }
        keys.set_status("uploading-wacz");
        self.stage = Stage::Upload(end);
        Next::After(800 + env.disk.unsaved_bytes / 100_000)
    }

    pub(super) fn uploaded(end: End, keys: &mut Keys<'_>, env: &mut Env<'_>) -> Next {
        let completed = keys.nothing_left() && keys.done() > 0;
        if let Some(upload) = archive(true, keys, env) {
            let hash = digest(&upload);
            keys.announce(&json!({
                "id": env.id, "user": env.user, "filename": upload.name, "path": upload.name.rsplit('/').next(),
                "size": upload.size, "hash": hash, "bytes": upload.size, "completed": completed,
            }));
            env.disk.saved_bytes += env.disk.unsaved_bytes;
            env.disk.unsaved_bytes = 0;
            env.disk.unsaved.clear();
            env.bucket.put(upload);
        }
        Self::finish(end, keys, env)
    }

    fn finish(end: End, keys: &mut Keys<'_>, env: &mut Env<'_>) -> Next {
        match end {
            End::Finished | End::Stopped => Self::final_exit(keys),
            End::Paused => Self::paused(keys, env),
            End::Redo if keys.stops() || (keys.nothing_left() && keys.done() > 0) => Self::final_exit(keys),
            End::Redo if keys.flag("paused") => Self::paused(keys, env),
            End::Redo | End::Signal => {
                keys.set_status("interrupted");
                Next::Exit(1)
            }
        }
    }

    /// The folder keeps its data, and the store its size.
    fn final_exit(keys: &mut Keys<'_>) -> Next {
        keys.set_status("done");
        Next::Exit(0)
    }

    /// The folder is emptied.
    fn paused(keys: &mut Keys<'_>, env: &mut Env<'_>) -> Next {
        if env.disk.unsaved.is_empty() {
            env.disk.saved_bytes = 0;
            keys.set_size(0);
        }
        keys.set_status("interrupted");
        Next::Exit(0)
    }

    /// Canceled: at once, nothing is announced; what was on its way may be in the bucket.
    pub(super) fn canceled(uploading: bool, keys: &mut Keys<'_>, env: &mut Env<'_>) -> Next {
        if uploading && let Some(upload) = archive(false, keys, env) {
            env.bucket.put(upload);
        }
        keys.set_status("canceled");
        Next::Exit(0)
    }
}

fn archive(announced: bool, keys: &Keys<'_>, env: &Env<'_>) -> Option<Upload> {
    let name = keys
        .reserved_name()
        .unwrap_or_else(|| format!("{}-unnamed.wacz", env.uid));
    Some(Upload {
        name: format!("{}{name}", env.target?),
        size: env.disk.unsaved_bytes,
        pages: env.disk.unsaved.clone(),
        announced,
    })
}

/// Stands in for the hash of the archive: of what is in it.
fn digest(upload: &Upload) -> String {
    let text = format!("{} {} {:?}", upload.name, upload.size, upload.pages);
    let bytes = Sha256::digest(text);
    bytes
        .iter()
        .fold(String::new(), |hash, byte| hash + &format!("{byte:02x}"))
}
