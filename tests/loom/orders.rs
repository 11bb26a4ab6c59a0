//! What holds in every order. A thread that waits for ever is a failure of the model itself.

use super::begun::Begun;
use super::queue::{OwnTurn, Queue};
use super::sync::Mutex;
use loom::model::Builder;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::thread::{self, JoinHandle};

/// A job: who came with it, and its number among theirs.
type Job = (u32, u32);
type Jobs = Arc<Queue<Job, u32>>;

/// Threads by their numbers.
const MAIN: u32 = 0;
const DRAIN: u32 = 1;
const OTHER: u32 = 2;
const THIRD: u32 = 3;

/// Tries every order in which a thread is interrupted at most so often where it need not be.
fn in_every_order(short: usize, long: usize, run: impl Fn() + Send + Sync + 'static) {
    let is_long = std::env::var("ENTABLE_LONG").is_ok_and(|long| long == "1");
    let mut builder = Builder::new();
    builder.preemption_bound = Some(if is_long { long } else { short });
    builder.max_branches = 10_000;
    builder.check(run);
}

fn queue(places: usize) -> Jobs {
    Arc::new(Queue::new(places))
}

/// Nobody but the holder of the turn is between its beginning and its end.
#[derive(Clone)]
struct Alone(Arc<AtomicBool>);

impl Alone {
    fn new() -> Alone {
        Alone(Arc::new(AtomicBool::new(false)))
    }

    fn work(&self) {
        assert!(!self.0.swap(true, Ordering::AcqRel), "two have the turn");
        thread::yield_now();
        self.0.store(false, Ordering::Release);
    }
}

/// The thread that does the jobs, as the writer's does them. Gives them in their order.
fn drain(queue: &Jobs, alone: &Alone, most: usize) -> JoinHandle<Vec<Job>> {
    let (queue, alone) = (Arc::clone(queue), alone.clone());
    thread::spawn(move || {
        let mut done = Vec::new();
        while let Some(jobs) = queue.next(DRAIN, most) {
            assert!(!jobs.is_empty() && jobs.len() <= most, "{} jobs", jobs.len());
            alone.work();
            done.extend(jobs);
            queue.give_back();
        }
        done
    })
}

#[test]
fn jobs_are_done_once_in_their_order_and_before_the_end() {
    in_every_order(2, 3, || {
        let (queue, alone) = (queue(8), Alone::new());
        let drain = drain(&queue, &alone, 2);
        let other = thread::spawn({
            let queue = Arc::clone(&queue);
            move || (0..2).for_each(|job| assert!(queue.push(OTHER, (OTHER, job)).is_ok()))
        });
        assert!(queue.push(MAIN, (MAIN, 0)).is_ok());
        other.join().expect("it ends");
        queue.close();
        let done = drain.join().expect("it ends");
        let of = |who| done.iter().filter(move |job| job.0 == who).map(|job| job.1).collect::<Vec<_>>();
        assert_eq!((of(OTHER), of(MAIN)), (vec![0, 1], vec![0]));
    });
}

#[test]
fn whoever_comes_to_a_full_queue_gets_a_place() {
    in_every_order(2, 3, || {
        let (queue, alone) = (queue(1), Alone::new());
        let drain = drain(&queue, &alone, 1);
        let other = thread::spawn({
            let queue = Arc::clone(&queue);
            move || (0..2).for_each(|job| assert!(queue.push(OTHER, (OTHER, job)).is_ok()))
        });
        assert!(queue.push(MAIN, (MAIN, 0)).is_ok());
        other.join().expect("it ends");
        queue.close();
        assert_eq!(drain.join().expect("it ends").len(), 3);
    });
}

#[test]
fn one_has_the_turn() {
    in_every_order(2, 3, || {
        let (queue, alone) = (queue(8), Alone::new());
        let drain = drain(&queue, &alone, 8);
        let other = thread::spawn({
            let (queue, alone) = (Arc::clone(&queue), alone.clone());
            move || {
                assert_eq!(queue.take(OTHER), Ok(()));
                assert_eq!(queue.take(OTHER), Err(OwnTurn));
                assert_eq!(queue.push(OTHER, (OTHER, 0)), Err(((OTHER, 0), OwnTurn)));
                alone.work();
                queue.give_back();
            }
        });
        assert!(queue.push(MAIN, (MAIN, 0)).is_ok());
        if queue.try_take(MAIN) {
            alone.work();
            queue.give_back();
        }
        other.join().expect("it ends");
        queue.close();
        assert_eq!(drain.join().expect("it ends"), [(MAIN, 0)]);
    });
}

