//! A power cut at any moment leaves a file that opens, with all that was acknowledged, groups whole, and nothing else
//! but what was under way: whatever the disk had and had not written of what was not synced, torn within pages.

#[path = "powercut/disk.rs"]
mod disk;

use disk::{Disk, Event, Name};
use entable::Store;
use entable_tests::random::Random;
use entable_tests::steps::{self, Followed};
use entable_tests::{folders, shim, tier};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

/// Images that are made from one recorded run.
const IMAGES_A_RUN: usize = 100;
/// Threads that write in a run, with a stream of steps each, and how many steps they do.
const STREAMS: u64 = 3;
const STEPS: u64 = 12;
/// Runs on a file until it is a new one.
const RUNS_A_FILE: usize = 3;
/// In so many images of a hundred, at least, something was not synced.
const LEAST_PERCENT_LATE: usize = 50;

const DATA: &str = "store.ent";
const LOCK: &str = "store.ent-lock";

#[derive(Default)]
struct Counts {
    images: usize,
    late: usize,
    without_a_file: usize,
    went_on: usize,
    /// Names that files were given while what they hold was complete: by making a store, and by compacting it.
    named: usize,
}

#[test]
fn a_power_cut_leaves_what_was_acknowledged_and_groups_whole() {
    let images = tier::count(300, 10_000);
    let mut random = Random::new(tier::seed());
    let tools = tempfile::tempdir().expect("a folder");
    let shim = shim::build("record", tools.path());
    let mut counts = Counts::default();
    let mut folder = tempfile::tempdir().expect("a folder");
    let mut streams: Vec<Followed> = (0..STREAMS).map(Followed::new).collect();
    for run in 0..images.div_ceil(IMAGES_A_RUN) {
        if run % RUNS_A_FILE == 0 {
            folder = tempfile::tempdir().expect("a folder");
            let first = run as u64 * STREAMS;
            streams = (first..first + STREAMS).map(Followed::new).collect();
        }
        let place = folder.path().join("place");
        fs::create_dir_all(&place).expect("a folder");
        let mut disk = Disk::default();
        if let Ok(metadata) = fs::metadata(place.join(DATA)) {
            disk.add(metadata.ino(), DATA, fs::read(place.join(DATA)).expect("the file"));
            // What the lock file holds is never synced, and the images take it as they like.
            disk.add(fs::metadata(place.join(LOCK)).map_or(0, |lock| lock.ino()), LOCK, Vec::new());
        }
        // Two processes make the file; then one, which compacts it, too, and puts another in its place; then two again,
        // which may compact it when one of them has ended.
        let (processes, compactions) = [(2, 0), (1, 4), (2, 4)][run % RUNS_A_FILE];
        let events = record(&shim, folder.path(), &streams, processes, compactions);
        counts.named += events.iter().filter(|event| matches!(event, Event::Name(Name::Renamed { .. }))).count();
        let lock = fs::read(place.join(LOCK)).unwrap_or_default();
        cut(events, disk, &lock, &streams, IMAGES_A_RUN.min(images - counts.images), &mut random, &mut counts, run);
        for followed in &mut streams {
            (0..STEPS).for_each(|_| followed.advance());
        }
    }
    tier::announce(format_args!(
        "{} images, {} of them with something that was not synced, {} without the file; {} were written to; {} files got their name",
        counts.images, counts.late, counts.without_a_file, counts.went_on, counts.named
    ));
    // One for each new store: the others are compactions, which wait for transactions only so long.
    let made = images.div_ceil(IMAGES_A_RUN).div_ceil(RUNS_A_FILE);
    assert!(counts.named > made, "{} files got their name, and {made} stores were made", counts.named);
    assert!(counts.late * 100 >= counts.images * LEAST_PERCENT_LATE, "{} images had something late", counts.late);
}

