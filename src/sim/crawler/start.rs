//! What a crawler decides at its start, from its own entry and the flags.

use super::keys::Keys;
use super::{Crawler, End, Env, Next, Stage};
use crate::sim::clock::rfc3339;
use crate::sim::storage::EMPTY_FOLDER;

impl Crawler {
    pub(super) fn boot(&mut self, keys: &mut Keys<'_>, env: &mut Env<'_>) -> Next {
        keys.drop_own_locks();
        match keys.status().as_deref() {
            Some("done") if keys.nothing_left() || keys.stops() => return Next::Exit(0),
            Some("done") => {
                keys.set_status("interrupted");
                return Next::Exit(1);
            }
            Some("generate-wacz" | "uploading-wacz") => {
                self.stage = Stage::Build(End::Redo);
                return Next::After(400);
            }
            _ => {}
        }
        let stamp: String = rfc3339(env.now).chars().filter(char::is_ascii_digit).collect();
        keys.reserve_name(&format!("{stamp}-{}.wacz", env.uid));
        let nothing = env.disk.unsaved.is_empty();
        if keys.stops() {
            return self.start_stopped(nothing, keys);
        }
        if keys.flag("canceled") {
            keys.set_status("canceled");
            return Next::Exit(0);
        }
        if keys.flag("paused") {
            return self.start_paused(nothing, keys);
        }
        keys.set_status("running");
        keys.set_size(env.disk.size());
        keys.queue(&env.site.seed(), &rfc3339(env.now));
        self.stage = Stage::Between;
        Next::After(100)
    }

    fn start_stopped(&mut self, nothing: bool, keys: &mut Keys<'_>) -> Next {
        if nothing && keys.done() == 0 {
            // Fatal, and yet exit 0: the kubelet shall not start it again.
            keys.set_status("failed");
            return Next::Exit(0);
        }
        keys.set_status("generate-wacz");
        self.stage = Stage::Build(End::Stopped);
        Next::After(500)
    }

    fn start_paused(&mut self, nothing: bool, keys: &mut Keys<'_>) -> Next {
        if nothing {
            keys.set_size(EMPTY_FOLDER);
            keys.set_status(if keys.done() == 0 { "failed" } else { "interrupted" });
            return Next::Exit(0);
        }
        keys.set_status("generate-wacz");
        self.stage = Stage::Build(End::Paused);
        Next::After(500)
    }
}
