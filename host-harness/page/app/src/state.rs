//! What the page shows at the moment, and what changes it.

mod live;
mod time;

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use lictor_picture::Picture;
use wasm_bindgen_futures::spawn_local;

use crate::data::{Answer, Between, Cycle, Edit, Finding, Given, Law, Record, Summary, Written};
use crate::engine::{self, Answered};
use crate::model::jobs::jobs;
use crate::model::live::Live;
use crate::model::results::Jobs;
use crate::model::time::{MOST, Moments};
use crate::model::what_if::with;

/// Addresses that are longer are cut by some programs, in letters.
const LONG: u32 = 8_000;

/// What the page shows. Cheap to copy: all of it are handles.
#[derive(Clone, Copy)]
pub(crate) struct Page {
    /// What is open.
    pub(crate) given: RwSignal<Option<Given>>,
    /// What the engine said of it.
    pub(crate) summary: RwSignal<Option<Summary>>,
    /// Why it could not be opened or decided.
    pub(crate) problems: RwSignal<Vec<Finding>>,
    /// The cycles that were decided.
    pub(crate) moments: RwSignal<Moments>,
    /// The number of the cycle that is shown; 0 where there is none.
    pub(crate) at: RwSignal<usize>,
    /// A recording has no more moments.
    pub(crate) is_at_end: RwSignal<bool>,
    /// How a recording is followed that is being written; none where none is.
    pub(crate) live: RwSignal<Option<Live>>,
    /// The cluster before that cycle.
    pub(crate) picture: RwSignal<Arc<Picture>>,
    /// What was decided in it.
    pub(crate) record: RwSignal<Option<Arc<Record>>>,
    /// What was decided before the last change.
    pub(crate) before: RwSignal<Option<Arc<Record>>>,
    /// The objects that are being changed, as text.
    pub(crate) changes: RwSignal<String>,
    /// The job of each pod.
    pub(crate) jobs: Memo<Arc<Jobs>>,
    /// The pod or job that was asked about.
    pub(crate) selected: RwSignal<Option<String>>,
    /// Why it is where it is.
    pub(crate) answer: RwSignal<Option<Answered<Answer>>>,
    /// The law that is read.
    pub(crate) law: RwSignal<Option<String>>,
    /// All laws by code.
    pub(crate) laws: RwSignal<BTreeMap<String, Law>>,
    /// What came of sharing.
    pub(crate) shared: RwSignal<Option<String>>,
    /// What is handed on has invented names.
    pub(crate) masks: RwSignal<bool>,
    /// What the engine does at the moment.
    pub(crate) busy: RwSignal<Option<&'static str>>,
    /// How often something was opened: an answer for what was open before is dropped.
    opened: RwSignal<u32>,
}

impl Page {
    /// An empty page.
    pub(crate) fn new() -> Page {
        let picture = RwSignal::new(Arc::<Picture>::default());
        Page {
            given: RwSignal::new(None),
            summary: RwSignal::new(None),
            problems: RwSignal::new(Vec::new()),
            moments: RwSignal::new(Moments::default()),
            at: RwSignal::new(0),
            is_at_end: RwSignal::new(false),
            live: RwSignal::new(None),
            picture,
            record: RwSignal::new(None),
            before: RwSignal::new(None),
            changes: RwSignal::new(String::new()),
            jobs: Memo::new(move |_| Arc::new(picture.with(|picture| jobs(picture)))),
            selected: RwSignal::new(None),
            answer: RwSignal::new(None),
            law: RwSignal::new(None),
            laws: RwSignal::new(BTreeMap::new()),
            shared: RwSignal::new(None),
            masks: RwSignal::new(false),
            busy: RwSignal::new(None),
            opened: RwSignal::new(0),
        }
    }

    /// The last cycle.
    pub(crate) fn cycle(&self) -> Option<Cycle> {
        self.record.with(|record| record.as_ref().and_then(|record| record.cycles.last().cloned()))
    }

    /// Shows what the page was opened with, and reads the laws.
    pub(crate) fn start(self) {
        spawn_local(async move {
            if let Some(given) = engine::given().await {
                self.open(given);
            }
            if let Ok(laws) = engine::laws().await {
                self.laws.set(laws.into_iter().map(|law| (law.code.clone(), law)).collect());
            }
        });
    }

    /// Opens a file and decides about it. What is open stays open where it has mistakes.
    pub(crate) fn open(self, given: Given) {
        self.read(given, None);
    }

