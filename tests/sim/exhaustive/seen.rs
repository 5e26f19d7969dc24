//! What a request shows of the objects: less than is true of them.

use super::state::{Crawler, Phase, Pods, Process, Volume, Volumes};

/// What a request shows of pods: not what their processes do.
pub(super) fn seen_pods(mut pods: Pods) -> Pods {
    for crawler in pods.crawlers.iter_mut().flatten() {
        if let Phase::Runs(_) = crawler.phase {
            *crawler = Crawler {
                phase: Phase::Runs(Process::Boot),
                ..*crawler
            };
        }
    }
    pods
}

/// What a request shows of claims: not what is on them.
pub(super) fn seen_volumes(mut volumes: Volumes) -> Volumes {
    for volume in volumes.crawlers.iter_mut().flatten() {
        *volume = Volume {
            unsaved: 0,
            saved: false,
            ..*volume
        };
    }
    volumes
}
