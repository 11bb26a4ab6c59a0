//! Processes that are killed, at any moment, leave a store with all that they acknowledged, groups whole, and nothing
//! else but what was under way. Nobody has to help: others that have it open go on, and the next one opens it.

use entable::index::State;
use entable::{Operation, Store, UpdateMode};
use entable_tests::acks::Acks;
use entable_tests::random::Random;
use entable_tests::rows;
use entable_tests::steps::{self, Followed, KINDS};
use entable_tests::{shim, tier};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Processes at work at a time; each is killed in its turn.
const PROCESSES: u64 = 2;
/// Threads in each, with a stream of steps each.
const THREADS: u64 = 3;
/// Rounds until the file is a new one: so creating it is interrupted, too.
const ROUNDS_A_FILE: usize = 25;
/// Nobody waits longer for a dead one than this.
const STALL: Duration = Duration::from_secs(20);
/// Of all kills, those that must have met a commit between its first write and its last sync.
const LEAST_PERCENT_IN_COMMIT: usize = 30;

/// A file, what it must hold, and what to watch it with.
struct Scene {
    folder: tempfile::TempDir,
    shim: PathBuf,
    streams: Vec<Followed>,
    is_compacting: bool,
}

impl Scene {
    fn new(shim: &Path) -> Scene {
        let folder = tempfile::tempdir().expect("a folder");
        let streams = (0..PROCESSES * THREADS).map(Followed::new).collect();
        Scene { folder, shim: shim.to_owned(), streams, is_compacting: false }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn acks(&self) -> Acks {
        Acks::open(&self.path("acks")).expect("the acknowledgements")
    }

    /// Starts the process of this number, where its streams left off.
    fn start(&self, process: u64) -> Child {
        let own = self.streams.iter().skip((process * THREADS) as usize).take(THREADS as usize);
        Command::new(env!("CARGO_BIN_EXE_store_steps"))
            .args([self.path("store.ent"), self.path("acks")])
            .arg(u64::MAX.to_string())
            .args(own.map(|followed| format!("{}:{}", followed.stream.number, followed.steps)))
            // It comes to compact the file when it is the last that has it open.
            .args(self.is_compacting.then_some("compact:1000000"))
            .env("LD_PRELOAD", &self.shim)
            .env("ENTABLE_MARK", self.path(&format!("mark-{process}")))
            .env("ENTABLE_MARK_DATA", self.path("store.ent"))
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the program runs")
    }

    fn acknowledged(&self, process: u64) -> u64 {
        let acks = self.acks();
        (process * THREADS..(process + 1) * THREADS).map(|stream| acks.get(stream)).sum()
    }

    /// Waits until a process has done more than `before`.
    fn wait_for_progress(&self, process: u64, before: u64, child: &mut Child) {
        let start = Instant::now();
        while self.acknowledged(process) <= before {
            assert!(start.elapsed() < STALL, "process {process} stands still after {before} steps");
            assert!(child.try_wait().expect("a child").is_none(), "process {process} ended by itself");
            thread::sleep(Duration::from_micros(200));
        }
    }

    /// Kills a process. Tells whether it was amid a commit.
    fn kill(&self, process: u64, child: &mut Child) -> bool {
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
        let mark = std::fs::read(self.path(&format!("mark-{process}"))).unwrap_or_default();
        mark.first() == Some(&1)
    }

    /// Opens the store and compares all its rows.
    fn check(&mut self, round: usize) {
        let acks = self.acks();
        let store = Store::open(self.path("store.ent")).unwrap_or_else(|error| panic!("round {round}: {error:?}"));
        for followed in &mut self.streams {
            let acknowledged = acks.get(followed.stream.number);
            followed.check(&store, acknowledged).unwrap_or_else(|error| panic!("round {round}: {error}"));
            // What was under way and is there counts from now on.
            acks.put(followed.stream.number, followed.steps).expect("a file");
        }
        store.close();
        steps::verify(&self.path("store.ent")).unwrap_or_else(|error| panic!("round {round}: {error}"));
    }
}

#[test]
fn killed_writers_leave_what_they_acknowledged_and_groups_whole() {
    let kills = tier::count(200, 10_000);
    let mut random = Random::new(tier::seed());
    let tools = tempfile::tempdir().expect("a folder");
    let shim = shim::build("mark", tools.path());
    let (mut killed, mut in_commit, mut early, mut steps) = (0, 0, 0, 0);
    let mut scene = Scene::new(&shim);
    let rounds = kills.div_ceil(PROCESSES as usize);
    for round in 0..rounds {
        if round % ROUNDS_A_FILE == 0 && round > 0 {
            steps += scene.streams.iter().map(|followed| followed.steps).sum::<u64>();
            scene = Scene::new(&shim);
        }
        scene.is_compacting = random.percent(30);
        let before: Vec<u64> = (0..PROCESSES).map(|process| scene.acknowledged(process)).collect();
        let mut children: Vec<Child> = (0..PROCESSES).map(|process| scene.start(process)).collect();
        let first = random.below(PROCESSES as usize) as u64;
        for process in (0..PROCESSES).map(|place| (first + place) % PROCESSES) {
            let child = &mut children[process as usize];
            if random.percent(15) {
                // Whatever it is at: loading, making the file, opening it.
                early += 1;
                thread::sleep(Duration::from_micros(random.below(8_000) as u64));
            } else {
                // The second has to get on though the first died, with the lock perhaps.
                let sofar = if process == first { before[process as usize] } else { scene.acknowledged(process) };
                scene.wait_for_progress(process, sofar, child);
                thread::sleep(Duration::from_micros(random.below(4_000) as u64));
            }
            in_commit += usize::from(scene.kill(process, child));
            killed += 1;
        }
        scene.check(round);
    }
    steps += scene.streams.iter().map(|followed| followed.steps).sum::<u64>();
    tier::announce(format_args!(
        "{killed} kills, {in_commit} between a commit's first write and its last sync, {early} soon after the start; \
         {steps} steps of {} kinds done",
        KINDS.len()
    ));
    assert!(in_commit * 100 >= killed * LEAST_PERCENT_IN_COMMIT, "{in_commit} of {killed} kills met a commit");
}

/// Kills amid the building of an index of many rows, which takes several commits, while rows change.
#[test]
fn an_index_that_was_being_built_is_kept_and_completed() {
    let kills = tier::count(6, 300);
    let mut random = Random::new(tier::seed());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.ent");
    let table = Store::open(&path).and_then(|store| store.create_table(rows::TABLE)).expect("a table");
    for first in (0..rows::MANY).step_by(10_000) {
        let numbers = first..first + 10_000;
        let operations = numbers.map(|number| {
            let entity = rows::entity(u32::try_from(number).expect("few rows"));
            (&table, Operation::create(entity).expect("an entity"))
        });
        table.store().submit_batch(operations).expect("rows");
    }
    table.store().close();
    let (mut building, mut amid) = (0, 0);
    for round in 0..kills {
        let seed = random.bits().to_string();
        let mut child = Command::new(env!("CARGO_BIN_EXE_store_index")).arg(&path).arg(seed).spawn().expect("a child");
        thread::sleep(Duration::from_millis(50 + random.below(2_000) as u64));
        assert!(child.try_wait().expect("a child").is_none(), "round {round}: it ended by itself");
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
        steps::verify(&path).unwrap_or_else(|error| panic!("round {round}, as it was left: {error}"));
        let states = || {
            let table = Store::open_with(&path, &rows::read_only())?.table(rows::TABLE)?;
            Ok::<_, entable::Error>(table.list_indexes()?.iter().map(|index| index.state()).collect::<Vec<_>>())
        };
        let left = states().unwrap_or_else(|error| panic!("round {round}: {error:?}"));
        building += usize::from(left.contains(&State::Building));
        // Whoever opens it for writing goes on with it; it is not asked to.
        let table = Store::open(&path).and_then(|store| store.table(rows::TABLE)).expect("the store opens");
        let start = Instant::now();
        while table.list_indexes().expect("indexes").iter().any(|index| index.state() != State::Ready) {
            amid += 1;
            assert!(start.elapsed() < STALL, "round {round}: the index is not completed");
            table.upsert_entity(rows::entity(random.below(rows::MANY) as u32), UpdateMode::Replace).expect("a write");
        }
        assert_eq!(table.list_indexes().expect("indexes").len(), left.len(), "round {round}");
        table.store().close();
        steps::verify(&path).unwrap_or_else(|error| panic!("round {round}, completed: {error}"));
    }
    tier::announce(format_args!("{kills} kills, {building} amid a build, {amid} writes while one was completed"));
    assert!(building * 4 >= kills && amid > 0, "{building} of {kills} kills met a build, {amid} writes its completion");
}
