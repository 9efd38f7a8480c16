//! Checkpoints that another program wrote, or that were damaged.

use lictor_contract::Checkpoint;
use lictor_host::session::{SessionCheckpoint, SessionInput};
use lictor_policy::Engine;

use crate::SYSTEMS;
use crate::bytes::FuzzInput;
use crate::events::{event, initial_events};
use crate::session::{objects, open_session};

/// A cluster that has something of everything: the bytes decide nothing of it.
const CLUSTER: [u8; 400] = cluster();

const fn cluster() -> [u8; 400] {
    let mut bytes = [0; 400];
    let mut at = 0_u32;
    let mut state = 1_u32;
    while at < 400 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [_, _, _, high] = state.to_le_bytes();
        if let Some(byte) = bytes.as_mut_slice().split_at_mut(at as usize).1.first_mut() {
            *byte = high;
        }
        at = at.wrapping_add(1);
    }
    bytes
}

/// Checks that a policy survives any bytes as its checkpoint, and changes nothing if it refuses them.
pub(crate) fn policy(data: &[u8]) {
    let format = Engine::default().save().format;
    for system in SYSTEMS {
        let mut engine = Engine::default();
        let configured = engine.configure(system, "");
        assert!(configured.is_ok(), "{system}: {configured:?}");
        let mut bytes = FuzzInput::new(&CLUSTER);
        let mut events = initial_events(&mut bytes);
        events.extend((0..30).map(|_| event(&mut bytes)));
        for event in events {
            let _ = engine.apply(vec![event]);
        }
        let before = engine.save();
        match engine.restore(&Checkpoint { format, bytes: data.to_vec() }) {
            Err(_) => assert_eq!(engine.save(), before, "nothing is restored of what is refused"),
            Ok(()) => {
                let _ = (engine.act(), engine.enforce(), engine.queues());
                for pod in 0..6 {
                    let _ = (engine.pre_filter(pod), engine.filter(pod), engine.permit(pod), engine.notes(pod));
                    let _ = engine.memberships(&[pod]);
                }
                let saved = engine.save();
                let restored = engine.restore(&saved);
                assert!(restored.is_ok(), "{restored:?}");
            }
        }
    }
}

/// Checks that a session survives any checkpoint that can be read.
pub(crate) fn session(data: &[u8]) {
    let Ok(checkpoint) = serde_json::from_slice::<SessionCheckpoint>(data) else { return };
    for system in SYSTEMS {
        let Some(mut session) = open_session(system) else { return };
        let mut bytes = FuzzInput::new(&CLUSTER);
        let _ = session.handle(SessionInput::InitialList(objects(&mut bytes)));
        let _ = session.restore(checkpoint.clone());
        let _ = session.handle(SessionInput::Clock(i64::MAX));
        for _ in 0..3 {
            let _ = session.handle(SessionInput::Objects(objects(&mut bytes)));
            let _ = session.handle(SessionInput::Cycle);
        }
        let _ = session.checkpoint();
    }
}
