//! The requests to the engine and its answers, as far as the page shows them. The names are those of `lictor decide --output json`. Types that are
//! the same on both sides come from `lictor-decide` itself.

mod answer;
mod given;
mod moment;
mod record;
mod what_if;

pub use lictor_decide::CycleInterval;
pub use lictor_decide::edit::{Edit, EditableBound, NewJob};
pub use lictor_decide::recorded::{ReadPosition, START};

pub use answer::{
    AttemptExplanationView, ConsideredPodView, EvictedView, ExplainedPodView, ExplanationView, NoteView,
    ReasonCountView, StandingView,
};
pub use given::{DownloadFile, Example, InputSummaryView, LawView, OpenRequest, ShareResult};
pub use moment::MomentView;
pub use record::{
    Account, AccountResourceView, AttemptView, CycleView, DecisionReportView, FindingView, ObstacleCounts,
    PendingPodsView, PlanView, ReasonView, RefusedPlanView, VictimView,
};
pub use what_if::{ChangeView, WhatIfView};
