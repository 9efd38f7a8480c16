use std::collections::BTreeMap;

use lictor_picture::{DrawnJob, DrawnPod};

use super::*;
use crate::data::{AttemptView, VictimView};

/// Returns a moment with `pods` pods in the cluster, and this cycle.
fn moment(number: usize, pods: usize, cycle: CycleView) -> MomentView {
    let pod = |at: usize| DrawnPod { name: format!("a/{at}"), placed: true };
    let job = DrawnJob { name: "a/j".to_owned(), queue: 0, priority: 0, pods: (0..pods).map(pod).collect() };
    let picture = Picture { jobs: vec![job], ..Picture::default() };
    MomentView {
        number,
        picture,
        record: DecisionReportView { cycles: vec![cycle], ..DecisionReportView::default() },
        left: Vec::new(),
    }
}

fn attempt(pod: &str, result: &str) -> AttemptView {
    AttemptView { pod: pod.to_owned(), result: result.to_owned(), ..AttemptView::default() }
}

#[test]
fn a_cycle_says_what_it_changed() {
    let on = |pod: &str| BTreeMap::from([(pod.to_owned(), "n1".to_owned())]);
    let cycle = CycleView {
        attempts: vec![
            attempt("a/b", "Scheduled"),
            attempt("a/n", "Nominated"),
            attempt("a/r", "Rejected"),
            attempt("a/u", "Unschedulable"),
        ],
        bound: on("a/b"),
        nominated: on("a/n"),
        victims: BTreeMap::from([("a/v".to_owned(), VictimView::default()), ("a/w".to_owned(), VictimView::default())]),
        ..CycleView::default()
    };
    let changes = CycleChanges::of(&cycle, 3);
    assert_eq!(changes.sentence(), "3 left, 1 bound, 1 nominated, 2 evicted, 2 without a node");
    assert!(!changes.is_quiet());
    // A pod that is refused again changes nothing.
    let again = CycleChanges::of(&CycleView { attempts: vec![attempt("a/r", "Rejected")], ..CycleView::default() }, 0);
    assert_eq!((again.is_quiet(), again.sentence().as_str()), (true, "1 without a node"));
    assert_eq!(CycleChanges::default().sentence(), "nothing changed");
}

#[test]
fn only_so_many_moments_are_kept() {
    let mut moments = Moments::default();
    assert_eq!((moments.first(), moments.last(), moments.dropped()), (0, 0, 0));
    (1..=MOST + 5).for_each(|number| moments.push(moment(number, 1, CycleView::default())));
    assert_eq!((moments.first(), moments.last(), moments.dropped()), (6, 205, 5));
    assert_eq!(moments.get(5), None);
    assert_eq!(moments.get(6).map(|kept| kept.number), Some(6));
    assert_eq!((moments.get(205).map(|kept| kept.number), moments.get(206)), (Some(205), None));
    assert_eq!(moments.iter().count(), MOST);
}

/// Adds moments of 400,000 pods each: of three, the last two are kept; one that is too large by itself is kept alone.
#[test]
fn only_so_much_is_kept_in_sum() {
    let mut moments = Moments::default();
    (1..=3).for_each(|number| moments.push(moment(number, 400_000, CycleView::default())));
    assert_eq!((moments.first(), moments.last()), (2, 3));
    moments.push(moment(4, MOST_IN_SUM + 1, CycleView::default()));
    assert_eq!((moments.first(), moments.last(), moments.dropped()), (4, 4, 3));
    moments.push(moment(5, 1, CycleView::default()));
    assert_eq!((moments.first(), moments.last()), (5, 5));
}

#[test]
fn a_line_has_no_gap() {
    let mut moments = Moments::default();
    for number in [1, 2, 9, 10] {
        moments.push(moment(number, 1, CycleView::default()));
    }
    assert_eq!((moments.first(), moments.last(), moments.dropped()), (9, 10, 8));
    assert_eq!(moments.get(9).map(|kept| kept.number), Some(9));
}
