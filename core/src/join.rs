//! Many to many: a table of pairs, each once, read from both sides (S9.22).

use crate::relation::{OnDelete, Relation};
use crate::store::Store;
use crate::table::Table;
use crate::{ContinuationToken, Entity, ErrorCode, Page, Result, entity, keys};

/// The relations of a join table, and the properties that hold the keys of either side.
const LEFT: (&str, [&str; 2]) = ("Left", ["LeftPartitionKey", "LeftRowKey"]);
const RIGHT: (&str, [&str; 2]) = ("Right", ["RightPartitionKey", "RightRowKey"]);

/// Links between the entities of two tables, any number from each side: a table of its own, with an entity for each pair.
///
/// The PartitionKey of a pair is composed of the keys of its left entity, its RowKey of those of its right one
/// ([`keys::compose`]), so that a pair is there once; the four keys are in properties, too. A link
/// to an entity that is not there is refused, and either entity's delete is refused or takes its links along, as declared.
/// It is a table like any other: pairs may have properties of their own.
///
/// # Example
/// ```
/// use entable::{ErrorCode, OnDelete, Store, entity};
/// let store = Store::in_memory()?;
/// let (friends, groups) = (store.create_table("Friends")?, store.create_table("Groups")?);
/// for name in ["Ann", "Bob"] { friends.create_entity(entity! { "f", name })?; }
/// groups.create_entity(entity! { "g", "chess" })?;
/// let members = store.create_join("Members", "Friends", "Groups", OnDelete::Cascade)?;
/// assert!(members.link(("f", "Ann"), ("g", "chess"))?);
/// assert!(members.link(("f", "Bob"), ("g", "chess"))?);
/// assert!(!members.link(("f", "Bob"), ("g", "chess"))?, "it is there");
/// let names = |page: entable::Page| page.entities.iter().map(|one| one.row_key().to_owned()).collect::<Vec<_>>();
/// assert_eq!(names(members.lefts(("g", "chess"), 100, None)?), ["Ann", "Bob"]);
/// friends.delete_entity("f", "Ann")?; // and her memberships
/// assert_eq!(names(members.lefts(("g", "chess"), 100, None)?), ["Bob"]);
/// let error = members.link(("f", "Ann"), ("g", "chess")).unwrap_err();
/// assert_eq!(error.code(), ErrorCode::LinkTargetNotFound);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Join {
    pairs: Table,
}

impl Store {
    /// Makes a table of pairs, of entities of table `left` and of table `right`, which may be the same; what is there
    /// already is taken as it is.
    ///
    /// # Errors
    /// As [`Store::create_relation_if_not_exists`].
    pub fn create_join(&self, name: &str, left: &str, right: &str, on_delete: OnDelete) -> Result<Join> {
        let pairs = self.create_table_if_not_exists(name)?;
        for ((relation, [pk, rk]), parent) in [(LEFT, left), (RIGHT, right)] {
            let relation = Relation::new(relation, name, parent).keys(pk, rk).on_delete(on_delete);
            self.create_relation_if_not_exists(&relation)?;
        }
        Ok(Join { pairs })
    }

    /// A handle to a table of pairs. Nothing is asked of the store.
    ///
    /// # Errors
    /// As [`Store::table`].
    pub fn join(&self, name: &str) -> Result<Join> {
        Ok(Join { pairs: self.table(name)? })
    }
}

impl Join {
    /// The table of the pairs.
    pub fn table(&self) -> &Table {
        &self.pairs
    }

    /// Links two entities, by PartitionKey and RowKey each. Tells whether they were not linked before.
    ///
    /// # Errors
    /// [`ErrorCode::LinkTargetNotFound`] if one of them is not there; [`ErrorCode::KeyValueTooLarge`] if their keys composed
    /// are too long for one; [`ErrorCode::TableNotFound`].
    pub fn link(&self, left: (&str, &str), right: (&str, &str)) -> Result<bool> {
        let [partition_key, row_key] = pair(left, right)?;
        let linked = entity! {
            partition_key, row_key,
            LEFT.1[0] => left.0, LEFT.1[1] => left.1, RIGHT.1[0] => right.0, RIGHT.1[1] => right.1,
        };
        match self.pairs.create_entity(linked) {
            Ok(_) => Ok(true),
            Err(error) if error.code() == ErrorCode::EntityAlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Takes the link of two entities away. Tells whether they were linked.
    ///
    /// # Errors
    /// [`ErrorCode::TableNotFound`].
    pub fn unlink(&self, left: (&str, &str), right: (&str, &str)) -> Result<bool> {
        let [partition_key, row_key] = pair(left, right)?;
        match self.pairs.delete_entity(&partition_key, &row_key) {
            Ok(()) => Ok(true),
            Err(error) if error.code() == ErrorCode::ResourceNotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether two entities are linked.
    ///
    /// # Errors
    /// [`ErrorCode::TableNotFound`].
    pub fn is_linked(&self, left: (&str, &str), right: (&str, &str)) -> Result<bool> {
        let [partition_key, row_key] = pair(left, right)?;
        self.pairs.exists(&partition_key, &row_key)
    }

    /// The right entities that a left one is linked to, a page of at most so many, from the start or where a token says.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] for a token of another question; [`ErrorCode::RelationNotFound`];
    /// [`ErrorCode::TableNotFound`].
    pub fn rights(&self, left: (&str, &str), size: usize, token: Option<ContinuationToken>) -> Result<Page> {
        self.others((LEFT, left), RIGHT, size, token)
    }

    /// The left entities that are linked to a right one, as [`Join::rights`].
    ///
    /// # Errors
    /// The same.
    pub fn lefts(&self, right: (&str, &str), size: usize, token: Option<ContinuationToken>) -> Result<Page> {
        self.others((RIGHT, right), LEFT, size, token)
    }

    fn others(
        &self,
        ((relation, _), of): ((&str, [&str; 2]), (&str, &str)),
        (to, names): (&str, [&str; 2]),
        size: usize,
        token: Option<ContinuationToken>,
    ) -> Result<Page> {
        let mut query = self.pairs.linked_query(relation, of.0, of.1)?.page_size(size);
        if let Some(token) = token {
            query = query.continue_from(token);
        }
        let pairs = self.pairs.query_page(query)?;
        let declared = self.pairs.relations()?.into_iter().find(|known| known.name() == to);
        let Some(declared) = declared else { return Ok(Page::default()) };
        let text = |pair: &Entity, name: &str| pair.get(name).and_then(|value| value.as_str()).unwrap_or("").to_owned();
        let keys = pairs.entities.iter().map(|pair| (text(pair, names[0]), text(pair, names[1])));
        let entities = self.pairs.store().table(declared.parent())?.get_many(keys)?.into_iter().flatten().collect();
        Ok(Page { entities, continuation_token: pairs.continuation_token })
    }
}

/// The keys of a pair.
fn pair(left: (&str, &str), right: (&str, &str)) -> Result<[String; 2]> {
    Ok([keys::compose([left.0, left.1])?, keys::compose([right.0, right.1])?])
}
