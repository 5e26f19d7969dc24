//! Takes what runs on the node and what lies on its volumes; gives the account of it that the oracle reads: every page
//! kept, every file uploaded, every volume that went with something on it. Speaks to nobody.

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::process::folder;

/// One page in a crawler's folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Page {
    pub(crate) crawl: String,
    pub(crate) url: String,
    pub(crate) bytes: u64,
}

/// A file that reached the object store.
#[derive(Clone, Debug)]
pub(crate) struct Upload {
    pub(crate) crawl: String,
    pub(crate) name: String,
    pub(crate) pages: Vec<Page>,
    /// Whether Redis was told of it.
    pub(crate) listed: bool,
}

#[derive(Default)]
pub(crate) struct Account {
    pub(crate) folders: BTreeMap<String, Vec<Page>>,
    pub(crate) visited: BTreeSet<(String, String)>,
    pub(crate) uploads: Vec<Upload>,
    /// Pages that were on a volume when it went and in no uploaded file.
    pub(crate) lost: Vec<Page>,
    /// Each exit of a container: pod and code.
    pub(crate) exits: Vec<(String, i32)>,
    names: BTreeMap<String, Ipv4Addr>,
}

impl Account {
    pub(crate) fn listed(&mut self, name: &str) {
        self.uploads
            .iter_mut()
            .filter(|upload| upload.name == name)
            .for_each(|upload| upload.listed = true);
    }

    pub(crate) fn is_uploaded(&self, crawl: &str, url: &str) -> bool {
        let holds = |upload: &Upload| upload.crawl == crawl && upload.pages.iter().any(|page| page.url == url);
        self.uploads.iter().any(holds)
    }
}

/// The node of one test.
#[derive(Clone, Default)]
pub(crate) struct Machine(Arc<Mutex<Account>>);

static NEXT_ADDRESS: AtomicU32 = AtomicU32::new(1);

impl Machine {
    pub(crate) fn account(&self) -> MutexGuard<'_, Account> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A loopback address whose Redis port is free; the whole of 127/8 is ours.
    pub(crate) fn address() -> Ipv4Addr {
        let block = 16 + std::process::id() % 224;
        loop {
            let next = NEXT_ADDRESS.fetch_add(1, Ordering::Relaxed);
            let octet = |shift: u32| u8::try_from((next >> shift) & 0xff).expect("one byte");
            let address = Ipv4Addr::new(127, u8::try_from(block).expect("one byte"), octet(8), octet(0));
            if octet(0) != 0 && octet(0) != 255 && std::net::TcpListener::bind((address, 6379)).is_ok() {
                return address;
            }
        }
    }

    /// What cluster DNS does for pods with a hostname and a subdomain.
    pub(crate) fn publish(&self, name: &str, address: Option<Ipv4Addr>) {
        let names = &mut self.account().names;
        match address {
            Some(address) => names.insert(name.to_owned(), address),
            None => names.remove(name),
        };
    }

    pub(crate) fn resolve(&self, host: &str) -> Option<Ipv4Addr> {
        let name: Vec<&str> = host.split('.').take(2).collect();
        self.account().names.get(&name.join(".")).copied()
    }

    /// A connection to the Redis that has this name now.
    pub(crate) async fn redis(&self, host: &str) -> Option<redis::aio::MultiplexedConnection> {
        let address = self.resolve(host)?;
        let client = redis::Client::open(format!("redis://{address}:6379/0")).ok()?;
        client.get_multiplexed_async_connection().await.ok()
    }

    /// Where a volume's files lie, for processes that write some.
    pub(crate) fn path(volume: &str) -> PathBuf {
        let path = folder().join("volumes").join(volume);
        std::fs::create_dir_all(&path).expect("a folder for the volume");
        path
    }

    /// The claim is gone, and so is what it held.
    pub(crate) fn volume_gone(&self, volume: &str) {
        let mut account = self.account();
        let pages = account.folders.remove(volume).unwrap_or_default();
        let lost: Vec<Page> = pages
            .into_iter()
            .filter(|page| !account.is_uploaded(&page.crawl, &page.url))
            .collect();
        account.lost.extend(lost);
        drop(account);
        let _ = std::fs::remove_dir_all(folder().join("volumes").join(volume));
    }
}
