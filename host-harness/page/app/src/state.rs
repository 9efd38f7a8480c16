//! The state of the page, and the actions that change it.

mod change;
mod hand_on;
mod latest;
mod live;
mod node;
mod open;
mod time;
mod what_if;
mod why;

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use lictor_picture::{Picture, PodOnNode};

use self::latest::RequestCoalescer;
use self::open::InputRequests;
pub(crate) use self::what_if::SearchProgress;
use crate::data::{
    CycleView, DecisionReportView, EditableBound, ExplanationView, FindingView, InputSummaryView, LawView, OpenRequest,
};
use crate::engine::EngineResult;
use crate::model::jobs::jobs;
use crate::model::live::FollowProgress;
use crate::model::results::Jobs;
use crate::model::time::Moments;

/// The view of the cluster that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Nodes,
    Queues,
    Jobs,
    Change,
}

/// The state of the page. It is cheap to copy: its fields are handles, which live as long as the page.
#[derive(Clone, Copy)]
pub(crate) struct PageState {
    pub(crate) input: InputState,
    pub(crate) timeline: Timeline,
    pub(crate) shown: ShownCycle,
    pub(crate) selection: Selection,
    pub(crate) laws: LawBook,
    pub(crate) settings: Preferences,
    work: EngineWork,
}

/// The input that is open, with its changes.
#[derive(Clone, Copy)]
pub(crate) struct InputState {
    /// What is open, with its changes.
    pub(crate) given: RwSignal<Option<OpenRequest>>,
    /// The engine's summary of it.
    pub(crate) summary: RwSignal<Option<InputSummaryView>>,
    /// The last problems.
    pub(crate) problems: RwSignal<Vec<FindingView>>,
    /// The objects that are being changed, as text.
    pub(crate) changes: RwSignal<String>,
    /// The bounds of quotas and queues, which can be changed.
    pub(crate) bounds: RwSignal<Vec<EditableBound>>,
}

/// The cycles that were decided, and the one that is shown.
#[derive(Clone, Copy)]
pub(crate) struct Timeline {
    /// The cycles that were decided.
    pub(crate) moments: RwSignal<Moments>,
    /// The number of the cycle that is shown; 0 where no cycle is shown.
    pub(crate) at: RwSignal<usize>,
    /// Whether the recording has no more moments.
    pub(crate) is_at_end: RwSignal<bool>,
    /// The progress of following a recording that is being written. `None`: none is followed.
    pub(crate) live: RwSignal<Option<FollowProgress>>,
}

/// The cycle that is shown.
#[derive(Clone, Copy)]
pub(crate) struct ShownCycle {
    /// The cluster before that cycle.
    pub(crate) picture: RwSignal<Arc<Picture>>,
    /// The decisions in that cycle, with the cluster and its quotas.
    pub(crate) record: RwSignal<Option<Arc<DecisionReportView>>>,
    /// The decisions in that cycle.
    pub(crate) cycle: Memo<Option<Arc<CycleView>>>,
    /// The decisions before the last change.
    pub(crate) before: RwSignal<Option<Arc<DecisionReportView>>>,
    /// The job of each pod.
    pub(crate) jobs: Memo<Arc<Jobs>>,
}

/// The selection of the user, and the answers about it.
#[derive(Clone, Copy)]
pub(crate) struct Selection {
    /// The view of the cluster that is shown.
    pub(crate) tab: RwSignal<Tab>,
    /// The selected pod or job.
    pub(crate) selected: RwSignal<Option<String>>,
    /// The reasons for its state.
    pub(crate) answer: RwSignal<Option<EngineResult<ExplanationView>>>,
    /// The node that is chosen, by its name.
    pub(crate) node: RwSignal<Option<String>>,
    /// Its pods after the cycle that is shown. `None`: the answer of the engine is not there yet.
    pub(crate) placed: RwSignal<Option<EngineResult<Vec<PodOnNode>>>>,
    /// The search for the smallest change that lets the selected job in.
    pub(crate) tries: RwSignal<SearchProgress>,
}

