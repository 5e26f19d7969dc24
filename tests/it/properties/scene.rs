//! One call in the making: a job, its children, its register, its store and the time, each with a few changes from the
//! pools. Gives the strategy that draws them and the body and store that they come to.

use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{select, subsequence};
use rollcall::observed::Timestamp;
use rollcall::outside::memory::MemoryStores;
use rollcall::outside::store::Unreachable;
use serde_json::{Map, Value, json};

use super::pools::{self, Change, Pool};
use super::stores;
use crate::captured_store::cluster;
use crate::corpus::NOW;

/// Crawlers in a scene.
const CRAWLERS: usize = 4;

/// Everything that one call depends on.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    spec: Vec<Change>,
    pods: Vec<Option<Vec<Change>>>,
    redis: Option<Vec<Change>>,
    volumes: Vec<Option<Vec<Change>>>,
    register: Register,
    status: Value,
    store: Store,
    crowd: Crowd,
    /// Seconds away from the frozen instant.
    later: i64,
    finalizing: bool,
}

#[derive(Debug, Clone)]
enum Register {
    Missing,
    Broken(&'static str),
    Kept(Vec<Change>),
}

#[derive(Debug, Clone)]
enum Store {
    Away(Unreachable),
    Holds(Vec<Change>),
}

/// Which children are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Crowd {
    All,
    NoPods,
    NothingButMaps,
}

/// Scenes, most of them plausible.
pub(super) fn scenes() -> impl Strategy<Value = Scene> {
    let maybe = |pool: Pool| prop_oneof![Just(None), some_of(pool, 2).prop_map(Some)];
    let pods = proptest::collection::vec(maybe(pools::of_pod()), CRAWLERS);
    let volumes = proptest::collection::vec(maybe(pools::of_volume()), CRAWLERS + 1);
    let broken = select(vec!["", "{", "null", "[]", "{\"files\":{}}", "\u{0}"]);
    let register = prop_oneof![
        1 => Just(Register::Missing),
        1 => broken.prop_map(Register::Broken),
        14 => some_of(pools::of_register(), 4).prop_map(Register::Kept),
    ];
    let store = prop_oneof![
        1 => select(Unreachable::ALL.to_vec()).prop_map(Store::Away),
        5 => some_of(stores::of_store(), 12).prop_map(Store::Holds),
    ];
    let status = prop_oneof![Just(Value::Null), select(stores::statuses())];
    let later = select(vec![
        0,
        0,
        0,
        -1,
        1,
        86_400,
        -86_400,
        -31_536_000,
        -31_536_000,
        31_536_000,
    ]);
    let foreign = vec![("metadata/ownerReferences", pools::foreign())];
    let redis = prop_oneof![
        2 => Just(None),
        6 => Just(Some(Vec::new())),
        1 => Just(Some(foreign)),
        3 => some_of(pools::of_pod(), 2).prop_map(Some),
    ];
    let crowd = select(vec![
        Crowd::All,
        Crowd::All,
        Crowd::All,
        Crowd::NoPods,
        Crowd::NothingButMaps,
    ]);
    let rest = (some_of(pools::of_spec(), 3), redis, status, later, crowd, any::<u8>());
    (pods, volumes, register, store, rest).prop_map(|drawn| {
        let (pods, volumes, register, store, (spec, redis, status, later, crowd, call)) = drawn;
        Scene {
            spec,
            pods,
            redis,
            volumes,
            register,
            status,
            store,
            crowd,
            later,
            finalizing: call < 40,
        }
    })
}

/// A few changes, five times of six only likely ones: an odd one mostly ends a call before anything is decided.
fn some_of(pool: Pool, most: usize) -> impl Strategy<Value = Vec<Change>> {
    let all = [pool.likely.clone(), pool.odd].concat();
    prop_oneof![
        5 => subsequence(pool.likely, 0..=most),
        1 => subsequence(all, 0..=most),
    ]
}

impl Scene {
    pub(super) fn now(&self) -> Timestamp {
        let frozen: Timestamp = NOW.parse().unwrap();
        Timestamp::from_second(frozen.as_second() + self.later).unwrap()
    }

