use lictor_decide::Between;
use lictor_decide::explain::State;

use super::*;
use crate::engine::Engine as Page;
use crate::engine::tests::two::recorded;

fn told(bytes: &[u8]) -> Told {
    Told { name: "two.rec".into(), recording: STANDARD.encode(bytes), ..Told::default() }
}

#[test]
fn a_recording_is_shown_moment_by_moment() {
    let mut page = Page::default();
    let summary = page.open(told(&recorded())).unwrap();
    assert_eq!(summary.kind, Kind::Recording);
    let mut next = || {
        let moment = page.cycle(Between::default()).unwrap()?;
        let happened = &moment.record.cycles[0].happened;
        let placed = [&happened.nominated, &happened.bound].map(|pods| pods.keys().cloned().collect::<Vec<_>>());
        Some((moment.number, placed, happened.victims.len(), moment.picture.jobs.len()))
    };
    let high = || vec!["d/high".to_owned()];
    assert_eq!(next(), Some((1, [high(), vec![]], 1, 2)));
    assert_eq!(next(), Some((2, [vec![], high()], 0, 1)));
    assert_eq!((next(), next()), (None, None));
    let mut state = |name: &str, cycle| page.explain(name, cycle, |why| why.pods[0].fate.state);
    assert_eq!((state("d/low", Some(1)), state("d/high", Some(1))), (Ok(State::MakesWay), Ok(State::Nominated)));
    assert_eq!(state("d/high", None), Ok(State::Bound));
    let on = |page: &mut Page, cycle| page.pods_on("n1", cycle).unwrap()[0].name.clone();
    assert_eq!((on(&mut page, Some(1)), on(&mut page, Some(2))), ("d/low".to_owned(), "d/high".to_owned()));
    // It is not changed.
    assert_eq!(page.scenario().unwrap_err()[0].message, "a recording can be looked at, not changed");
    // Why a victim is evicted is explained, which was not recorded.
    let notes = page.explain("d/high", Some(1), |why| why.pods[0].attempts[0].explanation.is_some());
    assert_eq!(notes, Ok(true));
}

#[test]
fn what_is_lost_at_the_end_is_said_and_what_is_no_recording_is_refused() {
    let bytes = recorded();
    let mut page = Page::default();
    page.open(told(&bytes[..bytes.len() - 3])).unwrap();
    assert_eq!(page.cycle(Between::default()).unwrap().map(|moment| moment.number), Some(1));
    let mut end = None;
    while end.is_none() {
        match page.cycle(Between::default()) {
            Ok(moment) => assert!(moment.is_some(), "nothing is said at the end"),
            Err(problems) => end = Some(problems),
        }
    }
    let said = end.unwrap()[0].message.clone();
    assert!(said.starts_with("the recording was cut at its end: "), "{said}");
    // What was open stays open.
    let refused = page.open(told(b"no recording at all")).unwrap_err();
    assert_eq!(refused[0].message, "this is no recording of lictor: it does not begin with `LICTORec`");
    assert_eq!(page.pods_on("n1", None).unwrap().len(), 1);
}
