//! Runs one plan: lives of the bridge that end badly, then a calm one, then the judge.

use std::sync::Arc;
use std::time::Duration;

use askbridge_bridge::auth::{TokenRole, Tokens};
use askbridge_bridge::chance::Chance;
use askbridge_bridge::runtime::{Decide, Store};
use askbridge_core::ids::Timestamp;
use askbridge_journal::Memory;
use parking_lot::Mutex;
use tokio::time::{sleep, timeout};

use crate::agents::{self, Agent, Plugin};
use crate::broken::{Broken, BrokenJournal};
use crate::dice::Dice;
use crate::fates::Fates;
use crate::house::{Doors, House};
use crate::judge::{self, Disk};
use crate::log::{BEGIN, Log, Violation};
use crate::panics;
use crate::people::{self, Mind, TONGUES, Tongue};
use crate::phone::{self, Phone};
use crate::plan::Plan;
use crate::rules;
use crate::world::{Ledger, Watched, World};

/// How far the clock moves at once. A task that sleeps by it wakes up this late at most.
const TICK: Duration = Duration::from_millis(100);
/// The calm life ends long before this. Beyond: an agent waits for ever.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long the life lasts in which one append fails: until nothing is appended any more.
const STRUCK_LIFE: Duration = Duration::from_secs(60);

/// How a plan went.
#[derive(Debug)]
pub struct Story {
    pub plan: Plan,
    pub violations: Vec<Violation>,
    /// Everything that was said and heard, line by line.
    pub transcript: String,
    pub lines: usize,
    pub asks: usize,
    /// Attempted appends, stored or not.
    pub appends: usize,
    /// The lines that concern the first violation.
    pub excerpt: String,
}

/// The cursor that a client keeps from life to life.
type KeptCursor = Arc<Mutex<Option<String>>>;

