//! The models: several small ones, each with what it is about, instead of one that is too large. Together they fit into the
//! time that `cargo test` may take.

use super::deeds::Deed;
use super::laws::Law;
use super::model::Bounds;
use super::state::{Left, Pause, Wish};

const WISH: Wish = Wish {
    scale: 1,
    stopping: false,
    pause: Pause::No,
    restart: false,
    storage: true,
};

const TWO: Wish = Wish { scale: 2, ..WISH };

const fn left(actions: u8, faults: u8, crashes: u8, lags: u8) -> Left {
    Left {
        actions,
        faults,
        crashes,
        lags,
    }
}

/// Nobody scales down, deletes the job or the register.
const NO_DELETION: &[Law] = &[
    Law::ScalingDownGoesStepByStep,
    Law::FinalizedMeansNothingIsLeft,
    Law::TheRegisterStays,
];

/// The same, and nobody's work is interrupted.
const NO_INTERRUPTION: &[Law] = &[
    Law::ScalingDownGoesStepByStep,
    Law::WorkIsInterruptedForAReasonOnly,
    Law::FinalizedMeansNothingIsLeft,
    Law::TheRegisterStays,
];

/// A crawl of two pages.
const PLAIN: Bounds = Bounds {
    name: "",
    pages: 2,
    wish: WISH,
    deeds: &[],
    left: left(0, 0, 0, 0),
    age: 1,
    slow: false,
    silent: &[],
};

/// Every model.
pub(super) const ALL: &[Bounds] = &[
    Bounds {
        name: "undisturbed",
        left: left(0, 0, 1, 2),
        age: 2,
        slow: true,
        silent: NO_INTERRUPTION,
        ..PLAIN
    },
    Bounds {
        name: "scaling",
        wish: TWO,
        deeds: &[Deed::Scale(0), Deed::Scale(1), Deed::Scale(2)],
        left: left(2, 0, 0, 1),
        silent: &[
            Law::WorkIsInterruptedForAReasonOnly,
            Law::FinalizedMeansNothingIsLeft,
            Law::TheRegisterStays,
        ],
        ..PLAIN
    },
    Bounds {
        name: "pausing",
        deeds: &[Deed::Pause, Deed::Resume, Deed::PauseExpires, Deed::Stop],
        left: left(3, 0, 1, 1),
        silent: NO_INTERRUPTION,
        ..PLAIN
    },
    Bounds {
        name: "losing pods",
        wish: TWO,
        deeds: &[
            Deed::Evict(0),
            Deed::DeletePod(0),
            Deed::OutOfMemory(0),
            Deed::EvictRedis,
            Deed::WipeStatus,
        ],
        left: left(0, 1, 0, 1),
        silent: NO_DELETION,
        ..PLAIN
    },
    Bounds {
        name: "losing the store",
        deeds: &[Deed::LoseStore, Deed::EvictRedis, Deed::Stop],
        left: left(1, 1, 0, 1),
        silent: NO_DELETION,
        ..PLAIN
    },
    Bounds {
        name: "cancel",
        deeds: &[Deed::Delete, Deed::MakeAgain, Deed::Stop],
        left: left(2, 0, 1, 1),
        silent: &[Law::ScalingDownGoesStepByStep],
        ..PLAIN
    },
    Bounds {
        name: "no storage",
        wish: Wish { storage: false, ..TWO },
        deeds: &[Deed::Scale(1), Deed::Pause, Deed::Resume],
        left: left(2, 0, 0, 0),
        silent: &[
            Law::EveryFileIsInTheRegister,
            Law::WorkIsInterruptedForAReasonOnly,
            Law::AVerdictKnowsEveryFile,
            Law::FinalizedMeansNothingIsLeft,
            Law::TheRegisterStays,
        ],
        ..PLAIN
    },
    Bounds {
        name: "restarting",
        deeds: &[
            Deed::Restart,
            Deed::Pause,
            Deed::Evict(0),
            Deed::OutOfMemory(0),
            Deed::DeleteRegister,
        ],
        left: left(1, 1, 1, 0),
        silent: NO_DELETION,
        ..PLAIN
    },
];
