//! Plays: commands, outcomes, objects and faults in random order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Random;
use super::cluster::{Cluster, Real};
use super::faulty::Fuse;
use super::promises::Promises;
use crate::cluster::{Mirror, Object};
use crate::session::{Action, Cause, Command, CommandId, CommandOutcome, Input, Session, Step};

/// How often things go wrong, in percent.
#[derive(Debug, Clone, Copy)]
pub struct Chances {
    /// A command is not carried out, and the driver says so.
    pub fails: usize,
    /// A command, or its outcome, is lost.
    pub lost: usize,
    /// An outcome comes twice.
    pub twice: usize,
    /// The policy breaks within its next calls.
    pub breaks: usize,
}

/// What the session is told of one object, in its order.
#[derive(Debug, Clone)]
enum News {
    Seen(Box<Object>),
    Gone(String),
    Done(CommandId),
}

/// A session, the cluster that it decides about, and all that is under way between them.
pub struct Simulation {
    /// The session.
    pub session: Session,
    /// The cluster.
    pub cluster: Cluster,
    /// How many inputs were refused.
    pub refused: usize,
    /// How often each thing was asked for.
    pub asked: BTreeMap<&'static str, usize>,
    /// What is written on each pod that is created.
    pub dress: fn(usize, &mut Real),
    random: Random,
    chances: Chances,
    fuse: Fuse,
    commands: BTreeMap<String, VecDeque<Command>>,
    news: BTreeMap<String, VecDeque<News>>,
    loose: Vec<(CommandId, CommandOutcome)>,
    carried_out: BTreeSet<CommandId>,
    promises: Promises,
    now: i64,
    created: usize,
    tried: BTreeSet<String>,
}

/// A second.
const SECOND: i64 = 1_000_000_000;

impl Simulation {
    /// A session over a cluster of nodes with eight cores each, and these objects.
    pub fn new(mut session: Session, seed: u64, nodes: usize, objects: Vec<Object>, fuse: Fuse) -> Simulation {
        let mut cluster = Cluster::default();
        cluster.nodes.extend((1..=nodes).map(|number| (format!("n{number}"), 8)));
        session.handle(Input::Objects(cluster.objects().into_iter().chain(objects).collect())).unwrap();
        Simulation {
            session,
            cluster,
            refused: 0,
            asked: BTreeMap::new(),
            dress: |_, _| {},
            random: Random::new(seed),
            chances: Chances { fails: 15, lost: 15, twice: 10, breaks: 4 },
            fuse,
            commands: BTreeMap::new(),
            news: BTreeMap::new(),
            loose: Vec::new(),
            carried_out: BTreeSet::new(),
            promises: Promises::default(),
            now: 0,
            created: 0,
            tried: BTreeSet::new(),
        }
    }

    /// Something happens.
    pub fn step(&mut self) {
        match self.random.below(16) {
            0 | 1 if self.cluster.pods.len() < 24 => self.create(None),
            2 => self.delete(),
            3 | 4 => self.vanish(),
            5..=7 => self.carry_out_one(),
            8..=10 => self.deliver_one(),
            11 => self.deliver_loose(),
            12 => {
                let name = self.pick(|_| true);
                if let Some(name) = name {
                    self.tell(Input::Attempt(format!("default/{name}")));
                }
            }
            13 => {
                self.now += i64::try_from(self.random.below(20)).unwrap() * SECOND;
                self.tell(Input::Clock(self.now));
            }
            _ => self.tell(Input::Cycle),
        }
        if self.random.percent(self.chances.breaks) {
            self.fuse.set(i64::try_from(self.random.below(12)).unwrap());
        }
    }

