//! Stores as real Redis servers: held against the store in this process, against faults, and counted in round trips.

use std::time::Duration;

use rollcall::outside::Stores;
use rollcall::outside::redis::RedisStores;
use rollcall::outside::store::{StoreAddress, StoreQuestion, StoreReading, StoreView, Unreachable};

mod conformance;
mod faults;
pub(crate) mod listener;
mod real;

/// The job of these tests.
const JOB: &str = "news";

/// What the product uses.
const DEADLINE: Duration = Duration::from_secs(2);

fn stores() -> Stores {
    Stores::Redis(RedisStores::new(DEADLINE))
}

fn address(port: u16) -> StoreAddress {
    let ip = std::net::Ipv4Addr::LOCALHOST.into();
    StoreAddress {
        namespace: "crawls".to_owned(),
        job: JOB.to_owned(),
        ip,
        port,
    }
}

fn question() -> StoreQuestion {
    StoreQuestion { lines_from: 0 }
}

fn reachable(reading: StoreReading) -> StoreView {
    match reading {
        StoreReading::Reachable(view) => *view,
        StoreReading::Unreachable(reason) => panic!("the store can't be asked: {reason:?}"),
    }
}

fn unreachable(reading: StoreReading) -> Unreachable {
    match reading {
        StoreReading::Reachable(view) => panic!("the store answered: {view:?}"),
        StoreReading::Unreachable(reason) => reason,
    }
}
