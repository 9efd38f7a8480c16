//! Candidates for a lease in memory, with a clock that the tests move.
#![expect(clippy::arithmetic_side_effects, reason = "tests")]

use std::time::Duration;

use jiff::Timestamp;

use super::*;

fn s(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// The API server: one lease.
#[derive(Default)]
struct Server {
    lease: Option<ObservedLease>,
    written: u64,
}

impl Server {
    fn serve(&mut self, request: &LeaseRequest) -> LeaseResponse {
        match (request, &self.lease) {
            (LeaseRequest::Read, None) => LeaseResponse::Missing,
            (LeaseRequest::Read, Some(lease)) => LeaseResponse::Lease(lease.clone()),
            (LeaseRequest::Create(_), Some(_)) => LeaseResponse::Conflict,
            (LeaseRequest::Replace(_), None) => LeaseResponse::Missing,
            (LeaseRequest::Replace(with), Some(lease)) if with.version != lease.version => LeaseResponse::Conflict,
            (LeaseRequest::Create(record), None) | (LeaseRequest::Replace(ObservedLease { record, .. }), Some(_)) => {
                self.written += 1;
                let seen = ObservedLease { version: self.written.to_string(), record: record.clone() };
                self.lease = Some(seen.clone());
                LeaseResponse::Lease(seen)
            }
        }
    }

    fn holder(&self) -> &str {
        self.lease.as_ref().map_or("", |lease| &lease.record.holder)
    }
}

/// A candidate, and the error of its time of day.
struct Candidate {
    elector: Elector,
    skew: i64,
}

impl Candidate {
    fn new(identity: &str) -> Candidate {
        Candidate { elector: Elector::new(identity, LeaseTimings::default()), skew: 0 }
    }

    fn next(&mut self, now: Duration) -> ElectorAction {
        let time = Timestamp::from_second(1_000_000 + self.skew + i64::try_from(now.as_secs()).unwrap()).unwrap();
        self.elector.next(now, time)
    }

    /// Sends the requests of the candidate at this moment, until it waits.
    fn act(&mut self, now: Duration, server: &mut Server) {
        while let ElectorAction::Send(request) = self.next(now) {
            let answer = server.serve(&request);
            self.elector.handle_response(&request, now, now, answer);
        }
    }

    fn leads(&self, now: Duration) -> bool {
        self.elector.leads(now)
    }
}

/// Returns the tenths of a second up to this second.
fn until(seconds: u32) -> impl Iterator<Item = Duration> {
    (0..seconds * 10).map(|tenth| Duration::from_millis(u64::from(tenth) * 100))
}

#[test]
fn of_two_candidates_one_leads_and_goes_on_leading() {
    let (mut server, mut a, mut b) = (Server::default(), Candidate::new("a"), Candidate::new("b"));
    for now in until(60) {
        a.act(now, &mut server);
        b.act(now, &mut server);
        assert!(a.leads(now) && !b.leads(now), "at {now:?}");
    }
    let lease = server.lease.unwrap().record;
    assert_eq!((lease.holder.as_str(), lease.transitions, lease.seconds), ("a", 0, Some(15)));
    assert!(server.written >= 28, "it renews every 2 s: {}", server.written);
    assert_eq!(b.elector.holder(), "a");
}

#[test]
fn a_leader_that_dies_is_followed_when_its_lease_has_not_changed_for_15_seconds_and_not_before() {
    let (mut server, mut a, mut b) = (Server::default(), Candidate::new("a"), Candidate::new("b"));
    let mut led = None;
    for now in until(60) {
        if now < s(20.0) {
            a.act(now, &mut server);
        }
        b.act(now, &mut server);
        led = led.or(b.leads(now).then_some(now));
    }
    // The last renewal was at 18 s at the latest, and seen by 4.4 s later; the next look is 4.4 s after the end at the latest.
    let led = led.expect("somebody follows");
    assert!(s(33.0) <= led && led <= s(42.0), "{led:?}");
    assert_eq!((server.holder(), server.lease.as_ref().unwrap().record.transitions), ("b", 1));
}

#[test]
fn clocks_that_differ_by_hours_change_nothing() {
    for skew in [-7200, 7200] {
        let (mut server, mut a, mut b) = (Server::default(), Candidate::new("a"), Candidate::new("b"));
        b.skew = skew;
        for now in until(60) {
            a.act(now, &mut server);
            b.act(now, &mut server);
            assert!(a.leads(now) && !b.leads(now), "at {now:?}, {skew} s");
        }
    }
}

#[test]
fn a_leader_that_cannot_renew_stops_before_another_may_lead() {
    let (mut server, mut a, mut b) = (Server::default(), Candidate::new("a"), Candidate::new("b"));
    let (mut stopped, mut led) = (None, None);
    for now in until(60) {
        if now < s(10.0) {
            a.act(now, &mut server);
        } else if let ElectorAction::Send(request) = a.next(now) {
            // The API server does not answer it any more.
            a.elector.handle_response(&request, now, now, LeaseResponse::Failed);
        }
        b.act(now, &mut server);
        assert!(!(a.leads(now) && b.leads(now)), "two lead at {now:?}");
        stopped = stopped.or((now > s(1.0) && !a.leads(now)).then_some(now));
        led = led.or(b.leads(now).then_some(now));
    }
    let (stopped, led) = (stopped.unwrap(), led.unwrap());
    assert!(s(18.0) <= stopped && stopped <= s(20.0), "10 s after its last renewal: {stopped:?}");
    assert!(led >= stopped + s(5.0), "{led:?}");
}

#[test]
fn a_slow_answer_shortens_the_time_and_does_not_lengthen_it() {
    let (mut server, mut a) = (Server::default(), Candidate::new("a"));
    a.act(s(0.0), &mut server);
    let ElectorAction::Send(request) = a.next(s(2.0)) else { panic!("it renews after 2 s") };
    let answer = server.serve(&request);
    // The time of the lease also passes while the request is under way.
    assert!(a.leads(s(9.9)) && !a.leads(s(10.0)));
    a.elector.handle_response(&request, s(2.0), s(9.0), answer);
    assert!(a.leads(s(11.9)) && !a.leads(s(12.0)), "it counts from the moment at which it asked");
}

#[test]
fn a_lease_that_is_given_back_is_taken_at_once() {
    let (mut server, mut a, mut b) = (Server::default(), Candidate::new("a"), Candidate::new("b"));
    a.act(s(0.0), &mut server);
    b.act(s(0.0), &mut server);
    a.elector.release(s(1.0));
    assert!(!a.leads(s(1.0)), "it stops before it says so");
    a.act(s(1.0), &mut server);
    assert_eq!((server.holder(), a.next(s(1.0))), ("", ElectorAction::Ended));
    for now in until(8) {
        b.act(now, &mut server);
    }
    assert!(b.leads(s(7.9)), "within one look: 4.4 s");
}

#[test]
fn one_that_never_led_has_nothing_to_give_back() {
    let (mut server, mut a, mut b) = (Server::default(), Candidate::new("a"), Candidate::new("b"));
    a.act(s(0.0), &mut server);
    b.act(s(0.0), &mut server);
    b.elector.release(s(1.0));
    assert_eq!((b.next(s(1.0)), server.holder()), (ElectorAction::Ended, "a"));
}

#[test]
fn giving_back_is_tried_again_and_given_up_after_10_seconds() {
    let (mut server, mut a) = (Server::default(), Candidate::new("a"));
    a.act(s(0.0), &mut server);
    a.elector.release(s(1.0));
    let mut sent = 0;
    for now in until(20).filter(|now| *now >= s(1.0)) {
        a.elector.release(now);
        if let ElectorAction::Send(request) = a.next(now) {
            sent += 1;
            a.elector.handle_response(&request, now, now, LeaseResponse::Failed);
        }
    }
    assert_eq!((sent, a.next(s(11.0))), (5, ElectorAction::Ended), "at 1, 3, 5, 7 and 9 s");
}

#[test]
fn a_renewal_that_lost_against_another_write_reads_and_writes_again() {
    let (mut server, mut a) = (Server::default(), Candidate::new("a"));
    a.act(s(0.0), &mut server);
    // Another client wrote a label: the same record under another version.
    server.lease.as_mut().unwrap().version = "else".to_owned();
    a.act(s(2.0), &mut server);
    assert!(a.leads(s(11.9)), "renewed at 2 s");
}

#[test]
fn one_whose_lease_was_taken_stops_at_once() {
    let (mut server, mut a) = (Server::default(), Candidate::new("a"));
    a.act(s(0.0), &mut server);
    let record = LeaseRecord { holder: "b".to_owned(), transitions: 1, ..LeaseRecord::default() };
    server.lease = Some(ObservedLease { version: "taken".to_owned(), record });
    a.act(s(2.0), &mut server);
    assert!(!a.leads(s(2.0)) && server.holder() == "b");
}

#[test]
fn a_write_whose_answer_was_lost_is_found_by_reading() {
    let (mut server, mut a) = (Server::default(), Candidate::new("a"));
    let ElectorAction::Send(LeaseRequest::Read) = a.next(s(0.0)) else { panic!() };
    a.elector.handle_response(&LeaseRequest::Read, s(0.0), s(0.0), LeaseResponse::Missing);
    let ElectorAction::Send(create) = a.next(s(0.0)) else { panic!() };
    server.serve(&create);
    a.elector.handle_response(&create, s(0.0), s(5.0), LeaseResponse::Failed);
    assert!(!a.leads(s(5.0)), "nobody told it that it leads");
    for now in until(15).filter(|now| *now >= s(5.0)) {
        a.act(now, &mut server);
    }
    assert!(a.leads(s(14.9)));
}

#[test]
fn a_lease_that_nobody_holds_is_not_created_twice() {
    let (mut server, mut a, mut b) = (Server::default(), Candidate::new("a"), Candidate::new("b"));
    for candidate in [&mut a, &mut b] {
        let ElectorAction::Send(LeaseRequest::Read) = candidate.next(s(0.0)) else { panic!() };
        candidate.elector.handle_response(&LeaseRequest::Read, s(0.0), s(0.0), LeaseResponse::Missing);
    }
    a.act(s(0.0), &mut server);
    b.act(s(0.0), &mut server);
    assert!(a.leads(s(0.0)) && !b.leads(s(0.0)));
}