    /// Everything that is under way comes to its end, and nothing more goes wrong.
    ///
    /// # Panics
    /// It does not.
    pub fn settle(&mut self) {
        self.chances = Chances { fails: 0, lost: 0, twice: 0, breaks: 0 };
        self.fuse.set(-1);
        let mut quiet = 0;
        for _ in 0..200 {
            let before = self.asked.values().sum::<usize>();
            while self.is_busy() {
                self.carry_out_one();
                self.deliver_one();
                self.deliver_loose();
            }
            self.vanish();
            self.now += 40 * SECOND;
            self.tell(Input::Clock(self.now));
            self.tried.clear();
            self.tell(Input::Cycle);
            let gone = self.cluster.pods.values().all(|pod| !pod.deleted && !pod.evicted);
            quiet = if gone && !self.is_busy() && before == self.asked.values().sum::<usize>() { quiet + 1 } else { 0 };
            if quiet == 3 {
                return;
            }
        }
        panic!("it does not settle: {:?}", self.asked);
    }

    /// After it has settled: the session knows what is so, and has forgotten no pod.
    ///
    /// # Panics
    /// It does not.
    pub fn check(&self, mut fresh: Mirror, pod_by_pod: bool) {
        assert_eq!(self.session.under_way(), 0);
        self.promises.check(self.session.mirror());
        for object in self.cluster.objects() {
            fresh.upsert(object);
        }
        assert_eq!(picture(self.session.mirror()), picture(&fresh));
        let waiting = self.session.waiting();
        let pending: BTreeSet<String> =
            self.session.pending().filter_map(|pod| self.session.mirror().pod_name(pod)).map(str::to_owned).collect();
        for (name, _) in self.cluster.pods.iter().filter(|(_, pod)| pod.node.is_none()) {
            let name = format!("default/{name}");
            assert!(pending.contains(&name) || waiting.contains_key(&name), "`{name}` is forgotten");
            assert!(!pod_by_pod || self.tried.contains(&name) || waiting.contains_key(&name), "`{name}` is not tried");
        }
    }

    fn is_busy(&self) -> bool {
        !self.loose.is_empty()
            || self.commands.values().any(|queue| !queue.is_empty())
            || self.news.values().any(|queue| !queue.is_empty())
    }

    fn create(&mut self, name: Option<String>) {
        self.created += 1;
        let name = name.unwrap_or_else(|| {
            let first = if self.random.percent(30) { 'g' } else { 'p' };
            format!("{first}{}", self.random.below(20))
        });
        if self.cluster.pods.contains_key(&name) {
            return;
        }
        let mut pod = Real {
            uid: format!("u{}", self.created),
            cpu: 1 + u32::try_from(self.random.below(5)).unwrap(),
            priority: i32::try_from(self.random.below(4)).unwrap() * 10,
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            node: None,
            nominated: None,
            deleted: false,
            evicted: false,
        };
        (self.dress)(self.created, &mut pod);
        self.cluster.pods.insert(name.clone(), pod);
        self.show(&name);
    }

    /// Somebody else deletes a pod.
    fn delete(&mut self) {
        if let Some(name) = self.pick(|pod| !pod.deleted) {
            self.cluster.pods.get_mut(&name).unwrap().deleted = true;
            self.show(&name);
        }
    }

    /// A pod that is being deleted, or is marked for another controller, is gone; another of its name may come at once.
    fn vanish(&mut self) {
        if let Some(name) = self.pick(|pod| pod.deleted || pod.evicted) {
            self.cluster.pods.remove(&name);
            if self.chances.fails > 0 && self.random.percent(30) {
                // The session may see the new one without having seen the old one go.
                self.create(Some(name));
            } else {
                self.news.entry(name.clone()).or_default().push_back(News::Gone(format!("Pod/default/{name}")));
            }
        }
    }

    /// A pod at random.
    fn pick(&mut self, suits: impl Fn(&Real) -> bool) -> Option<String> {
        let suiting: Vec<&String> =
            self.cluster.pods.iter().filter(|(_, pod)| suits(pod)).map(|(name, _)| name).collect();
        let place = self.random.below(suiting.len());
        suiting.get(place).map(|name| (*name).clone())
    }

    /// The session will see the pod as it is now.
    fn show(&mut self, name: &str) {
        if let Some(object) = self.cluster.object(name) {
            self.news.entry(name.to_owned()).or_default().push_back(News::Seen(Box::new(object)));
        }
    }

