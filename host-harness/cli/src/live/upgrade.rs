//! The policy of a running loop is replaced when its file changes.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use lictor_controller::upgrade::{Offer, Offers};
use lictor_host::replace::{Period, Terms};
use sha2::{Digest, Sha256};

use super::open::Opening;
use super::{Asked, Replacing};
use crate::failure::Failure;

/// How often the file is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Looks at the file of the component from now on, where that was asked for.
pub(super) fn follow(asked: &Asked, opening: &Arc<Opening>, offers: Offers) -> Result<(), Failure> {
    if !asked.replacing.follow {
        return Ok(());
    }
    if asked.record.is_some() {
        return Err(Failure::Useless("`--follow` replaces the policy, and a recording (`--record`) is of one policy"));
    }
    let Some(file) = asked.policy.file().map(Path::to_owned) else {
        return Err(Failure::Useless("`--follow` looks at the file of a component: name it with `--component`"));
    };
    let (choice, opening, terms) = (asked.policy.clone(), opening.clone(), asked.replacing.terms());
    let mut taken = digest(&file);
    let mut seen = taken.clone();
    thread::Builder::new().name("upgrade".to_owned()).spawn(move || {
        loop {
            thread::sleep(LOOK);
            let now = digest(&file);
            // Only a file that nobody is writing any more is read.
            if std::mem::replace(&mut seen, now.clone()) != now || now == taken || now.is_none() {
                continue;
            }
            taken = now;
            let offered = choice.find().and_then(|chosen| {
                let chosen = Arc::new(chosen);
                let (policy, name) = (chosen.start()?, chosen.source.short());
                let new = opening.clone();
                let settled = Box::new(move || new.take_over(chosen));
                let (system, arguments) = (opening.system_name.clone(), opening.arguments.json());
                offers.make(Offer { name, policy, system, arguments, terms, settled });
                Ok(())
            });
            if let Err(failure) = offered {
                failure.tell();
            }
        }
    })?;
    Ok(())
}

fn digest(file: &Path) -> Option<Vec<u8>> {
    Some(Sha256::digest(std::fs::read(file).ok()?).to_vec())
}

impl Replacing {
    /// On which terms a policy is replaced.
    fn terms(&self) -> Terms {
        let period = |seconds: u32| Period::Nanoseconds(i64::from(seconds).saturating_mul(1_000_000_000));
        Terms { shadow: period(self.shadow), watch: period(self.watch), allowed: self.allow }
    }
}
