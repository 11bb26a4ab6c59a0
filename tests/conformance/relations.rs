//! The verbs of relations: declared, followed both ways, and repaired.

use super::{Check, Outcome, Runner, Saved, equal};
use entable::{Error, OnDelete, Orphan, Relation, Repair};
use entable_tests::vectors::{self, Object};
use serde_json::{Value as Json, json};

/// What such a step gives, besides entities, pages and booleans.
pub(super) enum Related {
    Relations(Vec<Relation>),
    Orphans(Vec<Orphan>),
    Count(u64),
    /// Of an entity that has no parent.
    NoParent,
}

impl Runner {
    /// Runs the step, if its verb is one of these.
    pub(super) fn run_relation(&self, step: &Object) -> Option<Result<Outcome, Error>> {
        let verb = step["do"].as_str().expect("a verb");
        let name = step.get("table").map_or_else(|| super::TABLE.to_owned(), vectors::text);
        Some(match verb {
            "create_relation" => self.store.create_relation(&declared(&step["relation"])).map(|()| Outcome::default()),
            "drop_relation" => self.store.drop_relation(&name, &of(step)).map(|()| Outcome::default()),
            "relations" | "linked" | "parent_of" | "link" | "unlink" | "orphans" | "repair_orphans" => {
                self.run_of_child(verb, &name, step)
            }
            "create_join" => {
                let (left, right) = (vectors::text(&step["left"]), vectors::text(&step["right"]));
                let made = self.store.create_join(&name, &left, &right, on_delete(&step["on_delete"]));
                made.map(|_| Outcome::default())
            }
            "join_link" | "join_unlink" | "join_is_linked" | "join_rights" | "join_lefts" => {
                self.run_of_join(verb, &name, step)
            }
            _ => return None,
        })
    }

    fn run_of_child(&self, verb: &str, name: &str, step: &Object) -> Result<Outcome, Error> {
        let table = self.reader(step, name)?;
        let keys = || (vectors::text(&step["partition_key"]), vectors::text(&step["row_key"]));
        let related = |related| Outcome { related: Some(related), ..Outcome::default() };
        Ok(match verb {
            "relations" => related(Related::Relations(table.relations()?)),
            "linked" => {
                let (partition_key, row_key) = keys();
                let mut query = table.linked_query(&of(step), &partition_key, &row_key)?;
                if let Some(size) = step.get("page_size") {
                    query = query.page_size(size.as_u64().expect("a page size") as usize);
                }
                Outcome::of_pages(table.query_entities(query)?)?
            }
            "parent_of" => {
                let (partition_key, row_key) = keys();
                match table.parent_of(&of(step), &partition_key, &row_key)? {
                    Some(parent) => Outcome { entity: Some(parent), ..Outcome::default() },
                    None => related(Related::NoParent),
                }
            }
            "link" => {
                let ((partition_key, row_key), (of_partition, of_row)) = (keys(), key(&step["parent"]));
                table.link(&of(step), (&partition_key, &row_key), (&of_partition, &of_row))?;
                Outcome::default()
            }
            "unlink" => {
                let (partition_key, row_key) = keys();
                Outcome { exists: Some(table.unlink(&of(step), &partition_key, &row_key)?), ..Outcome::default() }
            }
            "orphans" => {
                let most = step["most"].as_u64().expect("a number") as usize;
                related(Related::Orphans(table.orphans(&of(step), most)?))
            }
            "repair_orphans" => {
                let repair = match step["repair"].as_str() {
                    Some("delete") => Repair::Delete,
                    Some("unlink") => Repair::Unlink,
                    other => panic!("no repair {other:?}"),
                };
                related(Related::Count(table.repair_orphans(&of(step), repair)?))
            }
            _ => panic!("the form has no verb {verb}"),
        })
    }

    fn run_of_join(&self, verb: &str, name: &str, step: &Object) -> Result<Outcome, Error> {
        let join = self.store.join(name)?;
        let side = |name: &str| step.get(name).map(key);
        let both = || (side("left").expect("a left one"), side("right").expect("a right one"));
        let is = |exists| Outcome { exists: Some(exists), ..Outcome::default() };
        let token = step.get("token").map(|token| match self.saved(token.as_str().expect("a token")) {
            Some(Saved::Token(token)) => token.clone(),
            _ => panic!("{token} is no token"),
        });
        let size = step.get("page_size").map_or(1_000, |size| size.as_u64().expect("a page size") as usize);
        let page = match verb {
            "join_link" | "join_unlink" | "join_is_linked" => {
                let (left, right) = both();
                let (left, right) = ((&*left.0, &*left.1), (&*right.0, &*right.1));
                return Ok(is(match verb {
                    "join_link" => join.link(left, right)?,
                    "join_unlink" => join.unlink(left, right)?,
                    _ => join.is_linked(left, right)?,
                }));
            }
            "join_rights" => {
                let left = side("left").expect("a left one");
                join.rights((&left.0, &left.1), size, token)?
            }
            _ => {
                let right = side("right").expect("a right one");
                join.lefts((&right.0, &right.1), size, token)?
            }
        };
        let entities = page.entities.iter().cloned().map(Some).collect();
        Ok(Outcome { entities: Some(entities), page: Some(page), ..Outcome::default() })
    }
}

/// Compares with one member of the expectation.
pub(super) fn check(member: &str, expected: &Json, found: &Related) -> Check {
    match (member, found) {
        ("relations", Related::Relations(found)) => {
            let shown = found.iter().map(|relation| {
                let on_delete = if relation.deletes() == OnDelete::Cascade { "cascade" } else { "refuse" };
                json!({
                    "name": relation.name(), "child": relation.child(), "parent": relation.parent(),
                    "keys": [relation.properties().0, relation.properties().1], "on_delete": on_delete,
                })
            });
            equal(&Json::from(shown.collect::<Vec<_>>()), expected)
        }
        ("orphans", Related::Orphans(found)) => {
            let shown = found.iter().map(|one| {
                let target = [&*one.target.0, &*one.target.1];
                json!({ "partition_key": one.partition_key, "row_key": one.row_key, "target": target })
            });
            equal(&Json::from(shown.collect::<Vec<_>>()), expected)
        }
        ("count", Related::Count(found)) => equal(&Json::from(*found), expected),
        ("entity", Related::NoParent) if expected.is_null() => Ok(()),
        _ => Err("the step gives no such thing".into()),
    }
}

/// The name of the relation that a step follows.
fn of(step: &Object) -> String {
    vectors::text(&step["relation"])
}

fn key(json: &Json) -> (String, String) {
    (vectors::text(&json[0]), vectors::text(&json[1]))
}

fn on_delete(json: &Json) -> OnDelete {
    match json.as_str() {
        Some("refuse") => OnDelete::Refuse,
        Some("cascade") => OnDelete::Cascade,
        other => panic!("no on_delete {other:?}"),
    }
}

fn declared(json: &Json) -> Relation {
    let text = |name: &str| vectors::text(&json[name]);
    let mut relation = Relation::new(text("name"), text("child"), text("parent"));
    if let Some(keys) = json.get("keys") {
        let (partition_key, row_key) = key(keys);
        relation = relation.keys(partition_key, row_key);
    }
    match json.get("on_delete") {
        Some(given) => relation.on_delete(on_delete(given)),
        None => relation,
    }
}
