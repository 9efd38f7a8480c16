use std::collections::BTreeMap;

use lictor_picture::{Job, Pod};

use super::*;
use crate::data::{Attempt, Victim};

/// Returns a moment with `pods` pods in the cluster, and this cycle.
fn moment(number: usize, pods: usize, cycle: Cycle) -> Moment {
    let pod = |at: usize| Pod { name: format!("a/{at}"), placed: true };
    let job = Job { name: "a/j".to_owned(), queue: 0, priority: 0, pods: (0..pods).map(pod).collect() };
    let picture = Picture { jobs: vec![job], ..Picture::default() };
    Moment { number, picture, record: Record { cycles: vec![cycle], ..Record::default() }, left: Vec::new() }
}

fn attempt(pod: &str, result: &str) -> Attempt {
    Attempt { pod: pod.to_owned(), result: result.to_owned(), ..Attempt::default() }
}

#[test]
fn a_cycle_says_what_it_changed() {
    let on = |pod: &str| BTreeMap::from([(pod.to_owned(), "n1".to_owned())]);
    let cycle = Cycle {
        attempts: vec![
            attempt("a/b", "Scheduled"),
            attempt("a/n", "Nominated"),
            attempt("a/r", "Rejected"),
            attempt("a/u", "Unschedulable"),
        ],
        bound: on("a/b"),
        nominated: on("a/n"),
        victims: BTreeMap::from([("a/v".to_owned(), Victim::default()), ("a/w".to_owned(), Victim::default())]),
        ..Cycle::default()
    };
    let changes = Changes::of(&cycle, 3);
    assert_eq!(changes.sentence(), "3 left, 1 bound, 1 nominated, 2 evicted, 2 without a node");
    assert!(!changes.is_quiet());
    // A pod that is refused again changes nothing.
    let again = Changes::of(&Cycle { attempts: vec![attempt("a/r", "Rejected")], ..Cycle::default() }, 0);
    assert_eq!((again.is_quiet(), again.sentence().as_str()), (true, "1 without a node"));
    assert_eq!(Changes::default().sentence(), "nothing changed");
}

#[test]
fn only_so_many_moments_are_kept() {
    let mut moments = Moments::default();
    assert_eq!((moments.first(), moments.last(), moments.gone()), (0, 0, 0));
    (1..=MOST + 5).for_each(|number| moments.push(moment(number, 1, Cycle::default())));
    assert_eq!((moments.first(), moments.last(), moments.gone()), (6, 205, 5));
    assert_eq!(moments.get(5), None);
    assert_eq!(moments.get(6).map(|kept| kept.number), Some(6));
    assert_eq!((moments.get(205).map(|kept| kept.number), moments.get(206)), (Some(205), None));
    assert_eq!(moments.iter().count(), MOST);
}

/// Adds moments of 400,000 pods each: of three, the last two are kept; one that is too large by itself is kept alone.
#[test]
fn only_so_much_is_kept_in_sum() {
    let mut moments = Moments::default();
    (1..=3).for_each(|number| moments.push(moment(number, 400_000, Cycle::default())));
    assert_eq!((moments.first(), moments.last()), (2, 3));
    moments.push(moment(4, MOST_IN_SUM + 1, Cycle::default()));
    assert_eq!((moments.first(), moments.last(), moments.gone()), (4, 4, 3));
    moments.push(moment(5, 1, Cycle::default()));
    assert_eq!((moments.first(), moments.last()), (5, 5));
}

#[test]
fn a_line_has_no_gap() {
    let mut moments = Moments::default();
    for number in [1, 2, 9, 10] {
        moments.push(moment(number, 1, Cycle::default()));
    }
    assert_eq!((moments.first(), moments.last(), moments.gone()), (9, 10, 8));
    assert_eq!(moments.get(9).map(|kept| kept.number), Some(9));
}
