//! One plan, struck at each of its requests: what strikes at random in long plays strikes here everywhere once.

use super::play::{Play, ROUND, in_time};
use super::server::{Server, pods};
use super::strike::Strike;
use super::system::System;
use super::world;
use crate::view::text;

/// The rounds in which a gang of low priority starts.
const FIRST: usize = 6;
/// The rounds in which the plan for the gang of high priority is carried out, or struck.
const SECOND: usize = 8;

/// Plays a plan that is struck at a request, by number. Returns what was wrong, and whether there was such a request.
pub(super) fn swept(system: &System, strike: Strike, at: u64) -> (Vec<String>, bool) {
    in_time(async {
        let server = Server::new(at);
        let mut play = Play::begin(system, server.clone(), 2);
        create(&server, system, "g0l", 6);
        for _ in 0..FIRST {
            play.round(ROUND).await;
        }
        let runs = server.state().all(&pods()).filter(|pod| text(pod, "/status/phase") == "Running").count();
        assert_eq!(runs, 2, "{} starts the gang that is preempted", system.name);
        create(&server, system, "g1h", 5);
        server.state().strike = Some((at, strike));
        for _ in 0..SECOND {
            play.round(ROUND).await;
        }
        let was_struck = server.state().strike.is_none();
        play.rest().await;
        let evicts = server.state().observer.verbs.contains_key("evict");
        assert!(evicts || was_struck, "{} evicts no pod", system.name);
        (std::mem::take(&mut server.state().observer.violations), was_struck)
    })
}

/// Lets another process take the checkpoint over before a gang comes. Returns how many requests write before, until the process has ended, and in the
/// end.
pub(super) fn taken_over(system: &System) -> [u64; 3] {
    in_time(async {
        let server = Server::new(0);
        let mut play = Play::begin(system, server.clone(), 2);
        let (_, before) = play.round(ROUND).await;
        play.kept.lose();
        create(&server, system, "g0l", 6);
        let (_, until) = play.round(ROUND).await;
        // Another process begins, and takes it over.
        for _ in 0..FIRST {
            play.round(ROUND).await;
        }
        let runs = server.state().all(&pods()).filter(|pod| text(pod, "/status/phase") == "Running").count();
        assert_eq!(runs, 2, "{} starts the gang", system.name);
        [before, until, server.state().observer.writes]
    })
}

/// Creates a gang of two pods of these cores.
fn create(server: &Server, system: &System, name: &str, cpu: usize) {
    let state = &mut *server.state();
    let important = name.ends_with('h');
    state.create((system.group)(name, 2, important));
    for member in 0..2 {
        world::pod(state, system, &format!("{name}-{member}"), Some(name), (cpu, important, false));
    }
}