    /// The next command of a pod is carried out, fails or is lost.
    fn carry_out_one(&mut self) {
        let Some(command) = take_one(&mut self.commands, &mut self.random) else { return };
        let (id, name) = (command.id, command.object.name.clone());
        if self.random.percent(self.chances.lost) {
            return;
        }
        if command.action == Action::Confirm {
            match self.carried_out.contains(&id) {
                true => {
                    self.show(&name);
                    self.news.entry(name).or_default().push_back(News::Done(id));
                }
                false => self.loose.push((id, CommandOutcome::Failed("it was not carried out".to_owned()))),
            }
            return;
        }
        if self.random.percent(self.chances.fails) {
            self.loose.push((id, CommandOutcome::Failed("the server is busy".to_owned())));
            return;
        }
        match self.cluster.carry_out(&command) {
            Err(reason) => self.loose.push((id, CommandOutcome::Failed(reason))),
            Ok(()) => {
                self.carried_out.insert(id);
                self.show(&name);
                let times = if self.random.percent(self.chances.twice) { 2 } else { 1 };
                for _ in 0..times {
                    match self.random.below(3) {
                        0 if self.random.percent(self.chances.lost * 2) => {}
                        0 | 1 => self.loose.push((id, CommandOutcome::Accepted)),
                        _ => self.news.entry(name.clone()).or_default().push_back(News::Done(id)),
                    }
                }
            }
        }
    }

    /// The next news of a pod comes.
    fn deliver_one(&mut self) {
        match take_one(&mut self.news, &mut self.random) {
            None => {}
            Some(News::Seen(object)) => self.tell(Input::Objects(vec![*object])),
            Some(News::Gone(key)) => self.tell(Input::Removed(key)),
            Some(News::Done(id)) => self.tell(Input::Outcomes(vec![(id, CommandOutcome::Done)])),
        }
    }

    /// An outcome comes, whichever.
    fn deliver_loose(&mut self) {
        if !self.loose.is_empty() {
            let place = self.random.below(self.loose.len());
            let outcome = self.loose.swap_remove(place);
            self.tell(Input::Outcomes(vec![outcome]));
        }
    }

    /// The session is told something.
    fn tell(&mut self, input: Input) {
        match self.session.handle(input) {
            Ok(step) => self.take(step),
            Err(error) => {
                let is_known =
                    matches!(error.cause, Cause::NotPending { .. } | Cause::NoSuchPod(_) | Cause::CallError(_));
                assert!(is_known, "{error}");
                self.refused += 1;
            }
        }
    }

    fn take(&mut self, step: Step) {
        self.promises.follow(&step.happened, self.session.mirror());
        self.promises.check(self.session.mirror());
        self.tried.extend(step.happened.attempts.iter().map(|attempt| attempt.pod.clone()));
        for command in step.commands {
            let what = match command.action {
                Action::Bind { .. } => "bind",
                Action::Nominate { node: Some(_) } => "nominate",
                Action::Nominate { node: None } => "withdraw",
                Action::Evict { .. } => "evict",
                Action::Confirm => "confirm",
            };
            *self.asked.entry(what).or_default() += 1;
            self.commands.entry(command.object.name.clone()).or_default().push_back(command);
        }
    }
}

/// The first of a queue, whichever is not empty.
fn take_one<T>(queues: &mut BTreeMap<String, VecDeque<T>>, random: &mut Random) -> Option<T> {
    queues.retain(|_, queue| !queue.is_empty());
    let place = random.below(queues.len());
    queues.values_mut().nth(place)?.pop_front()
}

/// What is known of the pods, by name: uid, node, nomination, whether they are being deleted.
fn picture(mirror: &Mirror) -> BTreeMap<String, (String, Option<String>, Option<String>, bool)> {
    let node = |id: Option<u32>| id.and_then(|id| mirror.node(id)).map(|node| node.name.clone());
    let pods = mirror.pods().filter_map(|pod| {
        let name = mirror.pod_name(pod.id)?.to_owned();
        Some((name, (pod.uid.clone(), node(pod.node), node(pod.nominated), pod.terminating)))
    });
    pods.collect()
}
