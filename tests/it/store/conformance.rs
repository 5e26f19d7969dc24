//! The store in this process against a real redis-server: the same writes and the same crawlers' commands give the same
//! reading.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rollcall::outside::Stores;
use rollcall::outside::memory::{MemoryStore, MemoryStores, Refusal};
use rollcall::outside::store::{Mark, RateLimit, StoreAddress, StoreQuestion, StoreReading, StoreWrite};

use super::{JOB, address, stores};
use crate::server::Server;

/// What a crawler, or somebody with a shell, does to a key.
#[derive(Debug, Clone)]
enum Command {
    Set(&'static str, String),
    Incr(&'static str),
    Del(&'static str),
    HSet(&'static str, String, String),
    HDel(&'static str, String),
    RPush(&'static str, String),
    LPush(&'static str, String),
    LPop(&'static str),
    SAdd(&'static str, String),
    SRem(&'static str, String),
    ZAdd(&'static str, i32, String),
    ZRem(&'static str, String),
    ZPopMin(&'static str),
}

#[derive(Debug, Clone)]
enum Step {
    Hook(Vec<StoreWrite>),
    Crawler(Command),
    Lost,
}

/// Each is now and then used as if it held another type.
const KEYS: [&str; 22] = [
    "news:status",
    "news:size",
    "news:d",
    "news:s",
    "news:extraSeeds",
    "news:excluded",
    "news:f",
    "news:q",
    "news:p",
    "news:rateLimited",
    "news:failReason",
    "news:stopping",
    "news:canceled",
    "news:paused",
    "news:stopone",
    "crawls-done",
    "rollcall:mark",
    "rollcall:exec",
    "rollcall:idle",
    "rollcall:rate-limited",
    "rollcall:flagged",
    "news:nextWacz",
];

fn field() -> impl Strategy<Value = String> {
    prop_oneof!["crawl-news-[0-3]", "crawl-other-0", "[a-c]"]
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "0|1|4096|-3|99999999999999999999",
        "running|done|interrupted|failed|failing|canceled|pending-wait|generate-wacz|uploading-wacz",
        "first|renewed|not_logged_in|2026-11-30T13:15:24Z",
        r#"\{"id":"(news|other)","filename":"[a-c]\.wacz","size":[0-9]{1,4}\}"#,
        "[a-cü \r\n\"]{0,6}",
    ]
}

/// Mostly a command that fits the key.
fn fitting() -> impl Strategy<Value = Command> {
    prop_oneof![
        (
            prop::sample::select(vec!["news:status", "news:size", "news:stopone", "news:p"]),
            field(),
            value()
        )
            .prop_map(|(key, field, value)| Command::HSet(key, field, value)),
        (
            prop::sample::select(vec!["news:status", "news:size", "news:stopone", "news:p"]),
            field()
        )
            .prop_map(|(key, field)| Command::HDel(key, field)),
        Just(Command::Incr("news:d")),
        (prop::sample::select(vec!["news:s", "news:excluded"]), value()).prop_map(|(key, url)| Command::SAdd(key, url)),
        value().prop_map(|line| Command::RPush("crawls-done", line)),
        value().prop_map(|line| Command::LPush("news:f", line)),
        (0..3, value()).prop_map(|(score, page)| Command::ZAdd("news:q", score, page)),
        Just(Command::ZPopMin("news:q")),
        (
            prop::sample::select(vec!["news:failReason", "news:paused", "news:rateLimited"]),
            value()
        )
            .prop_map(|(key, value)| Command::Set(key, value)),
    ]
}

fn any_command() -> impl Strategy<Value = Command> {
    (prop::sample::select(KEYS.to_vec()), field(), value(), 0..3, 0..13).prop_map(
        |(key, field, value, score, which)| match which {
            0 => Command::Set(key, value),
            1 => Command::Incr(key),
            2 => Command::Del(key),
            3 => Command::HSet(key, field, value),
            4 => Command::HDel(key, field),
            5 => Command::RPush(key, value),
            6 => Command::LPush(key, value),
            7 => Command::LPop(key),
            8 => Command::SAdd(key, value),
            9 => Command::SRem(key, value),
            10 => Command::ZAdd(key, score, value),
            11 => Command::ZRem(key, value),
            _ => Command::ZPopMin(key),
        },
    )
}

fn write() -> impl Strategy<Value = StoreWrite> {
    let instant = || "2026-11-30T13:15:24Z".parse().expect("a time");
    prop_oneof![
        prop::sample::select(vec![Mark::First, Mark::Renewed]).prop_map(StoreWrite::SetMark),
        prop::sample::select(vec![
            StoreWrite::ForgetInstances,
            StoreWrite::SetStopping,
            StoreWrite::SetCanceled,
            StoreWrite::DeleteCanceled,
            StoreWrite::SetPaused,
            StoreWrite::DeletePaused,
            StoreWrite::SetIdleSince(instant()),
            StoreWrite::DeleteIdle,
            StoreWrite::SetRateLimit(RateLimit {
                since: instant(),
                done: 3,
            }),
            StoreWrite::DeleteRateLimit,
        ]),
        (0..4_u32).prop_map(StoreWrite::SetStopOne),
        (0..4_u32).prop_map(StoreWrite::DeleteStopOne),
        (0..4_u32).prop_map(StoreWrite::SetInterrupted),
        (0..4_u32).prop_map(StoreWrite::DeleteEntry),
        (0..4_u32).prop_map(StoreWrite::DeleteSize),
        ("[a-c]/[0-2]", any::<u64>()).prop_map(|(run, seconds)| StoreWrite::SetExecSeconds(run, seconds)),
        "[a-c]".prop_map(StoreWrite::SetFlagged),
        "[a-c]".prop_map(StoreWrite::DeleteFlagged),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => prop::collection::vec(write(), 0..4).prop_map(Step::Hook),
        10 => fitting().prop_map(Step::Crawler),
        1 => any_command().prop_map(Step::Crawler),
        1 => Just(Step::Lost),
    ];
    prop::collection::vec(step, 1..40)
}

/// What the real server says: refused or not, and nothing else.
fn tell(server: &mut redis::Connection, command: &Command) -> bool {
    let mut told = redis::Cmd::new();
    match command {
        Command::Set(key, value) => told.arg("SET").arg(key).arg(value),
        Command::Incr(key) => told.arg("INCR").arg(key),
        Command::Del(key) => told.arg("DEL").arg(key),
        Command::HSet(key, field, value) => told.arg("HSET").arg(key).arg(field).arg(value),
        Command::HDel(key, field) => told.arg("HDEL").arg(key).arg(field),
        Command::RPush(key, value) => told.arg("RPUSH").arg(key).arg(value),
        Command::LPush(key, value) => told.arg("LPUSH").arg(key).arg(value),
        Command::LPop(key) => told.arg("LPOP").arg(key),
        Command::SAdd(key, member) => told.arg("SADD").arg(key).arg(member),
        Command::SRem(key, member) => told.arg("SREM").arg(key).arg(member),
        Command::ZAdd(key, score, member) => told.arg("ZADD").arg(key).arg(*score).arg(member),
        Command::ZRem(key, member) => told.arg("ZREM").arg(key).arg(member),
        Command::ZPopMin(key) => told.arg("ZPOPMIN").arg(key),
    };
    told.query::<redis::Value>(server).is_ok()
}

fn apply(store: &mut MemoryStore, command: &Command) -> Result<(), Refusal> {
    match command {
        Command::Set(key, value) => store.set(key, value),
        Command::Incr(key) => drop(store.incr(key)?),
        Command::Del(key) => drop(store.del(key)),
        Command::HSet(key, field, value) => store.hset(key, field, value)?,
        Command::HDel(key, field) => drop(store.hdel(key, field)?),
        Command::RPush(key, value) => drop(store.rpush(key, value)?),
        Command::LPush(key, value) => drop(store.lpush(key, value)?),
        Command::LPop(key) => drop(store.lpop(key)?),
        Command::SAdd(key, member) => drop(store.sadd(key, member)?),
        Command::SRem(key, member) => drop(store.srem(key, member)?),
        Command::ZAdd(key, rank, member) => drop(store.zadd(key, f64::from(*rank), member)?),
        Command::ZRem(key, member) => drop(store.zrem(key, member)?),
        Command::ZPopMin(key) => drop(store.zpopmin(key)?),
    }
    Ok(())
}

/// The same job twice.
struct Both {
    real: Stores,
    modelled: Stores,
    memory: MemoryStores,
    shell: RefCell<redis::Connection>,
    address: StoreAddress,
    runtime: tokio::runtime::Runtime,
}

impl Both {
    fn step(&self, step: Step) -> Result<(), TestCaseError> {
        match step {
            Step::Hook(writes) => {
                let real = self.runtime.block_on(self.real.write(&self.address, &writes));
                prop_assert_eq!(self.runtime.block_on(self.modelled.write(&self.address, &writes)), real);
            }
            Step::Crawler(command) => {
                let modelled = self.memory.edit("crawls", JOB, |store| apply(store, &command)).is_ok();
                prop_assert_eq!(modelled, tell(&mut self.shell.borrow_mut(), &command), "{:?}", command);
            }
            Step::Lost => self.lose(),
        }
        Ok(())
    }

    fn lose(&self) {
        redis::cmd("FLUSHALL")
            .exec(&mut self.shell.borrow_mut())
            .expect("the server lives");
        self.memory.wipe("crawls", JOB);
    }

    fn compare(&self, question: &StoreQuestion) -> Result<bool, TestCaseError> {
        let real = self.runtime.block_on(self.real.read(&self.address, question));
        let readable = matches!(real, StoreReading::Reachable(_));
        prop_assert_eq!(self.runtime.block_on(self.modelled.read(&self.address, question)), real);
        Ok(readable)
    }
}

#[test]
fn the_store_in_this_process_reads_like_a_real_one() {
    let Some(server) = Server::start(JOB) else { return };
    let memory = MemoryStores::new();
    let both = Both {
        real: stores(),
        modelled: Stores::Memory(memory.clone()),
        memory,
        shell: RefCell::new(server.connect()),
        address: address(server.port),
        runtime: tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime"),
    };
    let seen = RefCell::new([0_usize; 2]);
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(96)
    });
    let outcome = runner.run(&(steps(), 0..4_u64), |(steps, lines_from)| {
        both.lose();
        for (number, step) in steps.into_iter().enumerate() {
            both.step(step)?;
            if number % 4 == 3 {
                seen.borrow_mut()[usize::from(both.compare(&StoreQuestion { lines_from })?)] += 1;
            }
        }
        Ok(())
    });
    outcome.unwrap();
    let [refused, read] = seen.into_inner();
    assert!(
        refused > 0 && read > refused,
        "both kinds were compared: {refused} refused, {read} read"
    );
}