/// The laws of the system, and the one that is read.
#[derive(Clone, Copy)]
pub(crate) struct LawBook {
    /// The law that is read.
    pub(crate) open: RwSignal<Option<String>>,
    /// All laws by code.
    pub(crate) all: RwSignal<BTreeMap<String, LawView>>,
}

/// The preferences of the user.
#[derive(Clone, Copy)]
pub(crate) struct Preferences {
    /// Light or dark, as it was chosen or as the machine sets it: drawings follow it.
    pub(crate) look: RwSignal<String>,
    /// Whether names are replaced by invented ones when something is shared or saved.
    pub(crate) masks: RwSignal<bool>,
    /// The result of sharing or saving.
    pub(crate) shared: RwSignal<Option<String>>,
}

/// The requests to the engine that are under way.
#[derive(Clone, Copy)]
struct EngineWork {
    /// The present work of the engine.
    busy: Memo<Option<&'static str>>,
    opening: InputRequests,
    /// The present work of the engine with the open input.
    working: RwSignal<Option<&'static str>>,
    asking_why: RequestCoalescer,
    asking_pods: RequestCoalescer,
    /// The number of searches that were begun.
    searches: StoredValue<u32>,
}

impl PageState {
    /// Makes an empty page.
    pub(crate) fn new() -> PageState {
        PageState {
            input: InputState {
                given: RwSignal::new(None),
                summary: RwSignal::new(None),
                problems: RwSignal::new(Vec::new()),
                changes: RwSignal::new(String::new()),
                bounds: RwSignal::new(Vec::new()),
            },
            timeline: Timeline {
                moments: RwSignal::new(Moments::default()),
                at: RwSignal::new(0),
                is_at_end: RwSignal::new(false),
                live: RwSignal::new(None),
            },
            shown: ShownCycle::new(),
            selection: Selection {
                tab: RwSignal::new(Tab::Nodes),
                selected: RwSignal::new(None),
                answer: RwSignal::new(None),
                node: RwSignal::new(None),
                placed: RwSignal::new(None),
                tries: RwSignal::new(SearchProgress::default()),
            },
            laws: LawBook { open: RwSignal::new(None), all: RwSignal::new(BTreeMap::new()) },
            settings: Preferences {
                look: RwSignal::new(String::new()),
                masks: RwSignal::new(false),
                shared: RwSignal::new(None),
            },
            work: EngineWork::new(),
        }
    }

    /// Returns the present work of the engine.
    pub(crate) fn busy(self) -> Memo<Option<&'static str>> {
        self.work.busy
    }
}

impl ShownCycle {
    /// Makes an empty cycle.
    fn new() -> ShownCycle {
        let picture = RwSignal::new(Arc::<Picture>::default());
        let record = RwSignal::new(None::<Arc<DecisionReportView>>);
        let last = |record: &Arc<DecisionReportView>| record.cycles.last().cloned().map(Arc::new);
        ShownCycle {
            picture,
            record,
            cycle: Memo::new(move |_| record.with(|record| record.as_ref().and_then(last))),
            before: RwSignal::new(None),
            jobs: Memo::new(move |_| Arc::new(picture.with(|picture| jobs(picture)))),
        }
    }
}

impl EngineWork {
    /// Makes the state of an engine without work.
    fn new() -> EngineWork {
        let (opening, working) = (InputRequests::new(), RwSignal::new(None));
        EngineWork {
            busy: Memo::new(move |_| opening.is_reading().then_some("Reading ...").or_else(|| working.get())),
            opening,
            working,
            asking_why: RequestCoalescer::new(),
            asking_pods: RequestCoalescer::new(),
            searches: StoredValue::new(0),
        }
    }
}

/// Returns the page that the components belong to.
pub(crate) fn page() -> PageState {
    expect_context::<PageState>()
}
