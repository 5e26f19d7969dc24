//! CrawlJob: N browsertrix-crawler pods, one Redis pod and a volume each, that recover from what is observed.
//!
//! Promises: the rules of `hooks/crawljob/README.md`, by number. Relies on: metacontroller with dynamic apply, pods
//! OnDelete, claims and ConfigMaps InPlace; the crawler's keys in its Redis.

pub mod act;
pub mod build;
pub mod decide;
pub mod measure;
pub mod observe;
pub mod observed;
pub mod register;
#[cfg(test)]
pub(crate) mod sample;
pub mod spec;

use super::{Hook, Told};
use crate::api::v1::CrawlJobStatus;
use crate::desired::Desired;
use crate::observed::Timestamp;
use crate::outside::Outside;
use crate::outside::store::{StoreReading, StoreWrite, Unreachable};
use crate::policy::CrawlPolicy;
use crate::request::{ChildKind, CustomizeRequest, ParentKind, RelatedRule, Strategy, SyncRequest};

/// The hook of CrawlJobs.
#[derive(Debug, Clone, Copy)]
pub enum CrawlJobHook {}

impl Hook for CrawlJobHook {
    const NAME: &'static str = "crawljob";
    const PARENT: ParentKind = ParentKind {
        api_version: "rollcall.dev/v1",
        kind: "CrawlJob",
    };
    const CHILD_KINDS: &'static [ChildKind] = &[
        ChildKind {
            key: "Pod.v1",
            api_version: "v1",
            resource: "pods",
            strategy: Strategy::OnDelete,
        },
        ChildKind {
            key: "PersistentVolumeClaim.v1",
            api_version: "v1",
            resource: "persistentvolumeclaims",
            strategy: Strategy::InPlace,
        },
        ChildKind {
            key: "ConfigMap.v1",
            api_version: "v1",
            resource: "configmaps",
            strategy: Strategy::InPlace,
        },
    ];
    type Observed = observed::Observed;
    type Policy = CrawlPolicy;
    type Status = CrawlJobStatus;
    type Effect = StoreWrite;

    async fn observe(request: &SyncRequest<'_>, policy: &CrawlPolicy, outside: &Outside) -> observed::Observed {
        observe::observe(request, policy, outside).await
    }

    fn decide(
        observed: &observed::Observed,
        now: Timestamp,
        policy: &CrawlPolicy,
    ) -> Desired<CrawlJobStatus, StoreWrite> {
        decide::decide(observed, now, policy)
    }

    async fn act(
        observed: &observed::Observed,
        effects: &[StoreWrite],
        policy: &CrawlPolicy,
        outside: &Outside,
    ) -> usize {
        act::act(observed, effects, policy, outside).await
    }

    fn customize(request: &CustomizeRequest<'_>, policy: &CrawlPolicy) -> Vec<RelatedRule> {
        observe::customize(request, policy)
    }

    fn tell(observed: &observed::Observed, status: &CrawlJobStatus) -> Told {
        let store = match &observed.store {
            StoreReading::Reachable(_) => Some(Ok(())),
            // There is nothing to ask before the Redis pod runs.
            StoreReading::Unreachable(Unreachable::NoPod | Unreachable::NotRunning) => None,
            StoreReading::Unreachable(why) => Some(Err(*why)),
        };
        Told {
            state: Some(status.state.word()),
            store,
        }
    }
}
