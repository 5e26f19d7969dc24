//! Takes a crawler that stopped crawling; gives what the real one does then: the archive, the upload, the last status and
//! the exit code.

use redis::cmd;
use serde_json::json;

use super::{Crawler, STEP, Stop};
use crate::machine::Upload;

impl Crawler {
    pub(super) async fn end(&self, stop: Stop) -> i32 {
        let (status, code) = match stop {
            Stop::Canceled => ("canceled", 0),
            Stop::NothingToCrawl => ("failed", 0),
            Stop::Interrupted(code) => ("interrupted", code),
            Stop::Asked | Stop::Limit(_) if self.pages().is_empty() && self.done().await == 0 => ("failed", 0),
            Stop::Finished | Stop::Asked => {
                self.post_crawl().await;
                ("done", 0)
            }
            Stop::Limit(code) => {
                self.post_crawl().await;
                self.forget().await;
                ("interrupted", code)
            }
        };
        self.set_status(status).await;
        code
    }

    /// The pages on the volume become a file in the store; the folder stays as it is.
    async fn post_crawl(&self) {
        for status in ["pending-wait", "generate-wacz"] {
            self.step(status).await;
        }
        let (pages, Some(storage)) = (self.pages(), &self.setup.storage) else {
            return;
        };
        if pages.is_empty() {
            return;
        }
        self.step("uploading-wacz").await;
        let reserved: Option<String> = self
            .store
            .ask(cmd("HGET").arg(self.key("nextWacz")).arg(&self.setup.host))
            .await;
        let name = reserved.unwrap_or_else(|| self.file_name());
        let size = pages.iter().map(|page| page.bytes).sum::<u64>() + 1000;
        let [endpoint, path, user, _] = storage;
        let object = format!("{endpoint}{path}{name}");
        let upload = Upload {
            crawl: self.setup.crawl.clone(),
            name: object.clone(),
            pages,
            listed: false,
        };
        self.machine.account().uploads.push(upload);
        // The object is in the store before Redis hears of it; a kill in between leaves a file that nobody lists.
        let hash = sha256(&format!("{name}{size}"));
        let line = json!({"id": self.setup.crawl, "user": user, "filename": object,
            "path": name, "size": size, "hash": hash, "bytes": size, "completed": self.is_finished().await});
        let list = self.setup.webhook_url.rsplit('/').next().unwrap_or("crawls-done");
        self.tell(cmd("RPUSH").arg(list).arg(line.to_string())).await;
        self.machine.account().listed(&object);
        self.tell(cmd("HDEL").arg(self.key("nextWacz")).arg(&self.setup.host))
            .await;
    }

    /// A step takes a moment, or with the configuration's `slowStep` of that name until the pod is to go.
    async fn step(&self, status: &str) {
        self.set_status(status).await;
        if self.setup.config["slowStep"] == status {
            let mut signals = self.signals.clone();
            // The sender goes with the container, and then this task does too.
            let _ = signals.wait_for(|count| *count > 0).await;
        } else {
            tokio::time::sleep(STEP).await;
        }
    }

    async fn forget(&self) {
        self.machine.account().folders.remove(&self.setup.volume);
        self.tell(cmd("HSET").arg(self.key("size")).arg(&self.setup.host).arg(0))
            .await;
    }

    pub(super) async fn start_after_done(&self) -> i32 {
        if self.is_finished().await || self.is_flag("stopping").await {
            return 0;
        }
        self.set_status("interrupted").await;
        1
    }

    pub(super) async fn post_crawl_again(&self) -> i32 {
        self.post_crawl().await;
        let over = self.is_finished().await || self.is_flag("stopping").await;
        self.set_status(if over { "done" } else { "interrupted" }).await;
        i32::from(!over)
    }
}

fn sha256(text: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(text.as_bytes())
        .iter()
        .fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
