#![expect(clippy::arithmetic_side_effects, reason = "tests")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lictor_host::replace::Period;
use lictor_host::session::testing::{ALL, Scripted, ScriptedEffects, ScriptedPlan, ScriptedReply};
use lictor_host::verify::testing::{node, object, on, pod};

use super::*;
use crate::decide::{Decider, RunMode};

const SECOND: i64 = 1_000_000_000;

fn terms(allowed: u64) -> ReplacementTerms {
    let [shadow, watch, at_most] = [4, 1, 8].map(|seconds| Period::Nanoseconds(seconds * SECOND));
    ReplacementTerms { shadow, watch, allowed, answers: 1, at_most }
}

/// A loop that is turned by hand, every second.
struct Turned {
    decider: Decider,
    upgrades: ReplacementObserver,
    offers: ReplacementSender,
    now: i64,
    states: Vec<ReplacementState>,
}

impl Turned {
    /// Makes a loop that decides about a pod which waits, or a quiet one without such a pod.
    fn new(is_quiet: bool) -> Turned {
        let session = Session::open(Box::new(Scripted::deciding(ALL)), "test", "").unwrap();
        let mut objects = vec![node("n1", 4), on("n1", pod("v", 1, 0))];
        objects.extend((!is_quiet).then(|| pod("a", 1, 0)));
        let objects = objects.into_iter().map(object).collect();
        let (decider, _) =
            Decider::begin(RecordableSession::new(session, None), RunMode::DryRun, &[], SECOND, objects, None);
        let (mut upgrades, offers) = ReplacementObserver::new();
        upgrades.leadership_started(Box::new(|| true));
        Turned { decider, upgrades, offers, now: SECOND, states: Vec::new() }
    }

    fn offer(&self, name: &str, new: Scripted, allowed: u64) -> (u64, Arc<AtomicBool>) {
        let settled = Arc::new(AtomicBool::new(false));
        let flag = settled.clone();
        let number = self.offers.offer(ReplacementCandidate {
            name: name.to_owned(),
            candidate: CandidatePolicy::new(Box::new(new), "test", "").unwrap(),
            terms: terms(allowed),
            deletes_victims: true,
            settled: Box::new(move || flag.store(true, Ordering::SeqCst)),
        });
        (number, settled)
    }

    /// Lets `seconds` seconds pass, in each of which the loop turns twice, as it does where nothing happens.
    fn turn(&mut self, seconds: usize) {
        for _ in 0..2 * seconds {
            self.now += SECOND / 2;
            let told = self.decider.apply_facts(self.now, Vec::new());
            let decided = if self.decider.is_due() { self.decider.decide(1_000) } else { DeciderOutput::default() };
            for turn in [told, decided] {
                self.states.extend(turn.steps.iter().flat_map(|step| &step.replacement).map(|it| it.to));
                self.upgrades.output_applied(&turn, self.decider.session(), None);
            }
            self.upgrades.tick(self.now, Some(self.decider.recordable_session()));
            if self.upgrades.wants_decision() {
                self.decider.request_cycle();
            }
        }
    }

    fn stage(&self, number: u64) -> ReplacementStage {
        self.offers.progress(Some(number)).unwrap().stage
    }
}

#[test]
fn a_policy_that_decides_alike_about_what_waits_takes_over_and_that_is_said() {
    let mut turned = Turned::new(false);
    // The loop's first decision is made before anything is offered: nothing changes afterwards.
    turned.turn(1);
    let (number, settled) = turned.offer("new", Scripted::deciding(ALL), 0);
    turned.turn(10);
    assert_eq!(
        turned.states,
        [ReplacementState::Shadow, ReplacementState::Switching, ReplacementState::Watching, ReplacementState::Done]
    );
    assert!(settled.load(Ordering::SeqCst) && turned.upgrades.due().is_none());
    let progress = turned.offers.progress(Some(number)).unwrap();
    assert_eq!((progress.stage, progress.different), (ReplacementStage::Done, 0));
    assert!(progress.compared > 0 && progress.said.len() == 4, "{progress:?}");
    assert_eq!([turned.upgrades.deletes_victims(), turned.upgrades.deletes_victims()], [Some(true), None], "said once");
}

