//! The policy in a session whose driver fails, delays, reorders and loses outcomes, while pods come and go and the policy breaks, is
//! killed, or is replaced.
#![expect(clippy::unwrap_used, clippy::arithmetic_side_effects, reason = "tests")]

mod broken;
mod killed;
mod replaced;
mod systems;

use lictor::Native;
use lictor_host::driver::random::{CallsUntilFault, Faulty, SessionSimulation};
use lictor_host::session::Session;
use systems::Played;

/// How long a simulation is.
const STEPS: usize = 300;

/// Opens a session of the policy that breaks when its fuse has burnt down.
fn open(played: &Played, fuse: &CallsUntilFault) -> Session {
    Session::open(Box::new(Faulty::new(Native::default(), fuse.clone())), played.name, "").unwrap()
}

/// Builds a simulation with this system.
fn simulation(played: &Played, session: Session, seed: u64, fuse: CallsUntilFault) -> SessionSimulation {
    let mut simulation = SessionSimulation::new(session, seed, 3, played.objects.clone(), fuse);
    simulation.pods.customize = played.dress;
    simulation
}
