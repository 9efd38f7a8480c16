use lictor_decide::CycleInterval;
use lictor_decide::explain::ExplainedPodState;

use super::*;
use crate::engine::PageEngine;
use crate::engine::tests::two::recorded;

fn told(bytes: &[u8]) -> OpenInput {
    OpenInput { name: "two.rec".into(), recording: STANDARD.encode(bytes), ..OpenInput::default() }
}

#[test]
fn a_recording_is_shown_moment_by_moment() {
    let mut page = PageEngine::default();
    let summary = page.open(told(&recorded())).unwrap();
    assert_eq!(summary.kind, InputKind::Recording);
    let mut next = || {
        let moment = page.cycle(CycleInterval::default()).unwrap()?;
        let happened = &moment.record.cycles[0].happened;
        let placed = [&happened.nominated, &happened.bound].map(|pods| pods.keys().cloned().collect::<Vec<_>>());
        Some((moment.number, placed, happened.victims.len(), moment.picture.jobs.len()))
    };
    let high = || vec!["d/high".to_owned()];
    assert_eq!(next(), Some((1, [high(), vec![]], 1, 2)));
    assert_eq!(next(), Some((2, [vec![], high()], 0, 1)));
    assert_eq!((next(), next()), (None, None));
    let mut state = |name: &str, cycle| page.explain(name, cycle, |why| why.pods[0].fate.state);
    assert_eq!(
        (state("d/low", Some(1)), state("d/high", Some(1))),
        (Ok(ExplainedPodState::MakesWay), Ok(ExplainedPodState::Nominated))
    );
    assert_eq!(state("d/high", None), Ok(ExplainedPodState::Bound));
    let on = |page: &mut PageEngine, cycle| page.pods_on("n1", cycle).unwrap()[0].name.clone();
    assert_eq!((on(&mut page, Some(1)), on(&mut page, Some(2))), ("d/low".to_owned(), "d/high".to_owned()));
    // The input stays unchanged.
    assert_eq!(page.scenario().unwrap_err()[0].message, "a recording can be looked at, not changed");
    // The reason of an eviction is explained, although it was not recorded.
    let notes = page.explain("d/high", Some(1), |why| why.pods[0].attempts[0].explanation.is_some());
    assert_eq!(notes, Ok(true));
}

#[test]
fn what_is_lost_at_the_end_is_said_and_what_is_no_recording_is_refused() {
    let bytes = recorded();
    let mut page = PageEngine::default();
    page.open(told(&bytes[..bytes.len() - 3])).unwrap();
    assert_eq!(page.cycle(CycleInterval::default()).unwrap().map(|moment| moment.number), Some(1));
    let mut end = None;
    while end.is_none() {
        match page.cycle(CycleInterval::default()) {
            Ok(moment) => assert!(moment.is_some(), "nothing is said at the end"),
            Err(problems) => end = Some(problems),
        }
    }
    let said = end.unwrap()[0].message.clone();
    assert!(said.starts_with("the recording was cut at its end: "), "{said}");
    // The input before stays open.
    let refused = page.open(told(b"no recording at all")).unwrap_err();
    assert_eq!(refused[0].message, "this is no recording of lictor: it does not begin with `LICTORec`");
    assert_eq!(page.pods_on("n1", None).unwrap().len(), 1);
}

/// Returns the number of each remaining moment, and the pods that are bound or nominated in it.
fn shown(page: &mut PageEngine) -> Vec<(usize, Vec<String>)> {
    let next = || {
        let moment = page.cycle(CycleInterval::default()).unwrap()?;
        let happened = &moment.record.cycles[0].happened;
        Some((moment.number, happened.bound.keys().chain(happened.nominated.keys()).cloned().collect()))
    };
    std::iter::from_fn(next).collect()
}

#[test]
fn a_recording_that_is_cut_anywhere_is_followed_as_if_it_was_opened_whole() {
    let bytes = recorded();
    let mut whole = PageEngine::default();
    whole.open(told(&bytes)).unwrap();
    let all = shown(&mut whole);
    assert_eq!(all.len(), 2);
    let why = |page: &mut PageEngine| page.explain("d/low", Some(1), |why| serde_json::to_string(&why).unwrap());
    // Every byte would take long here; the reader is tested with each.
    for cut in (12..=bytes.len()).step_by(97) {
        let mut page = PageEngine::default();
        page.open(told(&bytes[..12])).unwrap();
        let known = page.append(12, &bytes[12..cut]).unwrap();
        assert!(known.whole <= cut as u64);
        let mut moments = shown(&mut page);
        assert_eq!(moments.len(), known.moments, "{cut}");
        // Bytes after the last whole step are passed once more.
        let known = page.append(known.whole, &bytes[known.whole as usize..]).unwrap();
        assert_eq!(known, ReadPosition { whole: bytes.len() as u64, moments: 2 });
        moments.extend(shown(&mut page));
        assert_eq!((moments == all, why(&mut page)), (true, why(&mut whole)), "{cut}");
        assert_eq!(page.pods_on("n1", Some(1)), whole.pods_on("n1", Some(1)));
        // No problem is reported at the end: more may follow.
        assert!(page.cycle(CycleInterval::default()).unwrap().is_none());
    }
}

