//! `lictor upgrade --live`: orders the replacement of the policy of a running process, and shows its progress.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use lictor_controller::cluster::connect;
use lictor_controller::ops::explain::{SocketError, UpgradeCommand, request_upgrade as say};
use lictor_controller::tokio;
use lictor_controller::upgrade::map::ConfigMapClient;
use lictor_controller::upgrade::{
    ReplacementProgress, ReplacementRefusal, ReplacementRequest, ReplacementStage, TermOverrides,
};

use super::order::UpgradeRequest;
use crate::exit::Exit;
use crate::failure::CommandError;
use crate::page::TextPage;
use crate::remote::is_reference;
use crate::screen::{Screen, TextOrJson, print_json};

/// The time between two questions for the progress.
const POLL_INTERVAL: Duration = Duration::from_millis(300);
/// How long a process may take to answer a ConfigMap.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);

/// Orders a replacement, and shows its progress until it has ended.
pub(crate) fn upgrade(order: &UpgradeRequest<'_>) -> Result<Exit, CommandError> {
    let text = matches!(order.output, TextOrJson::Text);
    let mut shown = ProgressPrinter { text, printed: 0, stage: None, component: String::new() };
    let ended = match &order.live.map {
        Some(map) => through_map(order, map, &mut shown)?,
        None => through_socket(order, &mut shown)?,
    };
    let Some(ended) = ended else { return Ok(Exit::Success) };
    if !shown.text {
        print_json(&ended)?;
    }
    match ended.stage {
        ReplacementStage::Done => Ok(Exit::Success),
        ReplacementStage::Refused => {
            Err(CommandError::ControllerRefused { message: ended.last().to_owned(), hint: ended.remedy })
        }
        _ => Ok(Exit::Failure),
    }
}

fn through_socket(
    order: &UpgradeRequest<'_>,
    shown: &mut ProgressPrinter,
) -> Result<Option<ReplacementProgress>, CommandError> {
    let ask = |line: &UpgradeCommand| say(&order.live.socket, line).map_err(socket_error);
    let first = match order.to {
        Some(to) => ask(&UpgradeCommand::Upgrade(replacement_request(order, to, false)?))?,
        None => ask(&UpgradeCommand::GiveUp)?,
    };
    let number = Some(first.number);
    let mut now = first;
    loop {
        shown.show(&now)?;
        if now.stage.is_final() {
            return Ok(Some(now));
        }
        thread::sleep(POLL_INTERVAL);
        now = ask(&UpgradeCommand::Progress(number))?;
    }
}

