//! The invariants by number: which one answer can keep or break, and why the others need a run of many calls.

use super::invariants as one;
use super::invariants::Case;

/// Where an invariant is held.
pub(super) enum Kept {
    /// By every answer on its own; where a numbered rule and the invariant differ, this is the rule.
    InOneAnswer(fn(&Case) -> Result<(), String>),
    /// Only by the calls of a life together: why.
    InManyCalls(&'static str),
}

use Kept::{InManyCalls, InOneAnswer};

/// Number, name, and where it is held.
#[rustfmt::skip]
pub(super) const INVARIANTS: &[(u32, &str, Kept)] = &[
    (1, "it settles", InManyCalls("to settle is a property of a run: the simulated cluster and the real one wait for it")),
    (2, "equal input, equal bytes", InOneAnswer(one::i02_equal_input_gives_equal_bytes)),
    (3, "volumes of unfinished instances stay", InOneAnswer(one::i03_a_volume_goes_by_c3_t1_or_t6_only)),
    (4, "Redis outlives crawlers", InOneAnswer(one::i04_redis_goes_beside_crawlers_only_when_lost_grown_or_idle)),
    (5, "scale-down from the top, one at a time", InOneAnswer(one::i05_one_step_of_scaling_down_and_above_the_scale)),
    (6, "what is another's is not ours", InOneAnswer(one::i06_what_another_controls_is_not_listed)),
    (7, "left out for a reason, once", InOneAnswer(one::i07_what_is_left_out_has_one_verdict_with_a_rule)),
    (8, "leaving pods are left alone", InOneAnswer(one::i08_a_leaving_pod_is_kept_or_not_ours)),
    (9, "requests of volumes never fall", InOneAnswer(one::i09_no_request_of_a_volume_falls)),
    (10, "one name, one role", InOneAnswer(one::i10_a_name_says_the_role_and_stands_once)),
    (11, "the status decides nothing", InOneAnswer(one::i11_without_its_status_it_wants_the_same_children)),
    (12, "no memory", InOneAnswer(one::i12_another_call_before_it_changes_nothing)),
    (13, "effects may be repeated", InOneAnswer(one::i13_writing_twice_is_writing_once)),
    (14, "stale views", InManyCalls("which views may follow each other only a cluster with lagging caches knows: the simulated one")),
    (15, "late and doubled calls", InManyCalls("needs two calls that overlap; that each write may be repeated is I-13")),
    (16, "no list is popped", InOneAnswer(one::i16_lists_and_counters_of_the_crawlers_stay)),
    (17, "missed views", InManyCalls("compares a run that missed views with one that saw them")),
    (18, "crashes", InManyCalls("needs what follows after a crash in mid-call: demo, simulated cluster, real one")),
    (19, "finalized only without children", InOneAnswer(one::i19_finalized_means_that_nothing_is_there)),
    (20, "paths do not matter", InManyCalls("compares the ends of two histories")),
    (21, "a rollback recovers", InManyCalls("good, bad, good are at least three calls")),
    (22, "finalized stays finalized", InOneAnswer(one::i22_with_nothing_left_finalize_says_so)),
    (23, "crawlers, Redis, volumes", InOneAnswer(one::i23_teardown_keeps_its_order)),
    (24, "an unread world deletes nothing", InOneAnswer(one::i24_what_cannot_be_read_takes_nothing_away)),
    (25, "the caller accepts it", InOneAnswer(one::i25_the_caller_takes_the_answer)),
    (26, "bounded", InOneAnswer(one::i26_the_answer_is_bounded)),
    (27, "total", InOneAnswer(one::i27_it_is_an_answer_or_a_clean_refusal)),
    (28, "a clock that jumps back", InOneAnswer(one::i28_long_ago_nothing_expires_and_nothing_restarts)),
    (29, "no hypothetical calls", InManyCalls("the strategies that ask hypothetically are refused before anything is read: hooks/crawljob/reject, 20 to 26")),
];
