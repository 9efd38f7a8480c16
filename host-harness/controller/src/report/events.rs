//! Events of `events.k8s.io/v1`: which are written, and how often.
//!
//! An event that occurs a second time becomes a series (`series.count`, `series.lastObservedTime`). After that it is only counted, and the count is
//! written when the series ends (6 minutes without another) or after 30 minutes, so that it does not expire. These are the rules and the times of
//! client-go (`tools/events/event_broadcaster.go`). There the identity of an event does not include its text; here it includes the law.

use std::collections::BTreeMap;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::discovery::ApiResource;
use serde_json::{Value, json};

use super::SECOND;
use super::notice::{EventKey, EventRecord};
use super::object::{ApiWrite, WriteOperation, put};

/// The time without an event after which a series ends.
const FINISH: i64 = 360 * SECOND;
/// The longest time between two writes of the count of a series.
const REFRESH: i64 = 1800 * SECOND;
/// The number of series in memory; beyond that, the oldest are forgotten.
const SERIES: usize = 16_384;
/// The number of events that may occur at once, and the number that each second adds.
const BURST: i64 = 100;
const A_SECOND: i64 = 10;
/// The longest text, in bytes.
const MAX_NOTE_BYTES: usize = 1_024;

/// The origin of a report.
#[derive(Debug, Clone)]
pub struct EventSource {
    /// The name of the controller, such as `lictor.dev/lictor`.
    pub controller: String,
    /// The name of this process, which is that of its pod.
    pub instance: String,
}

/// The events that were written.
#[derive(Debug)]
pub(super) struct Events {
    origin: EventSource,
    series: BTreeMap<EventKey, Series>,
    /// The number of events that may be written now, and the time of that number.
    tokens: i64,
    tokens_at: Option<i64>,
    next_finish: Option<i64>,
    written: u64,
    dropped: u64,
}

#[derive(Debug)]
struct Series {
    namespace: String,
    name: String,
    count: i32,
    last: i64,
    /// The count that was written last, and when.
    written: (i32, i64),
}

impl Events {
    pub(super) fn new(origin: EventSource) -> Events {
        Events {
            origin,
            series: BTreeMap::new(),
            tokens: BURST,
            tokens_at: None,
            next_finish: None,
            written: 0,
            dropped: 0,
        }
    }

    /// Reports a notice. Returns what to write now: a new event, or the second occurrence of a series. `None`: the event is only counted or dropped.
    pub(super) fn report(&mut self, now: i64, notice: &EventRecord) -> Option<ApiWrite> {
        let key = notice.key();
        let is_known = self.series.get(&key).is_some_and(|series| now < series.last.saturating_add(FINISH));
        if is_known {
            return self.record_repeat(now, &key);
        }
        if !notice.always && !self.take_token(now) {
            self.dropped = self.dropped.saturating_add(1);
            return None;
        }
        self.written = self.written.saturating_add(1);
        let namespace = Some(&*notice.regarding.name.namespace).filter(|it| !it.is_empty()).unwrap_or("default");
        let base: String = notice.regarding.name.name.chars().take(200).collect();
        // A part of a name ends in a letter or digit.
        let name = format!("{}.{now:x}{:x}", base.trim_end_matches(['-', '.']), self.written);
        let (namespace, written) = (namespace.to_owned(), (1, now));
        let series = Series { namespace: namespace.clone(), name: name.clone(), count: 1, last: now, written };
        self.series.insert(key, series);
        if self.series.len() > SERIES {
            self.forget_oldest();
        }
        self.next_finish.get_or_insert(now.saturating_add(FINISH));
        Some(write(namespace, name.clone(), WriteOperation::Create(self.event(now, &name, notice))))
    }

    /// Counts another occurrence of an event. Returns the write that begins the series at the second one. `None`: nothing is written now.
    pub(super) fn record_repeat(&mut self, now: i64, key: &EventKey) -> Option<ApiWrite> {
        let series = self.series.get_mut(key)?;
        series.count = series.count.saturating_add(1);
        series.last = now;
        (series.count == 2).then(|| series.write())
    }