/// Runs the program on the file, so many times at once, and gives the calls of all in their order.
fn record(shim: &Path, folder: &Path, streams: &[Followed], processes: usize, compactions: u64) -> Vec<Event> {
    let (place, log, acks) = (folder.join("place"), folder.join("log"), folder.join("acks"));
    let _ = fs::remove_file(&log);
    let start = |own: &[Followed]| {
        Command::new(env!("CARGO_BIN_EXE_store_steps"))
            .args([&place.join(DATA), &acks])
            .arg(STEPS.to_string())
            .args(own.iter().map(|followed| format!("{}:{}", followed.stream.number, followed.steps)))
            .arg(format!("compact:{compactions}"))
            .env("LD_PRELOAD", shim)
            .env("ENTABLE_RECORD_UNDER", &place)
            .env("ENTABLE_RECORD_LOG", &log)
            .env("ENTABLE_RECORD_ACKS", &acks)
            .spawn()
            .expect("the program runs")
    };
    let children: Vec<_> = streams.chunks(streams.len().div_ceil(processes)).map(start).collect();
    assert_eq!(children.len(), processes);
    for mut child in children {
        let status = child.wait().expect("it ends");
        assert!(status.success(), "{status}");
    }
    let events = Event::read(&fs::read(log).expect("the log"), &place);
    let acknowledged = events.iter().filter(|event| matches!(event, Event::Acknowledged { .. })).count() as u64;
    assert_eq!(acknowledged, STREAMS * STEPS, "every step was recorded");
    events
}

/// Makes images at moments of a run, and opens each.
#[expect(clippy::too_many_arguments, reason = "what a run is made of, each once")]
fn cut(
    events: Vec<Event>,
    mut disk: Disk,
    lock: &[u8],
    streams: &[Followed],
    images: usize,
    random: &mut Random,
    counts: &mut Counts,
    run: usize,
) {
    let mut moments: Vec<usize> = (0..images).map(|_| random.below(events.len() + 1)).collect();
    moments.sort_unstable();
    let mut moments = moments.into_iter().peekable();
    let mut acknowledged: BTreeMap<u64, u64> =
        streams.iter().map(|followed| (followed.stream.number, followed.steps)).collect();
    let all = events.len();
    for (moment, event) in events.into_iter().map(Some).chain([None]).enumerate() {
        while moments.next_if_eq(&moment).is_some() {
            counts.images += 1;
            counts.late += usize::from(disk.is_late());
            let mut image = disk.image(random);
            spoil_lock(&mut image, lock, random);
            check(&image, streams, &acknowledged, random, counts).unwrap_or_else(|failure| {
                panic!("run {run}, after call {moment} of {all}: {failure}");
            });
        }
        let Some(event) = event else { break };
        if let Event::Acknowledged { stream, steps } = event {
            acknowledged.insert(stream, steps);
        }
        disk.apply(event);
    }
}

/// The lock file is never synced, so its bytes may be any of those that it ever had.
fn spoil_lock(image: &mut BTreeMap<String, Vec<u8>>, used: &[u8], random: &mut Random) {
    let Some(lock) = image.get_mut(LOCK) else { return };
    *lock = match random.below(4) {
        0 => Vec::new(),
        1 => vec![0; used.len()],
        2 => used.to_vec(),
        _ => {
            let sectors = used.chunks(512);
            sectors
                .flat_map(|sector| if random.percent(50) { sector.to_vec() } else { vec![0; sector.len()] })
                .collect()
        }
    };
    if random.percent(20) {
        image.remove(LOCK);
    }
}

fn check(
    image: &BTreeMap<String, Vec<u8>>,
    streams: &[Followed],
    acknowledged: &BTreeMap<u64, u64>,
    random: &mut Random,
    counts: &mut Counts,
) -> Result<(), String> {
    let folder = folders::quick();
    for (name, bytes) in image {
        fs::write(folder.path().join(name), bytes).expect("a file");
    }
    counts.without_a_file += usize::from(!image.contains_key(DATA));
    let store = Store::open(folder.path().join(DATA)).map_err(|error| format!("it does not open: {error:?}"))?;
    let mut after: Vec<Followed> = streams.to_vec();
    for followed in &mut after {
        followed.check(&store, acknowledged[&followed.stream.number])?;
    }
    // It is a store like any other: the next step can be done.
    if random.percent(10) {
        let followed = &mut after[0];
        let next = steps::make_tables(&store).and_then(|()| followed.stream.perform(&store, followed.steps));
        next.map_err(|error| format!("the next step fails: {error:?}"))?;
        let done = followed.steps + 1;
        followed.check(&store, done)?;
        counts.went_on += 1;
    }
    store.close();
    drop(store);
    steps::verify(&folder.path().join(DATA))
}
