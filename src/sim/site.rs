//! The site that crawlers crawl: pages that link to further pages, so that the queue grows while it is worked on.

use super::rng::Rng;

/// A site.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Site {
    /// Its address, without a slash at the end.
    pub address: String,
    /// Its pages.
    pub pages: u64,
    /// Milliseconds a page takes, least and most.
    pub page_millis: (u64, u64),
    /// Bytes a page leaves, least and most.
    pub page_bytes: (u64, u64),
}

impl Site {
    /// The first page.
    #[must_use]
    pub fn seed(&self) -> String {
        self.url(0)
    }

    /// Pages that a page links to: at most three, and every page is linked from exactly one.
    #[must_use]
    pub fn links(&self, url: &str) -> Vec<String> {
        let number = url
            .rsplit('/')
            .next()
            .and_then(|last| last.parse::<u64>().ok())
            .unwrap_or(0);
        (3 * number + 1..=3 * number + 3)
            .filter(|next| *next < self.pages)
            .map(|next| self.url(next))
            .collect()
    }

    /// How long a page takes.
    pub fn draw_millis(&self, rng: &mut Rng) -> u64 {
        rng.between(self.page_millis.0, self.page_millis.1)
    }

    /// What a page leaves on the volume.
    pub fn draw_bytes(&self, rng: &mut Rng) -> u64 {
        rng.between(self.page_bytes.0, self.page_bytes.1)
    }

    fn url(&self, number: u64) -> String {
        if number == 0 {
            format!("{}/", self.address)
        } else {
            format!("{}/page/{number}", self.address)
        }
    }
}
