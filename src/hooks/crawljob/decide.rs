//! The decision: one observation, one instant and the policy in, the whole answer out.
//!
//! Pure and infallible: no clock, log, environment, randomness or I/O. The order below is the order of the rules in
//! `hooks/crawljob/README.md`; each step has its own file, and every child's verdict names the rule that gave it.

mod callback;
mod conditions;
mod end;
mod flags;
mod instance;
mod keep;
mod ledger;
mod making;
mod queue;
mod redis;
mod roll;
mod sight;
mod size;
mod status;
mod strangers;
mod surplus;
mod teardown;
#[cfg(test)]
mod tests;
mod times;
mod volumes;
mod wake;
mod words;

use self::instance::Instances;
use self::ledger::{Ledger, lines_complete};
use self::roll::Roll;
use self::sight::Sight;
use self::words::{Judgement, Stay};
use super::observed::Observed;
use super::register::Register;
use super::register::RegisterSeen;
use super::spec::Spec;
use crate::api::v1::CrawlJobStatus;
use crate::desired::Desired;
use crate::observed::Timestamp;
use crate::outside::store::StoreWrite;
use crate::policy::CrawlPolicy;

/// What one CrawlJob call decides.
pub type Decision = Desired<CrawlJobStatus, StoreWrite>;

/// Decides one call, in the order of the rules. A known result is looked for first: no phase seen after it changes it (O12).
#[must_use]
pub fn decide(observed: &Observed, now: Timestamp, policy: &CrawlPolicy) -> Decision {
    let result = keep::known_result(observed);
    if observed.job.orphan {
        return keep::orphaned(observed, now, policy);
    }
    if observed.finalizing {
        return teardown::finalize(observed, now, policy);
    }
    match (&observed.register, &observed.spec, result) {
        (RegisterSeen::Readable(register, _), _, Some(result)) if register.state.result.is_some() => {
            teardown::after_result(observed, register, result, now, policy)
        }
        (RegisterSeen::Readable(register, _), _, Some(result)) => {
            keep::write_result_again(observed, register, result, now, policy)
        }
        (RegisterSeen::Readable(register, _), Ok(spec), None) => live(observed, register, spec, now, policy),
        (RegisterSeen::Unreadable(_) | RegisterSeen::Missing, Ok(_), _) | (RegisterSeen::Missing, Err(_), Some(_)) => {
            keep::without_register(observed, now, policy)
        }
        (_, Err(_), _) => keep::unusable_spec(observed, now, policy),
    }
}

/// A job that is not over, with a readable register: steps 6 to 20.
fn live(observed: &Observed, register: &Register, spec: &Spec, now: Timestamp, policy: &CrawlPolicy) -> Decision {
    let sight = Sight::new(observed, register, spec, now, policy);
    let instances = Instances::survey(&sight);
    let mut ledger = Ledger::open(&sight, &instances);
    let judgement = end::judge(&sight, &instances, &mut ledger);
    let mut effects = flags::writes(&sight, &instances, &ledger, &judgement);
    let mut roll = Roll::new(observed, policy);
    if let Judgement::Final(verdict) = &judgement
        && lines_complete(&sight)
    {
        ledger.record_verdict(&sight, &instances, verdict);
        keep::everything(&mut roll, observed, Stay::ResultProposed);
        roll.register(&ledger);
    } else {
        populate(&sight, &instances, &judgement, &mut ledger, &mut effects, &mut roll);
    }
    let status = status::live(&sight, &instances, &ledger, &judgement);
    let wake = wake::live(&sight, &judgement, &status);
    roll.answer(status, wake, effects)
}

/// Steps 14 to 19: who is called back, made and kept.
fn populate(
    sight: &Sight<'_>,
    instances: &Instances<'_>,
    judgement: &Judgement,
    ledger: &mut Ledger,
    effects: &mut Vec<StoreWrite>,
    roll: &mut Roll<'_>,
) {
    queue::ticket(sight, roll);
    let drop = surplus::next_step(sight, instances, ledger, effects);
    callback::crawlers(sight, instances, drop, roll);
    making::flush(sight, instances, ledger);
    let made = if queue::granted(sight) {
        making::crawlers(sight, instances, roll)
    } else {
        Vec::new()
    };
    redis::pod(sight, instances, judgement, ledger, effects, roll);
    volumes::all(sight, instances, drop, &made, roll);
    roll.config(sight);
    roll.register(ledger);
}
