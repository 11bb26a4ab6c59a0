//! A model of a disk and the system's cache before it: from the recorded calls of a program, what a power cut at some
//! moment may leave.

use entable_tests::random::Random;
use std::collections::BTreeMap;
use std::path::Path;

/// What a disk writes whole or not at all.
const SECTOR: u64 = 512;

/// A call of the program, as `shim/record.c` writes it.
#[derive(Debug)]
pub(crate) enum Event {
    /// A write begins.
    Write { file: u64, place: u64, bytes: Vec<u8> },
    /// A write that syncs itself has ended: its bytes are on the disk.
    Forced { file: u64, place: u64, length: u64 },
    /// A sync of a file has ended.
    Sync { file: u64 },
    /// A file gets a length.
    Length { file: u64, length: u64 },
    /// A name changes.
    Name(Name),
    /// A folder's names are on the disk.
    Folder,
    /// The program has been told that so many steps of a stream are done.
    Acknowledged { stream: u64, steps: u64 },
}

#[derive(Clone, Debug)]
pub(crate) enum Name {
    Made { file: u64, name: String },
    Renamed { from: String, to: String },
    Linked { from: String, to: String },
    Gone { name: String },
}

impl Event {
    /// Reads a log. Names are those in `folder`.
    pub(crate) fn read(log: &[u8], folder: &Path) -> Vec<Event> {
        let mut events = Vec::new();
        let mut rest = log;
        while !rest.is_empty() {
            let (head, after) = rest.split_at(40);
            let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes"));
            let (file, first, second, length) = (number(8), number(16), number(24), number(32));
            let (bytes, after) = after.split_at(usize::try_from(length).expect("a length"));
            rest = after;
            let text = || String::from_utf8(bytes.to_vec()).expect("UTF-8");
            let short = |path: &str| {
                let name = Path::new(path).strip_prefix(folder).expect("a file of the folder");
                name.to_str().expect("UTF-8").to_owned()
            };
            let pair = || {
                let text = text();
                let (from, to) = text.split_once('\0').expect("two names");
                (short(from), short(to))
            };
            events.push(match head[0] {
                b'W' => Event::Write { file, place: first, bytes: bytes.to_vec() },
                b'F' => Event::Forced { file, place: first, length: second },
                b'S' => Event::Sync { file },
                b'T' => Event::Length { file, length: first },
                b'C' => Event::Name(Name::Made { file, name: short(&text()) }),
                b'R' => {
                    let (from, to) = pair();
                    Event::Name(Name::Renamed { from, to })
                }
                b'L' => {
                    let (from, to) = pair();
                    Event::Name(Name::Linked { from, to })
                }
                b'U' => Event::Name(Name::Gone { name: short(&text()) }),
                b'E' => Event::Folder,
                b'A' => {
                    let steps = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
                    Event::Acknowledged { stream: first / 8, steps }
                }
                kind => panic!("no event begins with {kind}"),
            });
        }
        events
    }
}

/// What is on the disk, and what the system has yet to bring there.
#[derive(Default)]
pub(crate) struct Disk {
    files: BTreeMap<u64, File>,
    names: BTreeMap<String, u64>,
    late_names: Vec<Name>,
}

#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    late: Vec<Change>,
}

enum Change {
    Write { place: u64, bytes: Vec<u8>, is_forced: bool },
    Length(u64),
}

impl Disk {
    /// A disk with a file, all of which is there.
    pub(crate) fn add(&mut self, number: u64, name: &str, bytes: Vec<u8>) {
        self.files.insert(number, File { bytes, late: Vec::new() });
        self.names.insert(name.into(), number);
    }

    /// Does a call.
    pub(crate) fn apply(&mut self, event: Event) {
        match event {
            Event::Write { file, place, bytes } => {
                self.files.entry(file).or_default().late.push(Change::Write { place, bytes, is_forced: false });
            }
            Event::Length { file, length } => self.files.entry(file).or_default().late.push(Change::Length(length)),
            Event::Forced { file, place, length } => {
                let late = &mut self.files.entry(file).or_default().late;
                let own = late.iter_mut().rev().find_map(|change| match change {
                    Change::Write { place: own, bytes, is_forced } if *own == place => {
                        Some((bytes.len() as u64, is_forced))
                    }
                    _ => None,
                });
                let (bytes, is_forced) = own.expect("the write has begun");
                assert_eq!(bytes, length, "the write was done in one piece");
                *is_forced = true;
            }
            Event::Sync { file } => {
                let file = self.files.entry(file).or_default();
                for change in std::mem::take(&mut file.late) {
                    change.bring(&mut file.bytes, |_| true);
                }
            }
            Event::Name(name) => {
                // The number may have been another file's, which is gone.
                if let Name::Made { file, .. } = &name {
                    self.files.insert(*file, File::default());
                }
                self.late_names.push(name);
            }
            Event::Folder => {
                for name in std::mem::take(&mut self.late_names) {
                    name.apply(&mut self.names);
                }
            }
            Event::Acknowledged { .. } => {}
        }
    }

    /// Whether a power cut now could take something.
    pub(crate) fn is_late(&self) -> bool {
        !self.late_names.is_empty() || self.files.values().any(|file| !file.late.is_empty())
    }

    /// What a power cut now may leave: the files by their names. Of what is late some sectors are there; of the names,
    /// which the file system logs in their order, the first few.
    pub(crate) fn image(&self, random: &mut Random) -> BTreeMap<String, Vec<u8>> {
        let mut names = self.names.clone();
        let logged = random.below(self.late_names.len() + 1);
        for name in &self.late_names[..logged] {
            name.clone().apply(&mut names);
        }
        names.into_iter().map(|(name, number)| (name, self.files[&number].image(random))).collect()
    }
}

impl File {
    fn image(&self, random: &mut Random) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        // All late sectors alike, or the first changes whole, the next torn, and the others not at all.
        let percent = random.pick(&[0, 10, 50, 50, 90, 100]);
        let whole = random.percent(30).then(|| random.below(self.late.len() + 1));
        for (at, change) in self.late.iter().enumerate() {
            change.bring(&mut bytes, |_| match whole {
                Some(whole) if at != whole => at < whole,
                _ => random.percent(percent),
            });
        }
        bytes
    }
}

impl Change {
    /// Brings to the disk those sectors that are there.
    fn bring(&self, to: &mut Vec<u8>, mut is_there: impl FnMut(u64) -> bool) {
        match self {
            Change::Length(length) => {
                if is_there(0) {
                    to.resize(usize::try_from(*length).expect("a length"), 0);
                }
            }
            Change::Write { place, bytes, is_forced } => {
                let (mut at, end) = (*place, place + bytes.len() as u64);
                while at < end {
                    let next = ((at / SECTOR + 1) * SECTOR).min(end);
                    if *is_forced || is_there(at) {
                        let index = |at: u64| usize::try_from(at).expect("a place");
                        if to.len() < index(next) {
                            to.resize(index(next), 0);
                        }
                        to[index(at)..index(next)].copy_from_slice(&bytes[index(at - place)..index(next - place)]);
                    }
                    at = next;
                }
            }
        }
    }
}

impl Name {
    fn apply(self, names: &mut BTreeMap<String, u64>) {
        match self {
            Name::Made { file, name } => drop(names.insert(name, file)),
            Name::Renamed { from, to } => {
                if let Some(file) = names.remove(&from) {
                    names.insert(to, file);
                }
            }
            Name::Linked { from, to } => {
                if let Some(file) = names.get(&from).copied() {
                    names.insert(to, file);
                }
            }
            Name::Gone { name } => drop(names.remove(&name)),
        }
    }
}