#[test]
fn a_caller_comes_after_the_jobs_before_it_and_before_those_behind() {
    in_every_order(2, 3, || {
        let (queue, done) = (queue(8), Arc::new(AtomicUsize::new(0)));
        let drain = thread::spawn({
            let (queue, done) = (Arc::clone(&queue), Arc::clone(&done));
            move || {
                while let Some(jobs) = queue.next(DRAIN, 8) {
                    done.fetch_add(jobs.len(), Ordering::AcqRel);
                    queue.give_back();
                }
            }
        });
        // Whoever holds the turn keeps all others waiting, in the order in which they came.
        assert_eq!(queue.take(MAIN), Ok(()));
        let other = thread::spawn({
            let (queue, done) = (Arc::clone(&queue), Arc::clone(&done));
            move || {
                assert!(queue.push(OTHER, (OTHER, 0)).is_ok());
                assert_eq!(queue.take(OTHER), Ok(()));
                let before = done.load(Ordering::Acquire);
                assert_eq!(before, 1, "jobs done before a caller who came behind one");
                // Behind the caller: it is not done while the caller has the turn.
                queue.give_back();
                assert!(queue.push(OTHER, (OTHER, 1)).is_ok());
            }
        });
        // One who waits before them perhaps: the turn is his alone.
        let third = thread::spawn({
            let queue = Arc::clone(&queue);
            move || {
                assert_eq!(queue.take(THIRD), Ok(()));
                queue.give_back();
            }
        });
        assert_eq!(done.load(Ordering::Acquire), 0, "a job was done while a caller had the turn");
        queue.give_back();
        third.join().expect("it ends");
        other.join().expect("it ends");
        assert_eq!(queue.take(MAIN), Ok(()));
        assert_eq!(done.load(Ordering::Acquire), 2, "all that came before");
        queue.give_back();
        queue.close();
        drain.join().expect("it ends");
    });
}

#[test]
fn nobody_takes_the_turn_of_one_who_waits() {
    in_every_order(2, 3, || {
        let (queue, alone) = (queue(8), Alone::new());
        let other = thread::spawn({
            let (queue, alone) = (Arc::clone(&queue), alone.clone());
            move || {
                assert_eq!(queue.take(OTHER), Ok(()));
                alone.work();
                queue.give_back();
            }
        });
        if queue.try_take(MAIN) {
            alone.work();
            queue.give_back();
        }
        assert!(queue.push(MAIN, (MAIN, 0)).is_ok());
        assert!(!queue.try_take(MAIN), "the turn was taken before a job that waits");
        let drain = drain(&queue, &alone, 8);
        other.join().expect("it ends");
        queue.close();
        assert_eq!(drain.join().expect("it ends"), [(MAIN, 0)]);
        assert!(queue.try_take(MAIN), "nobody has it, and nobody waits");
    });
}

/// The thread is started by the first who needs it, and joined by the last who lets go.
#[test]
fn one_thread_is_started_and_it_ends_when_the_queue_is_closed() {
    in_every_order(2, 3, || {
        struct Writer {
            queue: Jobs,
            started: AtomicUsize,
            thread: Mutex<Option<JoinHandle<Vec<Job>>>>,
        }
        fn submit(writer: &Writer, me: u32) {
            let mut thread = writer.thread.lock().expect("the thread");
            if thread.is_none() {
                writer.started.fetch_add(1, Ordering::AcqRel);
                *thread = Some(drain(&writer.queue, &Alone::new(), 8));
            }
            drop(thread);
            assert!(writer.queue.push(me, (me, 0)).is_ok());
        }
        let (queue, started, thread) = (queue(1), AtomicUsize::new(0), Mutex::new(None));
        let writer = Arc::new(Writer { queue, started, thread });
        let other = thread::spawn({
            let writer = Arc::clone(&writer);
            move || submit(&writer, OTHER)
        });
        submit(&writer, MAIN);
        other.join().expect("it ends");
        writer.queue.close();
        let thread = writer.thread.lock().expect("the thread").take().expect("it was started");
        assert_eq!(thread.join().expect("it ends").len(), 2);
        assert_eq!(writer.started.load(Ordering::Acquire), 1);
    });
}

#[test]
fn what_is_given_up_is_not_begun_and_what_is_begun_is_not_given_up() {
    in_every_order(3, 8, || {
        let begun = Arc::new(Begun::default());
        let worker = thread::spawn({
            let begun = Arc::clone(&begun);
            // Once more, after a commit that came to nothing.
            move || (begun.begin(), begun.begin())
        });
        let other = thread::spawn({
            let begun = Arc::clone(&begun);
            move || begun.cancel()
        });
        let is_cancelled = begun.cancel();
        let is_cancelled_too = other.join().expect("it ends");
        let is_begun = worker.join().expect("it ends");
        assert_eq!(is_begun, (!is_cancelled, !is_cancelled));
        assert_eq!(is_cancelled_too, is_cancelled);
    });
}

#[test]
fn what_is_let_go_of_is_done() {
    in_every_order(3, 8, || {
        let begun = Arc::new(Begun::default());
        let worker = thread::spawn({
            let begun = Arc::clone(&begun);
            move || begun.begin()
        });
        // As `Submitted::detach`, whose value is dropped then.
        assert!(begun.begin());
        assert!(!begun.cancel());
        assert!(worker.join().expect("it ends"));
    });
}
