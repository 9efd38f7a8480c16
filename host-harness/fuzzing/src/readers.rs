//! Readers of what users write.

use lictor::Native;
use lictor_artifact::{ArtifactReference, Digest};
use lictor_conformance::read_scenario;
use lictor_contract::quantity::{self, Unit};
use lictor_contract::{Event, Object as Told, duration};
use lictor_host::cluster::{InputError, KubernetesObject, load};
use lictor_host::recording::{RecordingEntry, RecordingReader, Replay, end_of};
use lictor_host::session::{Session, SessionInput};
use lictor_policy::Engine;
use serde_json::json;

use crate::SYSTEMS;

fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

/// Checks that a mistake says what is wrong, and where.
fn check_message(error: &InputError) {
    assert!(!error.message.is_empty() && !error.file.is_empty(), "{error:?}");
}

/// Reads objects as YAML and as JSON, and sends them to a session of every system.
pub(crate) fn objects(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let mut objects = Vec::new();
    for file in ["fuzz.yaml", "fuzz.json"] {
        match load::read(file, text) {
            Ok(documents) => objects.extend(documents.into_iter().map(KubernetesObject::from_document)),
            Err(error) => check_message(&error),
        }
    }
    objects.iter().filter_map(|object| object.as_ref().err()).for_each(check_message);
    let objects: Vec<KubernetesObject> = objects.into_iter().flatten().collect();
    if objects.is_empty() {
        return;
    }
    for system in SYSTEMS {
        let opened = Session::open(Box::new(Native::default()), system, "");
        let Ok(mut session) = opened else { continue };
        session.mirror().mistakes_in(&objects).iter().for_each(check_message);
        // An object that the policy cannot take is an error; the next input is served all the same.
        let _ = session.handle(SessionInput::InitialList(objects.clone()));
        let _ = session.handle(SessionInput::Cycle);
        let _ = session.handle(SessionInput::Objects(objects.clone()));
    }
}

/// Checks that the queues of YuniKorn, read twice from the text of a ConfigMap, are the same.
pub(crate) fn queues(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let object = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "yunikorn", "name": "yunikorn-configs"},
        "data": {"queues.yaml": text},
    });
    let told = Told {
        group: String::new(),
        kind: "ConfigMap".to_owned(),
        namespace: "yunikorn".to_owned(),
        name: "yunikorn-configs".to_owned(),
        json: object.to_string(),
    };
    let read = || {
        let mut engine = Engine::default();
        let configured = engine.configure("yunikorn", "");
        assert!(configured.is_ok(), "{configured:?}");
        let applied = engine.apply(vec![Event::ObjectUpserted(told.clone())]);
        format!("{applied:?} {:?}", engine.queues())
    };
    assert_eq!(read(), read());
}

/// Checks that every system reads the same arguments twice with the same result.
pub(crate) fn arguments(data: &[u8]) {
    let Some(text) = text(data) else { return };
    for system in SYSTEMS {
        let configure = || format!("{:?}", Engine::default().configure(system, text));
        assert_eq!(configure(), configure());
    }
}

/// Checks quantities. An amount in thousandths, rounded up to whole ones, equals the amount in whole ones.
pub(crate) fn quantities(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let (milli, one) = (quantity::parse(text, Unit::Milli), quantity::parse(text, Unit::One));
    if let (Ok(milli), Ok(one)) = (&milli, &one) {
        assert!(*milli >= 0);
        let whole = milli.checked_add(999).map(|sum| sum.wrapping_div(1000));
        assert!(whole.is_none_or(|whole| whole == *one), "`{text}`: {milli} m, {one}");
    }
    for (resource, read) in [("cpu", milli), ("memory", one)] {
        if let Ok(amount) = read {
            let shown = quantity::exact(resource, amount);
            assert_eq!(quantity::parse(&shown, Unit::of(resource)), Ok(amount), "`{text}` is shown as `{shown}`");
            assert!(!quantity::readable(resource, amount).is_empty());
        }
    }
}

/// Checks lengths of time. A length, written in nanoseconds, is read as the same length.
pub(crate) fn durations(data: &[u8]) {
    let Some(text) = text(data) else { return };
    if let Ok(length) = duration::parse(text) {
        assert!(length >= 0);
        // A length in nanoseconds is one, too.
        assert_eq!(duration::parse(&format!("{length}ns")), Ok(length), "`{text}`");
    }
}

/// Reads scenarios, and checks the mistakes found in them.
pub(crate) fn scenarios(data: &[u8]) {
    let Some(text) = text(data) else { return };
    match load::read("fuzz.yaml", text) {
        Ok(documents) => {
            for document in documents {
                if let Err(error) = read_scenario(document) {
                    check_message(&error);
                }
            }
        }
        Err(error) => check_message(&error),
    }
}

/// Replays recordings as far as they can be read. The whole part of a recording never exceeds its length.
pub(crate) fn recordings(data: &[u8]) {
    let Ok(mut reader) = RecordingReader::open(data, "fuzz.rec") else { return };
    let (mut header, mut replay) = (None, None);
    while let Ok(Some(entry)) = reader.next_entry() {
        match entry {
            RecordingEntry::Session(next) => (header, replay) = (Some(next), None),
            RecordingEntry::Step(step) => match (replay.as_mut(), header.take()) {
                (Some(replay), _) => drop(Replay::step(replay, *step)),
                (None, Some(header)) => {
                    replay = Replay::open(Box::new(Native::default()), &header, &step).ok().map(|(replay, _)| replay);
                }
                (None, None) => {}
            },
        }
    }
    let length = u64::try_from(data.len()).unwrap_or(u64::MAX);
    assert!(reader.complete_bytes() <= length);
    if let Ok((whole, tail)) = end_of(data) {
        assert!(whole <= length && tail.is_none_or(|tail| tail.at == whole), "{whole} {tail:?}");
    }
}

/// Checks that names of artifacts are read back as they were written.
pub(crate) fn references(data: &[u8]) {
    let Some(text) = text(data) else { return };
    if let Ok(reference) = ArtifactReference::parse(text) {
        let written = reference.to_string();
        assert_eq!(ArtifactReference::parse(&written), Ok(reference.clone()), "`{text}`");
        let parts = [&reference.host, &reference.repository];
        assert!(parts.iter().all(|part| !part.contains(['?', '#', '@', '%', '\\', ' ', '\n'])), "`{text}`");
        assert!(reference.pinned(&Digest::of(data)).to_string().contains("@sha256:"));
    }
}