#[test]
fn in_a_quiet_cluster_the_old_policy_stays_after_a_time_and_that_is_said() {
    let mut turned = Turned::new(true);
    let (number, settled) = turned.offer("new", Scripted::deciding(ALL), 0);
    turned.turn(7);
    assert_eq!(turned.stage(number), ReplacementStage::Shadow, "its time is over, and nothing was compared");
    turned.turn(3);
    let progress = turned.offers.progress(Some(number)).unwrap();
    assert_eq!((progress.stage, progress.compared), (ReplacementStage::RolledBack, 0));
    assert!(progress.last().contains("0 answers, 0 decide otherwise, 1 demanded"), "{}", progress.last());
    assert!(!settled.load(Ordering::SeqCst) && turned.upgrades.deletes_victims().is_none());
}

#[test]
fn a_policy_that_breaks_in_shadow_does_not_take_over() {
    let mut turned = Turned::new(false);
    let new = Scripted::deciding(ALL).reply("queue-keys", ScriptedReply::CallError);
    let new =
        new.reply("pre-filter default/a", ScriptedReply::CallError).reply("filter default/a", ScriptedReply::CallError);
    let plan = ScriptedPlan { id: 1, nominations: &[("default/a", "n1")], victims: &["default/v"], soft: false };
    let new = new.reply("post-filter default/a", ScriptedReply::Plan(plan, ScriptedEffects::default()));
    let (number, settled) = turned.offer("new", new, 0);
    turned.turn(10);
    assert!(!settled.load(Ordering::SeqCst), "{:?}", turned.states);
    let progress = turned.offers.progress(Some(number)).unwrap();
    assert_eq!(progress.stage, ReplacementStage::RolledBack);
    assert!(progress.last().starts_with("shadow -> rolled back: it broke in "), "{}", progress.last());
}

#[test]
fn what_decides_otherwise_is_told_in_words() {
    let mut turned = Turned::new(false);
    let (number, _) =
        turned.offer("new", Scripted::deciding(ALL).reply("pre-filter default/a", ScriptedReply::Final("no")), 9);
    turned.turn(4);
    let progress = turned.offers.progress(Some(number)).unwrap();
    assert!(progress.differences.iter().any(|text| text.starts_with("pre-filter default/a: ")), "{progress:?}");
}

#[test]
fn the_last_order_counts_and_what_was_ordered_before_is_given_up() {
    let mut turned = Turned::new(false);
    let (first, _) = turned.offer("first", Scripted::deciding(ALL), 0);
    turned.turn(2);
    assert_eq!(turned.stage(first), ReplacementStage::Shadow);
    let (second, _) = turned.offer("second", Scripted::deciding(ALL), 0);
    let (third, settled) = turned.offer("third", Scripted::deciding(ALL), 0);
    turned.turn(12);
    let stages = [first, second, third].map(|number| turned.stage(number));
    assert_eq!(stages, [ReplacementStage::RolledBack, ReplacementStage::Refused, ReplacementStage::Done]);
    assert!(settled.load(Ordering::SeqCst));
    assert!(
        turned
            .offers
            .progress(Some(first))
            .unwrap()
            .last()
            .ends_with("given up: another replacement was ordered after it")
    );
}

#[test]
fn one_is_given_up_when_somebody_says_so() {
    let mut turned = Turned::new(false);
    let (first, _) = turned.offer("first", Scripted::deciding(ALL), 0);
    turned.offers.give_up(first, "a typing error");
    turned.turn(1);
    assert_eq!(turned.stage(first), ReplacementStage::Refused, "it was not begun");
    let (second, _) = turned.offer("second", Scripted::deciding(ALL), 0);
    turned.turn(2);
    turned.offers.give_up(second, "a typing error");
    turned.turn(1);
    assert_eq!(turned.stage(second), ReplacementStage::RolledBack);
}