fn through_map(
    order: &UpgradeRequest<'_>,
    (namespace, name): &(String, String),
    shown: &mut ProgressPrinter,
) -> Result<Option<ReplacementProgress>, CommandError> {
    let cannot = |message: String| CommandError::Cluster {
        message,
        remedy: "name a kubeconfig with `--kubeconfig`; you need the rights to get, create and patch this ConfigMap",
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let client = runtime.block_on(connect(&order.live.access.access())).map_err(|error| cannot(error.to_string()))?;
    let orders = ConfigMapClient::new(client, namespace, name);
    let Some(to) = order.to else {
        runtime.block_on(orders.withdraw()).map_err(|error| cannot(error.to_string()))?;
        return Ok(None);
    };
    let wish = replacement_request(order, to, true)?;
    let digest = runtime.block_on(orders.write(&wish, &Timestamp::now().to_string())).map_err(|error| {
        match error.refusal() {
            Some(ReplacementRefusal { message, remedy }) => {
                CommandError::ControllerRefused { message: message.clone(), hint: remedy.clone() }
            }
            None => cannot(error.to_string()),
        }
    })?;
    let began = Instant::now();
    loop {
        let answer = runtime.block_on(orders.result(&digest)).map_err(|error| cannot(error.to_string()))?;
        if let Some(answer) = &answer {
            shown.show(&answer.progress)?;
        } else if began.elapsed() > RESPONSE_TIMEOUT {
            let message = format!("no process does anything about the ConfigMap {namespace}/{name}");
            let remedy = "name the one of `lictor run --policy-map`, and look at the log of the process that leads";
            return Err(CommandError::Cluster { message, remedy });
        }
        match answer.filter(|answer| answer.progress.stage.is_final()) {
            Some(answer) => return Ok(Some(answer.progress)),
            None => thread::sleep(POLL_INTERVAL),
        }
    }
}

/// Makes the wish. A file is read here only where its bytes are written into a ConfigMap.
fn replacement_request(order: &UpgradeRequest<'_>, to: &str, writes: bool) -> Result<ReplacementRequest, CommandError> {
    let unreadable = |file: &Path, error| CommandError::Unreadable { file: file.display().to_string(), error };
    let text = |file: &Path| std::fs::read_to_string(file).map_err(|error| unreadable(file, error));
    let is_file = !is_reference(to) && !matches!(to, "embedded" | "native");
    let (file, mut component) = (Path::new(to), to.to_owned());
    if is_file && !writes {
        component = std::path::absolute(file).map_err(|error| unreadable(file, error))?.display().to_string();
    }
    let read = || std::fs::read(file).map_err(|error| unreadable(file, error));
    let seconds = |seconds: Option<u64>| seconds.map(|seconds| u32::try_from(seconds).unwrap_or(u32::MAX));
    let (shadow, watch) = order.seconds;
    let (answers, patience) = (order.live.answers, order.live.patience);
    Ok(ReplacementRequest {
        component,
        bytes: (is_file && writes).then(read).transpose()?,
        arguments: order.args.map(text).transpose()?,
        on: TermOverrides { shadow: seconds(shadow), watch: seconds(watch), allow: order.allow, answers, patience },
    })
}

fn socket_error(error: SocketError) -> CommandError {
    match error {
        SocketError::Refused { message, hint } => CommandError::ControllerRefused { message, hint },
        SocketError::NotListening { .. } => {
            let remedy =
                "name the socket of `lictor run --explain-socket` with `--socket`, or a ConfigMap with `--map`";
            CommandError::Cluster { message: error.to_string(), remedy }
        }
        SocketError::Disconnected(_) | SocketError::InvalidResponse(_) => CommandError::Cluster {
            message: error.to_string(),
            remedy: "look at the log of the controller, and at /healthz",
        },
    }
}

/// The part of a replacement's progress that was shown.
struct ProgressPrinter {
    text: bool,
    printed: usize,
    stage: Option<ReplacementStage>,
    component: String,
}

impl ProgressPrinter {
    /// Shows the new part of the progress, and in the end the differences.
    fn show(&mut self, now: &ReplacementProgress) -> Result<(), CommandError> {
        if !self.text || self.stage == Some(now.stage) {
            return Ok(());
        }
        let mut page = TextPage::new(Screen::stdout());
        if self.stage.replace(now.stage).is_none() {
            page.paragraph("", 2, &format!("replacement {}: {}", now.number, now.component));
        } else if self.component != now.component {
            page.paragraph("", 2, &now.component);
        }
        self.component.clone_from(&now.component);
        if matches!(now.stage, ReplacementStage::Fetching | ReplacementStage::Waiting) {
            page.paragraph("  ", 6, &now.stage.to_string());
        }
        if now.stage != ReplacementStage::Refused {
            now.said.iter().skip(self.printed).for_each(|said| page.paragraph("  ", 6, said));
        }
        self.printed = now.said.len();
        if now.stage.is_final() && !now.differences.is_empty() {
            page.heading("Decided otherwise, old => new");
            now.differences.iter().for_each(|text| page.paragraph("  ", 6, text));
        }
        match now.stage {
            ReplacementStage::Done => page.heading("the new policy decides"),
            ReplacementStage::RolledBack => page.heading("the old policy decides"),
            _ => {}
        }
        page.print()?;
        Ok(())
    }
}