#[test]
fn a_cluster_in_which_nothing_was_decided_yet_is_drawn() {
    let bytes = recorded();
    let mut page = PageEngine::default();
    page.open(told(&bytes[..12])).unwrap();
    page.append(12, &[]).unwrap();
    let names = |page: &mut PageEngine| {
        let picture = page.picture().unwrap();
        let jobs = picture.jobs.iter().map(|job| job.name.clone()).collect::<Vec<_>>();
        (picture.nodes.iter().map(|node| node.name.clone()).collect::<Vec<_>>(), jobs)
    };
    assert_eq!(names(&mut page), (vec![], vec![]));
    page.append(12, &bytes[12..]).unwrap();
    for _ in 0..2 {
        assert_eq!(names(&mut page), (vec!["n1".into()], vec!["d/high".into(), "d/low".into()]));
    }
    assert_eq!(page.pods_on("n1", Some(0)).unwrap()[0].name, "d/low");
    // No moment is lost by it.
    assert_eq!(shown(&mut page).len(), 2);
    assert_eq!(names(&mut page).1, ["d/high"]);
}

#[test]
fn moments_are_skipped_without_being_drawn() {
    let bytes = recorded();
    let mut page = PageEngine::default();
    page.open(told(&bytes[..12])).unwrap();
    assert_eq!(page.append(12, &bytes[12..]).unwrap().moments, 2);
    assert_eq!(page.skip(1), Ok(1));
    assert_eq!(shown(&mut page), [(2, vec!["d/high".to_owned()])]);
    // There are only two moments.
    assert_eq!(page.skip(5), Ok(2));
    let state = page.explain("d/low", Some(1), |why| why.pods[0].fate.state);
    assert_eq!(state, Ok(ExplainedPodState::MakesWay));
}

/// Follows a controller that starts anew, with a second session after the first one: the numbers of the moments continue.
#[test]
fn a_second_session_is_followed() {
    let bytes = recorded();
    let mut page = PageEngine::default();
    page.open(told(&bytes)).unwrap();
    let end = bytes.len() as u64;
    assert_eq!(page.append(end, &[]).unwrap(), ReadPosition { whole: end, moments: 2 });
    assert_eq!(shown(&mut page).len(), 2);
    assert_eq!(page.append(end, &bytes[12..]).unwrap(), ReadPosition { whole: 2 * end - 12, moments: 4 });
    assert_eq!(shown(&mut page).iter().map(|(number, _)| *number).collect::<Vec<_>>(), [3, 4]);
}

/// Explains moments in any order: one after an explained moment is repeated from there, one before it from the beginning.
#[test]
fn explanations_do_not_depend_on_what_was_explained_before() {
    let bytes = recorded();
    let followed = || {
        let mut page = PageEngine::default();
        page.open(told(&bytes)).unwrap();
        page.append(bytes.len() as u64, &bytes[12..]).unwrap();
        assert_eq!(shown(&mut page).len(), 4);
        page
    };
    let why = |page: &mut PageEngine, moment| {
        let said = page.explain("d/high", Some(moment), |why| serde_json::to_string(&why).unwrap()).unwrap();
        (said, page.pods_on("n1", Some(moment)).unwrap())
    };
    let anew: Vec<_> = (1..=4).map(|moment| why(&mut followed(), moment)).collect();
    let mut page = followed();
    for moment in [1, 2, 3, 4, 1, 3, 4, 2] {
        assert_eq!(Some(&why(&mut page, moment)), anew.get(moment - 1), "{moment}");
    }
}

#[test]
fn what_does_not_go_on_there_is_refused() {
    let bytes = recorded();
    let mut page = PageEngine::default();
    let message = |refused: Result<ReadPosition, Vec<Problem>>| refused.unwrap_err()[0].message.clone();
    assert_eq!(message(page.append(0, &bytes)), "no recording is open");
    page.open(told(&bytes)).unwrap();
    let end = bytes.len();
    let expected = format!("the bytes of the recording from byte {end} on were expected, and not from byte 12 on");
    assert_eq!(message(page.append(12, &bytes[12..])), expected);
    // Another file replaces the recording: the byte is no beginning of a step there.
    let damaged = format!("the recording is damaged at byte {end}: the head of a frame does not match its checksum");
    assert_eq!(message(page.append(end as u64, &bytes)), damaged);
}
