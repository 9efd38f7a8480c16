//! `lictor explain --live`: the running process explains the state of a pod.

use std::path::Path;

use lictor_controller::ops::explain::{
    ExplainRequest, LiveExplanation, LivePodState, SocketError, request_explanation,
};

use crate::exit::Exit;
use crate::failure::CommandError;
use crate::page::TextPage;
use crate::screen::{Screen, TextOrJson, print_json};

/// Asks the process about a pod, and prints the answer.
pub(crate) fn explain(socket: &Path, pod: &str, output: TextOrJson) -> Result<Exit, CommandError> {
    let answer = request_explanation(socket, &ExplainRequest { explain: pod.to_owned() }).map_err(|error| {
        let remedy = match &error {
            SocketError::NotListening { .. } => "name the socket of `lictor run --explain-socket` with `--socket`",
            SocketError::Refused { hint, .. } => {
                return CommandError::ControllerRefused { message: error.to_string(), hint: hint.clone() };
            }
            SocketError::Disconnected(_) | SocketError::InvalidResponse(_) => {
                "look at the log of the controller, and at /healthz"
            }
        };
        CommandError::Cluster { message: error.to_string(), remedy }
    })?;
    match output {
        TextOrJson::Text => page(&answer).print()?,
        TextOrJson::Json => print_json(&answer)?,
    }
    Ok(Exit::Success)
}

fn page(answer: &LiveExplanation) -> TextPage {
    let mut page = TextPage::new(Screen::stdout());
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

fn words(answer: &LiveExplanation) -> String {
    let node = answer.node.as_deref().unwrap_or("a node that is gone");
    match answer.state {
        LivePodState::Bound => format!("has its node {node}"),
        LivePodState::RoomTaken => format!("was let go for {node}, and kube-scheduler refuses it"),
        LivePodState::Evicted => {
            let whom = answer.evicted_for.as_deref().unwrap_or("others");
            format!("is to be evicted from {node} for {whom}")
        }
        LivePodState::Leaving => "is being deleted".to_owned(),
        LivePodState::Ended => "has ended".to_owned(),
        LivePodState::Nominated => format!("gets {node} when its victims have left"),
        LivePodState::Held => format!("is held for {node} until its gang is complete"),
        LivePodState::Gated => "has scheduling gates of somebody else".to_owned(),
        LivePodState::OtherScheduler => "is not ours to decide about".to_owned(),
        LivePodState::Refused => "was refused".to_owned(),
        LivePodState::Pending => "waits for its first attempt".to_owned(),
    }
}
