//! Writes rows and keeps projections of them, though its calls fail: `store_project FOLDER same|elsewhere`. What fails is
//! tried again, at first through the same handles, and then through new ones. At the end all is done.
//!
//! Run by `tests/projections.rs`, which kills it, or lets calls fail.

use entable::{Result, UpdateMode, entity};
use entable_tests::projected::{self, Scene};
use entable_tests::random::Random;
use std::path::PathBuf;

/// Tries of one thing, until it is given up.
const TRIES: usize = 6;

struct Run {
    folder: PathBuf,
    place: String,
    scene: Option<Scene>,
}

impl Run {
    fn again(&mut self, mut work: impl FnMut(&Scene) -> Result<()>) -> Result<()> {
        let mut left = TRIES;
        loop {
            left -= 1;
            let outcome = self.opened().and_then(&mut work);
            match outcome {
                Err(_) if left > 0 => {}
                outcome => return outcome,
            }
            if left == TRIES / 2
                && let Some(scene) = self.scene.take()
            {
                scene.source.close();
                scene.target().close();
            }
        }
    }

    fn opened(&mut self) -> Result<&Scene> {
        if self.scene.is_none() {
            let scene = Scene::open(&self.folder, &self.place)?;
            scene.create(&projected::feed())?;
            self.scene = Some(scene);
        }
        self.scene.as_ref().ok_or_else(|| entable::Error::new(entable::ErrorCode::StoreClosed))
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, folder, place] = &arguments[..] else { return Err("store_project FOLDER same|elsewhere".into()) };
    let mut run = Run { folder: folder.into(), place: place.clone(), scene: None };
    let mut random = Random::new(11);
    let town = |town: &str| entity! { "dead", "1", "Town" => town };
    run.again(|scene| scene.rows.upsert_entity(town("no/key"), UpdateMode::Replace).map(drop))?;
    for round in 0..12 {
        for _ in 0..4 {
            run.again(|scene| projected::write(&scene.rows, &mut random))?;
        }
        for at in 0..2 {
            run.again(|scene| scene.projections[at].step(3).map(drop))?;
        }
        if round == 6 {
            run.again(|scene| scene.rows.upsert_entity(town("Bonn"), UpdateMode::Replace).map(drop))?;
            run.again(|scene| scene.projections[1].retry_dead_letters().map(drop))?;
        }
        if round == 9 {
            run.again(|scene| scene.projections[round % 2].reconcile().map(drop))?;
        }
    }
    run.again(Scene::catch_up)?;
    run.again(|scene| scene.rows.trim_feed().map(drop))?;
    Ok(())
}
