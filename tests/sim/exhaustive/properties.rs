//! The laws as properties of stateright. That each had a case is counted while it is judged, in [`super::laws::Tally`].

use stateright::Property;

use super::laws::Law;
use super::model::Search;
use super::settle::settles;
use super::state::World;

/// Stateright takes plain functions, so the number of a law is in the type.
fn kept<const LAW: u32>(_: &Search, world: &World) -> bool {
    world.broken & (1 << LAW) == 0
}

macro_rules! by_number {
    ($($number:literal)+) => {
        /// By number of the law.
        const KEPT: &[fn(&Search, &World) -> bool] = &[$(kept::<$number>,)+];
    };
}
by_number!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14);

/// The name of the law that everything settles.
pub(super) const SETTLES: &str = "I-1 it settles where its spec says, and stays";

pub(super) fn all() -> Vec<Property<Search>> {
    assert_eq!(KEPT.len(), Law::ALL.len(), "each law has its number");
    let laws = Law::ALL
        .iter()
        .map(|(law, says)| Property::always(says, KEPT[*law as usize]));
    laws.chain([Property::always(SETTLES, settles)]).collect()
}
