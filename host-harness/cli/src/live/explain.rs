//! `lictor explain --live`: the running process explains the state of a pod.

use std::path::Path;

use lictor_controller::ops::explain::{Answer, AskError, Question, State, ask};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::page::Page;
use crate::screen::{Screen, TextOrJson, print_json};

/// Asks the process about a pod, and prints the answer.
pub(crate) fn explain(socket: &Path, pod: &str, output: TextOrJson) -> Result<Exit, Failure> {
    let answer = ask(socket, &Question { explain: pod.to_owned() }).map_err(|error| {
        let remedy = match &error {
            AskError::Nobody { .. } => "name the socket of `lictor run --explain-socket` with `--socket`",
            AskError::Refused { hint, .. } => {
                return Failure::Unanswered { message: error.to_string(), hint: hint.clone() };
            }
            AskError::Broke(_) | AskError::NoAnswer(_) => "look at the log of the controller, and at /healthz",
        };
        Failure::Cluster { message: error.to_string(), remedy }
    })?;
    match output {
        TextOrJson::Text => page(&answer).print()?,
        TextOrJson::Json => print_json(&answer)?,
    }
    Ok(Exit::Done)
}

fn page(answer: &Answer) -> Page {
    let mut page = Page::new(Screen::stdout());
    page.heading(&format!("{}: {}", answer.pod, words(answer)));
    for said in &answer.said {
        let law = if said.law.is_empty() { String::new() } else { format!("{}: ", said.law) };
        page.paragraph("  ", 4, &format!("{law}{}", said.message));
    }
    if let Some(sentence) = answer.standing.as_ref().and_then(|standing| standing.get("sentence")?.as_str()) {
        page.paragraph("  ", 4, sentence);
    }
    if let Some(retry) = &answer.retry {
        page.paragraph("  ", 4, &format!("tried again {retry}"));
    }
    if let Some(tried) = &answer.tried {
        page.paragraph("  ", 4, &format!("last tried at {tried}, by the laws of {}", answer.system));
    }
    page
}

fn words(answer: &Answer) -> String {
    let node = answer.node.as_deref().unwrap_or("a node that is gone");
    match answer.state {
        State::Bound => format!("has its node {node}"),
        State::RoomTaken => format!("was let go for {node}, and kube-scheduler refuses it"),
        State::Evicted => {
            let whom = answer.evicted_for.as_deref().unwrap_or("others");
            format!("is to be evicted from {node} for {whom}")
        }
        State::Leaving => "is being deleted".to_owned(),
        State::Ended => "has ended".to_owned(),
        State::Nominated => format!("gets {node} when its victims have left"),
        State::Held => format!("is held for {node} until its gang is complete"),
        State::Gated => "has scheduling gates of somebody else".to_owned(),
        State::OtherScheduler => "is not ours to decide about".to_owned(),
        State::Refused => "was refused".to_owned(),
        State::Pending => "waits for its first attempt".to_owned(),
    }
}