    /// Forgets series that have ended, and writes their counts; refreshes those that go on.
    pub(super) fn finish_series(&mut self, now: i64) -> Vec<ApiWrite> {
        if self.next_finish.is_none_or(|at| now < at) {
            return Vec::new();
        }
        let mut writes = Vec::new();
        self.series.retain(|_, series| {
            let (count, at) = series.written;
            let is_over = series.last.saturating_add(FINISH) <= now;
            if series.count > count && (is_over || at.saturating_add(REFRESH) <= now) {
                writes.push(series.write());
                series.written.1 = now;
            }
            !is_over
        });
        self.next_finish = (!self.series.is_empty()).then_some(now.saturating_add(60 * SECOND));
        writes
    }

    pub(super) fn wake_at(&self) -> Option<i64> {
        self.next_finish
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns whether one more event may be written, and takes it out of the bucket.
    fn take_token(&mut self, now: i64) -> bool {
        let passed = now.saturating_sub(self.tokens_at.unwrap_or(now)).max(0);
        let earned = passed.saturating_mul(A_SECOND).checked_div(SECOND).unwrap_or_default();
        if earned > 0 || self.tokens_at.is_none() {
            self.tokens = self.tokens.saturating_add(earned).min(BURST);
            // The rest of the time counts towards the next event.
            let spent = earned.saturating_mul(SECOND).checked_div(A_SECOND).unwrap_or_default();
            self.tokens_at = Some(self.tokens_at.map_or(now, |at| at.saturating_add(spent)));
        }
        let has_room = self.tokens > 0;
        self.tokens = self.tokens.saturating_sub(i64::from(has_room));
        has_room
    }

    fn forget_oldest(&mut self) {
        let oldest = self.series.iter().min_by_key(|(_, series)| series.last).map(|(key, _)| key.clone());
        if let Some(oldest) = oldest {
            self.series.remove(&oldest);
        }
    }

    fn event(&self, now: i64, name: &str, notice: &EventRecord) -> Value {
        let namespace = self.series.get(&notice.key()).map(|series| &series.namespace);
        let mut event = json!({
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"name": name, "namespace": namespace},
            "eventTime": micro(now),
            "reportingController": self.origin.controller,
            "reportingInstance": self.origin.instance.chars().take(128).collect::<String>(),
            "type": if notice.warns { "Warning" } else { "Normal" },
            "reason": notice.reason,
            "action": notice.action,
            "regarding": notice.regarding.reference(),
            "note": cut(&notice.note),
        });
        if let Some(related) = &notice.related {
            put(&mut event, "related", related.reference());
        }
        event
    }
}

impl Series {
    fn write(&mut self) -> ApiWrite {
        self.written = (self.count, self.last);
        let series = json!({"series": {"count": self.count, "lastObservedTime": micro(self.last)}});
        write(self.namespace.clone(), self.name.clone(), WriteOperation::Merge(series))
    }
}

fn write(namespace: String, name: String, change: WriteOperation) -> ApiWrite {
    ApiWrite { resource: resource(), namespace: Some(namespace), name, change }
}

/// Returns the resource of events.
pub(super) fn resource() -> ApiResource {
    ApiResource {
        group: "events.k8s.io".to_owned(),
        version: "v1".to_owned(),
        api_version: "events.k8s.io/v1".to_owned(),
        kind: "Event".to_owned(),
        plural: "events".to_owned(),
    }
}

/// Returns a moment, in nanoseconds since 1970, in the format of events.
fn micro(nanoseconds: i64) -> Value {
    let time = Timestamp::from_nanosecond(nanoseconds.into()).unwrap_or(Timestamp::UNIX_EPOCH);
    serde_json::to_value(MicroTime(time)).unwrap_or_default()
}

/// Returns the text, cut to the longest length of a note.
fn cut(note: &str) -> String {
    if note.len() <= MAX_NOTE_BYTES {
        return note.to_owned();
    }
    let mut cut = String::new();
    let more = "...";
    for c in note.chars() {
        if cut.len().saturating_add(c.len_utf8()).saturating_add(more.len()) > MAX_NOTE_BYTES {
            break;
        }
        cut.push(c);
    }
    cut + more
}
