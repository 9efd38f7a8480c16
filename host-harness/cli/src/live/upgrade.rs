//! The policy of a running loop is replaced: when its file changes, or when somebody orders it.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use lictor_controller::upgrade::{Desk, Offer, Offers, On, Refusal, Wish};
use lictor_host::session::Candidate;
use sha2::{Digest, Sha256};

use super::open::{InForce, Opening};
use super::{Asked, Replacing};
use crate::arguments::Arguments;
use crate::choice::Choice;
use crate::failure::Failure;

/// How often the file is looked at.
const LOOK: Duration = Duration::from_secs(1);

impl Asked {
    /// Whether the policy may be replaced by one that is not named here.
    pub(super) fn is_replaced(&self) -> bool {
        self.operations.has_socket() || self.replacing.policy_map.is_some()
    }
}

/// Where replacements are ordered.
pub(super) fn desk(asked: &Asked, opening: &Arc<Opening>, offers: Offers) -> Desk {
    let (choice, opening, own) = (asked.policy.clone(), opening.clone(), asked.replacing.on());
    let is_recorded = asked.record.is_some();
    Desk::new(offers, move |wish| {
        if is_recorded {
            let message = "what is recorded (`--record`) is a session of one policy".to_owned();
            let remedy = "end this process, and start it without `--record`, or with that component".to_owned();
            return Err(Refusal { message, remedy });
        }
        load(&choice, &opening, wish, own).map_err(|failure| {
            let (message, remedy) = failure.lines();
            Refusal { message, remedy }
        })
    })
}

/// Reads, compiles and configures what is wished for: seconds may pass.
fn load(choice: &Choice, opening: &Arc<Opening>, wish: Wish, own: On) -> Result<Offer, Failure> {
    let chosen = match wish.bytes {
        Some(bytes) => choice.given(&wish.component, bytes)?,
        None => choice.next(&wish.component).find()?,
    };
    let arguments = match wish.arguments {
        None => opening.in_force().arguments,
        Some(text) => Arc::new(Arguments::read_text("the arguments", &text)?),
    };
    let new = InForce { chosen: Arc::new(chosen), arguments };
    let mut policy = new.chosen.start()?;
    let described = policy.describe().map_err(|fault| Failure::Session(fault.into()))?;
    let system = &opening.system_name;
    let candidate = Candidate::new(policy, system, &new.arguments.json()).map_err(|error| {
        new.arguments.refused(error, system, described.systems.iter().find(|info| info.name == *system))
    })?;
    let (name, terms, opening) = (new.chosen.source.short(), wish.on.or(own).terms(), opening.clone());
    let settled = Box::new(move || opening.take_over(new));
    Ok(Offer { name, candidate, terms, settled })
}

/// Looks at the file of the component from now on, where that was asked for.
pub(super) fn follow(asked: &Asked, desk: &Desk) -> Result<(), Failure> {
    if !asked.replacing.follow {
        return Ok(());
    }
    if asked.record.is_some() {
        return Err(Failure::Useless("`--follow` replaces the policy, and a recording (`--record`) is of one policy"));
    }
    let Some(file) = asked.policy.file().map(Path::to_owned) else {
        return Err(Failure::Useless("`--follow` looks at the file of a component: name it with `--component`"));
    };
    let (desk, component) = (desk.clone(), file.display().to_string());
    let mut looks = Looks::new(digest(&file));
    thread::Builder::new().name("follow".to_owned()).spawn(move || {
        loop {
            thread::sleep(LOOK);
            if looks.again(digest(&file)) {
                desk.order(Wish { component: component.clone(), ..Wish::default() });
            }
        }
    })?;
    Ok(())
}

/// What a file has, as it was seen; none where it cannot be read.
#[derive(Debug)]
struct Looks {
    taken: Option<Vec<u8>>,
    seen: Option<Vec<u8>>,
}

impl Looks {
    fn new(now: Option<Vec<u8>>) -> Looks {
        Looks { taken: now.clone(), seen: now }
    }

    /// Whether it is to be taken: it is another one, and nobody is writing it any more. One that cannot be read any more is taken, too:
    /// then it is said why.
    fn again(&mut self, now: Option<Vec<u8>>) -> bool {
        let is_still = std::mem::replace(&mut self.seen, now.clone()) == now;
        let is_new = is_still && now != self.taken;
        if is_new {
            self.taken = now;
        }
        is_new
    }
}

fn digest(file: &Path) -> Option<Vec<u8>> {
    Some(Sha256::digest(std::fs::read(file).ok()?).to_vec())
}

impl Replacing {
    /// On which terms a policy is replaced where nothing else is said.
    fn on(&self) -> On {
        On {
            shadow: Some(self.shadow),
            watch: Some(self.watch),
            allow: Some(self.allow),
            answers: Some(self.answers),
            patience: Some(self.patience),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_taken_when_it_is_another_one_and_rests_and_one_that_is_gone_once() {
        let file = |bytes: &[u8]| Some(bytes.to_vec());
        let mut looks = Looks::new(file(b"old"));
        let seen =
            [file(b"old"), file(b"ne"), file(b"new"), file(b"new"), file(b"new"), None, None, None, file(b"new")];
        let taken: Vec<bool> = seen.into_iter().map(|now| looks.again(now)).collect();
        assert_eq!(taken, [false, false, false, true, false, false, true, false, false]);
        assert!(looks.again(file(b"new")), "it is back");
    }
}