/// Everyone who takes part, with what they remember from life to life.
struct Cast {
    natives: Vec<(Arc<Mutex<Mind>>, KeptCursor)>,
    foreign: Vec<(Arc<Mutex<Mind>>, &'static Tongue)>,
    streams: Vec<(Arc<Mutex<Mind>>, KeptCursor)>,
    agents: Vec<Arc<Mutex<Agent>>>,
    plugins: Vec<Arc<Mutex<Plugin>>>,
    intruder: (String, Arc<Mutex<Dice>>),
    /// The token of the person with the phone.
    rung: Option<String>,
}

/// Runs a plan with the real bridge.
pub fn run(plan: &Plan) -> Story {
    run_with(plan, None)
}

/// Runs a plan with a bridge that is broken on purpose.
pub fn run_with(plan: &Plan, broken: Option<Broken>) -> Story {
    let decide: Decide = match broken {
        Some(Broken::Rules(rules)) => rules.decide(),
        _ => askbridge_core::decide,
    };
    let journal: Option<BrokenJournal> = match broken {
        Some(Broken::Journal(journal)) => Some(journal),
        _ => None,
    };
    let disk = match broken {
        Some(Broken::Disk(disk)) => Some(disk),
        _ => None,
    };
    let mut disk = plan.on_disk.then(|| Disk::new(disk));
    panics::watch();
    let log = Arc::new(Log::new());
    let fates = Arc::new(Fates::new(plan, Arc::clone(&log), journal));
    let memory = Memory::meddled(plan.seed, fates.clone()).expect("memory can be had");
    let deaf = match broken {
        Some(Broken::Tongue(tongue)) => Some(tongue.listing()),
        _ => None,
    };
    let keeps_revoked = broken == Some(Broken::KeepsRevokedTokens);
    let keeps_rules = broken == Some(Broken::KeepsOldRules);
    let has_rules = plan.rules;
    let phone = plan.rings.then(|| Phone::new(plan));
    let ledger = Mutex::new(Ledger::default());
    let world =
        World { seed: plan.seed, memory, log, fates, ledger, keeps_revoked, keeps_rules, has_rules, phone, deaf };
    let world = Arc::new(world);
    let cast = in_a_life(cast(plan, &world));
    let mut dice = Dice::new(plan.seed, 2);
    for life in 0..plan.lives {
        if world.log.is_broken() {
            break;
        }
        world.log.line("world", None, format!("life {life} begins"));
        in_a_life(one_life(plan, &world, &cast, decide, life as u64, &mut dice));
        world.rules_end();
        world.fates.forget_unwritten();
        if let Some(disk) = &mut disk {
            in_a_life(disk.follow(&world));
        }
        jump(plan, &world, &mut dice);
    }
    world.log.line("world", None, "the calm life begins");
    cast.calm_down(&world);
    // The append that the plan strikes may come only now, and end this life too.
    while in_a_life(last_life(plan, &world, &cast, decide)) == LifeEnd::Killed {
        world.log.line("world", None, "the bridge is killed by what it wrote");
        world.rules_end();
        world.fates.forget_unwritten();
    }
    let asks = in_a_life(judge::judge(&world));
    if let Some(disk) = &mut disk {
        in_a_life(disk.follow(&world));
    }
    for panic in panics::seen() {
        world.log.broke(4, None, format!("something panicked: {panic}"));
    }
    let violations = world.log.violations();
    let excerpt = world.log.shown();
    let (transcript, lines, appends) = (world.log.transcript(), world.log.len(), world.fates.appends());
    Story { plan: plan.clone(), transcript, lines, asks, appends, violations, excerpt }
}

/// Runs a life in its own runtime: when that is dropped, every task stops where it is, as after kill -9.
fn in_a_life<T>(living: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime without threads can be had").block_on(living)
}

async fn one_life(plan: &Plan, world: &Arc<World>, cast: &Cast, decide: Decide, life: u64, dice: &mut Dice) {
    let house = House::open(world, life + 1, plan.nodes, decide).await;
    change_rules(world, &house, life + 1);
    cast.enter(world, &house.doors());
    tokio::spawn(tick(Arc::clone(&world.log)));
    // Tokens are revoked before the calm life, in which the remaining clients finish.
    if life as usize + plan.revocations >= plan.lives {
        tokio::spawn(revoke_one(Arc::clone(world), house.doors(), Dice::new(plan.seed, 4 ^ (life << 8))));
    }
    let (span, steps, gently) = (dice.millis(300, 25_000), dice.below(40), dice.below(3) == 0);
    let (span, gently) = if plan.strike.is_some() { (STRUCK_LIFE, false) } else { (span, gently) };
    let killed = timeout(span, world.fates.kill.notified()).await.is_ok();
    if killed {
        return world.log.line("world", None, "the bridge is killed by what it wrote");
    }
    if gently {
        world.log.line("world", None, "the bridge is told to stop");
        // An append during shutdown may kill the bridge. It would never return, and closing would wait for it.
        tokio::select! {
            biased;
            () = world.fates.kill.notified() => world.log.line("world", None, "the bridge is killed by what it wrote"),
            () = house.close() => {}
        }
        return;
    }
    // Kill the bridge in the middle of its work, not at a moment when every task sleeps.
    for _ in 0..steps {
        tokio::task::yield_now().await;
    }
    world.log.line("world", None, "the bridge is killed");
}

/// Puts the rules in force with which this life begins, and others later.
fn change_rules(world: &Arc<World>, house: &House, life: u64) {
    if world.has_rules {
        world.put_rules(&house.doors(), false);
        tokio::spawn(rules::change(Arc::clone(world), house.doors(), Dice::new(world.seed, 7 ^ (life << 8))));
    }
}

/// Revokes one token at some moment of a life.
async fn revoke_one(world: Arc<World>, doors: Doors, mut dice: Dice) {
    sleep(dice.millis(100, 6_000)).await;
    let holders = world.ledger.lock().holders.clone();
    let Some((name, token)) = holders.get(dice.below(holders.len())) else { return };
    world.ledger.lock().holders.retain(|(_, known)| known != token);
    if !world.keeps_revoked {
        doors.revoke(token).await;
    }
    world.note_revoked(name, token);
}

#[derive(Debug, PartialEq, Eq)]
enum LifeEnd {
    Killed,
    Done,
}

async fn last_life(plan: &Plan, world: &Arc<World>, cast: &Cast, decide: Decide) -> LifeEnd {
    let house = House::open(world, 0, plan.nodes, decide).await;
    change_rules(world, &house, 0);
    cast.enter(world, &house.doors());
    tokio::spawn(tick(Arc::clone(&world.log)));
    let all_done = async {
        while cast.waits_for().is_some() && !world.log.is_broken() {
            sleep(TICK).await;
        }
        // The last events and proofs of delivery are still on their way.
        world.ledger.lock().heard_up_to = world.fates.newest();
        sleep(Duration::from_secs(5)).await;
    };
    let done = tokio::select! {
        biased;
        () = world.fates.kill.notified() => return LifeEnd::Killed,
        done = timeout(PATIENCE, all_done) => done,
    };
    if done.is_err() {
        let who = cast.waits_for().unwrap_or_default();
        let session = judge::session_of_key(world, &who).await;
        world.log.broke(4, session, format!("{who} waits for ever"));
    }
    tokio::select! {
        biased;
        () = world.fates.kill.notified() => LifeEnd::Killed,
        () = house.close() => LifeEnd::Done,
    }
}

/// Moves the bridge's clock along with the runtime's.
async fn tick(log: Arc<Log>) {
    loop {
        sleep(TICK).await;
        log.clock.advance(TICK);
    }
}

/// Between two lives time passes, and sometimes the clock is set.
fn jump(plan: &Plan, world: &World, dice: &mut Dice) {
    let now = world.log.now();
    let span = dice.below(3_000) as i64;
    let jump = match (plan.clock_trouble, dice.below(4)) {
        (true, 0) => dice.below(3_600_000) as i64,
        (true, 1) => -(dice.below(120_000) as i64),
        _ => span,
    };
    world.log.clock.set(Timestamp((now.0 + jump).max(BEGIN.0)));
    world.log.line("world", None, format!("the clock moves by {jump} ms"));
}

async fn cast(plan: &Plan, world: &World) -> Cast {
    let store = Store::from(world.memory.clone());
    let tokens = Tokens::load(store, Chance::seeded(plan.seed), world.log.now()).await.expect("memory can be read");
    let mut actors = 10;
    let mut next = || {
        actors += 1;
        Dice::new(plan.seed, actors)
    };
    let make = async |name: &str, role| {
        let made = tokens.make(name, "simulated", role, world.log.now()).await;
        let (secret, info) = made.expect("a token can be made");
        // One person has to stay to answer, and the intruder has to stay.
        if !matches!(name, "native0" | "mallory" | phone::PERSON) {
            world.ledger.lock().holders.push((name.to_owned(), info.id));
        }
        secret.reveal().to_owned()
    };
    let mut cast = Cast {
        natives: Vec::new(),
        foreign: Vec::new(),
        streams: Vec::new(),
        agents: Vec::new(),
        plugins: Vec::new(),
        intruder: (make("mallory", TokenRole::Agent).await, Arc::new(Mutex::new(next()))),
        rung: None,
    };
    for number in 0..plan.natives {
        let name = format!("native{number}");
        let token = make(&name, TokenRole::Person).await;
        world.ledger.lock().watched.push(Watched { person: name.clone(), ..Watched::default() });
        cast.natives.push((mind(name, token, next(), plan), Arc::default()));
    }
    for number in 0..plan.streams {
        let name = format!("stream{number}");
        let token = make(&name, TokenRole::Person).await;
        world.ledger.lock().watched.push(Watched { person: name.clone(), ..Watched::default() });
        cast.streams.push((mind(name, token, next(), plan), Arc::default()));
    }
    for number in 0..plan.agents {
        let name = format!("agent{number}");
        let token = make(&name, TokenRole::Agent).await;
        let agent = Agent::new(name, token, next(), plan);
        cast.agents.push(Arc::new(Mutex::new(agent)));
    }
    for number in 0..plan.plugins {
        let name = format!("plugin{number}");
        let token = make(&name, TokenRole::Agent).await;
        let plugin = Plugin::new(name, token, next(), plan);
        cast.plugins.push(Arc::new(Mutex::new(plugin)));
    }
    for (tongue, number) in
        TONGUES.iter().zip(plan.foreign).filter(|(_, speaks)| *speaks).map(|(tongue, _)| *tongue).zip(100..)
    {
        let name = tongue.name.to_owned();
        let token = make(&name, TokenRole::Person).await;
        cast.foreign.push((mind(name, token, Dice::new(plan.seed, number), plan), tongue));
    }
    if plan.large > 0 {
        let token = make("large", TokenRole::Agent).await;
        let agent = Agent::with_large_asks("large".to_owned(), token, Dice::new(plan.seed, 5), plan);
        cast.agents.push(Arc::new(Mutex::new(agent)));
    }
    if plan.rings {
        cast.rung = Some(make(phone::PERSON, TokenRole::Operator).await);
    }
    cast
}

fn mind(name: String, token: String, dice: Dice, plan: &Plan) -> Arc<Mutex<Mind>> {
    Arc::new(Mutex::new(Mind::new(name, token, dice, plan)))
}

impl Cast {
    fn enter(&self, world: &Arc<World>, doors: &Doors) {
        for (book, (mind, cursor)) in self.natives.iter().enumerate() {
            tokio::spawn(people::native(world.clone(), mind.clone(), book, cursor.clone(), doors.clone()));
        }
        for (mind, tongue) in &self.foreign {
            tokio::spawn(people::foreign(world.clone(), mind.clone(), tongue, doors.clone()));
        }
        for (book, (mind, cursor)) in (self.natives.len()..).zip(&self.streams) {
            tokio::spawn(people::stream(world.clone(), mind.clone(), book, cursor.clone(), doors.clone()));
        }
        for agent in &self.agents {
            tokio::spawn(agents::http(world.clone(), agent.clone(), doors.clone()));
        }
        for plugin in &self.plugins {
            tokio::spawn(agents::plugin(world.clone(), plugin.clone(), doors.clone()));
        }
        if let Some(token) = &self.rung {
            tokio::spawn(phone::adopt(world.clone(), token.clone(), doors.clone()));
        }
        let (token, dice) = &self.intruder;
        tokio::spawn(agents::intruder(world.clone(), token.clone(), dice.clone(), doors.clone()));
    }

    /// Injects no more faults; from now on every person answers.
    fn calm_down(&self, world: &World) {
        world.fates.calm_down();
        if let Some(phone) = &world.phone {
            phone.calm_down();
        }
        self.natives.iter().for_each(|(mind, _)| mind.lock().calm_down());
        self.streams.iter().for_each(|(mind, _)| mind.lock().calm_down());
        self.foreign.iter().for_each(|(mind, _)| mind.lock().calm_down());
        self.agents.iter().for_each(|agent| agent.lock().calm_down());
        self.plugins.iter().for_each(|plugin| plugin.lock().calm_down());
    }

    /// Returns the key of an ask that an agent still waits for.
    fn waits_for(&self) -> Option<String> {
        let agents = self.agents.iter().filter_map(|agent| agent.lock().waits_for());
        let plugins = self.plugins.iter().filter_map(|plugin| plugin.lock().waits_for());
        agents.chain(plugins).next()
    }
}
