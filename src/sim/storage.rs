//! What outlives a process: the folder on a volume, and the bucket where archives go. The bucket is the ledger against
//! which a run is judged.

use crate::outside::memory::MemoryStore;

/// Bytes of an empty folder.
pub const EMPTY_FOLDER: u64 = 4096;

/// The content of one volume, by the UID of its claim (or of the pod, for an emptyDir).
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Disk {
    /// Pages whose data is here and nowhere else.
    pub unsaved: Vec<String>,
    /// Their bytes.
    pub unsaved_bytes: u64,
    /// Bytes that stay after the final upload.
    pub saved_bytes: u64,
    /// What a Redis server wrote here.
    pub store: MemoryStore,
}

impl Disk {
    /// What the crawler measures.
    #[must_use]
    pub const fn size(&self) -> u64 {
        EMPTY_FOLDER + self.unsaved_bytes + self.saved_bytes
    }

    /// One page more.
    pub fn add(&mut self, url: String, bytes: u64) {
        self.unsaved.push(url);
        self.unsaved_bytes += bytes;
    }
}

/// An uploaded archive.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Upload {
    /// Full name.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Pages in it.
    pub pages: Vec<String>,
    /// Its line is in `crawls-done`.
    pub announced: bool,
}

/// Everything that was uploaded, oldest first; an upload of the same name replaces the former.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Bucket {
    /// The archives.
    pub uploads: Vec<Upload>,
}

impl Bucket {
    /// Stores an archive.
    pub fn put(&mut self, upload: Upload) {
        self.uploads.retain(|other| other.name != upload.name);
        self.uploads.push(upload);
    }

    /// Distinct pages in all archives.
    #[must_use]
    pub fn pages(&self) -> usize {
        let pages: std::collections::BTreeSet<&String> = self.uploads.iter().flat_map(|upload| &upload.pages).collect();
        pages.len()
    }

    /// Bytes of all archives.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.uploads.iter().map(|upload| upload.size).sum()
    }
}