    /// Decides about what is open with these changes, and keeps what was decided before beside it.
    pub(crate) fn change(self, change: impl FnOnce(Given) -> Given) {
        let Some(given) = self.given.get_untracked() else { return };
        // The first cycles are compared: they begin with the cluster as it was opened.
        let first = self.moments.with_untracked(|moments| moments.get(1).map(|first| first.record.clone()));
        self.read(change(given), first);
    }

    fn read(self, given: Given, before: Option<Arc<Record>>) {
        self.opened.update(|opened| *opened = opened.wrapping_add(1));
        let number = self.opened.get_untracked();
        spawn_local(async move {
            self.busy.set(Some("Reading ..."));
            let opened = engine::open(&given).await;
            if self.opened.get_untracked() != number {
                return;
            }
            match opened {
                Ok(summary) => {
                    self.problems.set(Vec::new());
                    self.forget();
                    self.before.set(before);
                    self.changes.set(given.changes.clone());
                    let is_live = given.live;
                    self.given.set(Some(given));
                    self.summary.set(Some(summary));
                    match self.is_recording() {
                        true if is_live => self.follow_anew(number),
                        true => {
                            self.steps(Between::default(), number, MOST).await;
                            self.show(self.moments.with_untracked(|moments| moments.first()));
                        }
                        false => self.steps(Between::default(), number, 1).await,
                    }
                }
                Err(problems) => self.problems.set(problems),
            }
            self.busy.set(None);
        });
    }

    /// Decides about what is open with another system.
    pub(crate) fn with_system(self, system: String) {
        // Arguments are those of a system: they say nothing to another one.
        self.change(|given| Given { system, arguments: String::new(), ..given });
    }

    /// Adds an object to the changes, as it is now and with what `edit` makes of it, to be edited further.
    pub(crate) fn edit(self, key: String, edit: impl FnOnce(String) -> String + 'static) {
        spawn_local(async move {
            match engine::object(&key).await {
                Ok(object) => self.changes.update(|changes| *changes = with(changes, &edit(object))),
                Err(problems) => self.problems.set(problems),
            }
        });
    }

    /// Adds a change, and decides again.
    pub(crate) fn apply(self, edit: Edit) {
        spawn_local(async move {
            match engine::edit(&edit).await {
                Ok(objects) => {
                    let changes = with(&self.changes.get_untracked(), &objects);
                    self.change(|given| Given { changes, ..given });
                }
                Err(problems) => self.problems.set(problems),
            }
        });
    }

    fn forget(self) {
        self.moments.set(Moments::default());
        self.at.set(0);
        self.is_at_end.set(false);
        self.live.set(None);
        self.picture.set(Arc::default());
        self.record.set(None);
        self.before.set(None);
        self.shared.set(None);
        self.selected.set(None);
        self.answer.set(None);
    }

    /// Puts what is open into the address of the page.
    pub(crate) fn share(self) {
        let Some(given) = self.given.get_untracked() else { return };
        spawn_local(async move {
            let given = match self.masks.get_untracked() {
                true => engine::masked().await,
                false => Ok(given),
            };
            let given = match given {
                Ok(given) => given,
                Err(problems) => return self.problems.set(problems),
            };
            self.shared.set(Some(match engine::share(&given).await {
                Ok(letters) if letters > LONG => format!("the address has {letters} letters: some programs cut it"),
                Ok(_) => "the address of this page has it all; it is copied".to_owned(),
                Err(_) => "this browser cannot put it into the address".to_owned(),
            }));
        });
    }

    /// Saves a file that the engine writes.
    pub(crate) fn save(self, written: impl Future<Output = Answered<Written>> + 'static) {
        spawn_local(async move {
            match written.await {
                Ok(file) => {
                    engine::save(&file);
                    self.shared.set(Some(format!("saved as {}", file.name)));
                }
                Err(problems) => self.problems.set(problems),
            }
        });
    }

    /// Asks why a pod or a job is where it is.
    pub(crate) fn select(self, name: String) {
        self.selected.set(Some(name.clone()));
        self.answer.set(None);
        let at = self.at.get_untracked();
        spawn_local(async move {
            let answer = engine::explain(&name, at).await;
            let is_selected = self.selected.with_untracked(|selected| selected.as_ref() == Some(&name));
            if is_selected && self.at.get_untracked() == at {
                self.answer.set(Some(answer));
            }
        });
    }

    /// Closes what is open.
    pub(crate) fn close(self) {
        self.opened.update(|opened| *opened = opened.wrapping_add(1));
        self.given.set(None);
        self.summary.set(None);
        self.problems.set(Vec::new());
        self.busy.set(None);
        self.forget();
    }
}

/// The page that the components are part of.
pub(crate) fn page() -> Page {
    expect_context::<Page>()
}