    /// Years before anything that the scene speaks of.
    pub(super) fn is_long_ago(&self) -> bool {
        self.later < -86_400
    }

    pub(super) fn store_is_away(&self) -> bool {
        matches!(self.store, Store::Away(_))
    }

    pub(super) fn stores(&self) -> MemoryStores {
        let memory = MemoryStores::new();
        let file = match &self.store {
            Store::Away(reason) => json!({"unreachable": reason.word()}),
            Store::Holds(changes) => {
                let keys = changes.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
                Value::Object(keys.collect::<Map<_, _>>())
            }
        };
        memory.load("crawls", "news", &file).unwrap();
        memory
    }

    pub(super) fn body(&self) -> Value {
        let mut body = cluster::new_job(cluster::Wish {
            scale: 2,
            paused: false,
            stopping: false,
            deleted: false,
        });
        body["finalizing"] = json!(self.finalizing);
        apply(&mut body["parent"]["spec"], &self.spec);
        if !self.status.is_null() {
            body["parent"]["status"] = self.status.clone();
        }
        let pods = self.pods.iter().filter(|_| self.crowd == Crowd::All).enumerate();
        for (index, changes) in pods {
            if let Some(changes) = changes {
                show(&mut body, "Pod.v1", crawler(index), changes);
            }
        }
        if let Some(changes) = self.redis.as_ref().filter(|_| self.crowd == Crowd::All) {
            // Half of the changes are about a container that Redis does not have.
            show(&mut body, "Pod.v1", cluster::redis(), changes);
        }
        let volumes = self.volumes.iter().filter(|_| self.crowd != Crowd::NothingButMaps);
        for (index, changes) in volumes.enumerate() {
            let name = if index == CRAWLERS {
                "redis-news".to_owned()
            } else {
                format!("crawl-news-{index}")
            };
            if let Some(changes) = changes {
                show(&mut body, "PersistentVolumeClaim.v1", cluster::volume(&name), changes);
            }
        }
        if let Some(text) = self.register_text() {
            let mut map = cluster::object("ConfigMap", "crawl-register-news", "register");
            map["data"] = json!({"state.json": text, "files.jsonl": "{\"filename\":\"z.wacz\",\"size\":1}\nno line\n"});
            show(&mut body, "ConfigMap.v1", map, &[]);
        }
        body
    }

    fn register_text(&self) -> Option<String> {
        match &self.register {
            Register::Missing => None,
            Register::Broken(text) => Some((*text).to_owned()),
            Register::Kept(changes) => {
                let mut state = json!({"started": true, "marked": false, "renewed": false, "flushed": false,
                    "files": {"lines": 0, "count": 0, "bytes": 0}});
                apply(&mut state, changes);
                Some(state.to_string())
            }
        }
    }
}

fn crawler(index: usize) -> Value {
    let mut pod = cluster::object("Pod", &format!("crawl-news-{index}"), &format!("pod-{index}"));
    pod["metadata"]["creationTimestamp"] = json!("2026-11-01T00:00:00Z");
    pod["spec"] = json!({"nodeName": "node-1", "containers": [{"name": "crawler"}]});
    pod["status"] = json!({"phase": "Running", "containerStatuses": [{"name": "crawler", "restartCount": 0,
        "state": {"running": {"startedAt": "2026-11-30T12:45:00Z"}}}]});
    pod
}

fn show(body: &mut Value, group: &str, mut child: Value, changes: &[Change]) {
    apply(&mut child, changes);
    let name = child["metadata"]["name"].as_str().unwrap().to_owned();
    body["children"][group][name] = child;
}

/// Puts each value where its path says, making objects on the way; what stands in the way is replaced.
fn apply(object: &mut Value, changes: &[Change]) {
    for (path, value) in changes {
        let mut place = &mut *object;
        for part in path.split('/') {
            let index = part.parse::<usize>().ok().filter(|index| place.get(index).is_some());
            place = match index {
                Some(index) => &mut place[index],
                None if place.is_object() => &mut place[part],
                None => {
                    *place = json!({});
                    &mut place[part]
                }
            };
        }
        *place = value.clone();
    }
}
