//! What the store of a small call holds, in the form of a store file. Says only what a test is about; every other key is
//! missing, as in a young store.

use serde_json::{Value, json};

/// Keys and values of the store of the job `news`.
#[derive(Debug, Clone)]
pub(super) struct Kept(pub(super) Value);

impl Kept {
    /// A store that never heard of us.
    pub(super) fn nothing() -> Self {
        Self(json!({}))
    }

    /// A store that carries our mark and nothing else (S2).
    pub(super) fn marked() -> Self {
        Self::nothing().text("rollcall:mark", "1")
    }

    /// A plain value.
    pub(super) fn text(mut self, key: &str, value: &str) -> Self {
        self.0[key] = json!({"type": "string", "value": value});
        self
    }

    /// One field of a hash.
    pub(super) fn field(mut self, key: &str, field: &str, value: &str) -> Self {
        if self.0[key].is_null() {
            self.0[key] = json!({"type": "hash", "value": {}});
        }
        self.0[key]["value"][field] = value.into();
        self
    }

    /// A list of lines.
    pub(super) fn lines(mut self, key: &str, lines: &[String]) -> Self {
        self.0[key] = json!({"type": "list", "value": lines});
        self
    }

    /// The crawler's own word on an instance.
    pub(super) fn entry(self, index: u32, word: &str) -> Self {
        self.field("news:status", &format!("crawl-news-{index}"), word)
    }

    /// Bytes in the folder of an instance.
    pub(super) fn size(self, index: u32, bytes: u64) -> Self {
        self.field("news:size", &format!("crawl-news-{index}"), &bytes.to_string())
    }

    /// Pages found and done.
    pub(super) fn pages(self, found: u32, done: u32) -> Self {
        let mut kept = self.text("news:d", &done.to_string());
        let pages: Vec<String> = (0..found).map(|page| format!("https://example.org/{page}")).collect();
        kept.0["news:s"] = json!({"type": "set", "value": pages});
        kept
    }

    /// Pages that wait.
    pub(super) fn queued(mut self, pages: u32) -> Self {
        let pages: Vec<Value> = (0..pages).map(|page| json!([format!("page {page}"), page])).collect();
        self.0["news:q"] = json!({"type": "zset", "value": pages});
        self
    }

    /// Uploaded archives of ten bytes each.
    pub(super) fn files(self, number: u32) -> Self {
        let lines: Vec<String> = (0..number)
            .map(|file| json!({"id": "news", "filename": format!("{file}.wacz"), "size": 10}).to_string())
            .collect();
        self.lines("crawls-done", &lines)
    }

    /// A flag that crawlers read.
    pub(super) fn flag(self, name: &str) -> Self {
        self.text(&format!("news:{name}"), "1")
    }
}