#[test]
fn what_cannot_be_loaded_is_said_and_what_is_under_way_goes_on() {
    let mut turned = Turned::new(false);
    let desk = ReplacementService::new(turned.offers.clone(), |wish| {
        Err(ReplacementRefusal {
            message: format!("{} cannot be read", wish.component),
            remedy: "name another file".to_owned(),
        })
    });
    let (first, _) = turned.offer("first", Scripted::deciding(ALL), 0);
    turned.turn(2);
    let second = desk.submit(ReplacementRequest { component: "a.wasm".to_owned(), ..ReplacementRequest::default() });
    let begun = std::time::Instant::now();
    while desk.progress(Some(second)).unwrap().stage == ReplacementStage::Fetching {
        assert!(begun.elapsed().as_secs() < 60);
        std::thread::yield_now();
    }
    let refused = desk.progress(Some(second)).unwrap();
    assert_eq!(
        (refused.stage, refused.last(), refused.remedy.as_str()),
        (ReplacementStage::Refused, "a.wasm cannot be read", "name another file")
    );
    turned.turn(10);
    assert_eq!(turned.stage(first), ReplacementStage::Done);
}

/// Makes a desk that loads a wish when the gate is opened, and the list of what it has loaded.
fn gated_desk(
    offers: &ReplacementSender,
) -> (ReplacementService, std::sync::mpsc::Sender<()>, Arc<std::sync::Mutex<Vec<String>>>) {
    let (open, gate) = std::sync::mpsc::channel();
    let (gate, loaded) = (std::sync::Mutex::new(gate), Arc::new(std::sync::Mutex::new(Vec::new())));
    let seen = loaded.clone();
    let desk = ReplacementService::new(offers.clone(), move |wish: ReplacementRequest| {
        seen.lock().unwrap().push(wish.component.clone());
        gate.lock().unwrap().recv().unwrap();
        if wish.component == "breaks" {
            panic!("a component that breaks its reader");
        }
        Err(ReplacementRefusal { message: "it is read".to_owned(), remedy: String::new() })
    });
    (desk, open, loaded)
}

fn until(what: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !what() {
        assert!(begun.elapsed().as_secs() < 60);
        std::thread::yield_now();
    }
}

#[test]
fn one_order_is_loaded_at_a_time_and_of_those_that_wait_the_last_one_counts() {
    let (_upgrades, offers) = ReplacementObserver::new();
    let (desk, open, loaded) = gated_desk(&offers);
    let wish = |name: &str| ReplacementRequest { component: name.to_owned(), ..ReplacementRequest::default() };
    let first = desk.submit(wish("breaks"));
    until(|| loaded.lock().unwrap().len() == 1);
    let numbers: Vec<u64> = ["b", "c", "d"].map(|name| desk.submit(wish(name))).into();
    let stage = |number| desk.progress(Some(number)).unwrap().stage;
    assert_eq!(
        numbers.iter().map(|number| stage(*number)).collect::<Vec<_>>(),
        [ReplacementStage::Refused, ReplacementStage::Refused, ReplacementStage::Fetching]
    );
    assert_eq!(loaded.lock().unwrap().len(), 1, "no second one is read meanwhile");
    (0..2).for_each(|_| open.send(()).unwrap());
    until(|| stage(numbers[2]) == ReplacementStage::Refused);
    assert_eq!(*loaded.lock().unwrap(), ["breaks", "d"]);
    assert!(desk.progress(Some(first)).unwrap().last().contains("broke the process"), "what breaks ends no desk");
    // The desk takes orders again.
    let last = desk.submit(wish("e"));
    open.send(()).unwrap();
    until(|| stage(last) == ReplacementStage::Refused);
    assert_eq!(loaded.lock().unwrap().len(), 3);
}

#[test]
fn a_process_that_does_not_lead_keeps_the_last_offer_alone() {
    let (mut upgrades, offers) = ReplacementObserver::new();
    let offer = |name: &str| ReplacementCandidate {
        name: name.to_owned(),
        candidate: CandidatePolicy::new(Box::new(Scripted::deciding(ALL)), "test", "").unwrap(),
        terms: terms(0),
        deletes_victims: true,
        settled: Box::new(|| {}),
    };
    let numbers: Vec<u64> = (0..40).map(|place| offers.offer(offer(&place.to_string()))).collect();
    numbers.iter().for_each(|number| offers.give_up(*number, "a typing error"));
    assert!(offers.inbox.take().len() <= 1 + MOST_GIVEN_UP);
    let last = [offers.offer(offer("a")), offers.offer(offer("b"))];
    assert_eq!(
        last.map(|number| offers.progress(Some(number)).unwrap().stage),
        [ReplacementStage::Refused, ReplacementStage::Waiting]
    );
    upgrades.take_commands();
    assert_eq!(upgrades.waiting.map(|(number, _)| number), Some(last[1]));
}
