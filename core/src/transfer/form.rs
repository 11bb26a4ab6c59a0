//! The lines of an export: a header, then for each table its name and its entities (`docs/export.md`).

use crate::index::{Index, IndexInfo, Projection, Scope};
use crate::model::entity_from_exact_json;
use crate::{EntityInput, Error, Mode, Result};
use serde::{Deserialize, Serialize};

/// The version of the form. A reader refuses a later one.
pub(super) const FORMAT: u32 = 1;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Header {
    #[serde(rename = "entable.export")]
    pub(super) format: u32,
    /// Whether entities have their ETags.
    pub(super) versions: bool,
    pub(super) tables: Vec<TableHeader>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TableHeader {
    pub(super) name: String,
    #[serde(default)]
    pub(super) indexes: Vec<IndexHeader>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct IndexHeader {
    name: String,
    properties: Vec<String>,
    scope: ScopeHeader,
    projection: ProjectionHeader,
    unique: bool,
    fold_case: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ScopeHeader {
    Table,
    Partition,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ProjectionHeader {
    Keys,
    All,
    Names(Vec<String>),
}

impl IndexHeader {
    pub(super) fn of(index: &IndexInfo) -> IndexHeader {
        IndexHeader {
            name: index.name().into(),
            properties: index.properties().map(str::to_owned).collect(),
            scope: match index.scope() {
                Scope::Table => ScopeHeader::Table,
                Scope::Partition => ScopeHeader::Partition,
            },
            projection: match index.projection() {
                Projection::Keys => ProjectionHeader::Keys,
                Projection::All => ProjectionHeader::All,
                Projection::Names(names) => {
                    ProjectionHeader::Names(names.iter().map(|name| name.to_string()).collect())
                }
            },
            unique: index.is_unique(),
            fold_case: index.folds_case(),
        }
    }

    pub(super) fn into_index(self) -> Index {
        let projection = match self.projection {
            ProjectionHeader::Keys => Projection::Keys,
            ProjectionHeader::All => Projection::All,
            ProjectionHeader::Names(names) => Projection::names(names),
        };
        let scope = match self.scope {
            ScopeHeader::Table => Scope::Table,
            ScopeHeader::Partition => Scope::Partition,
        };
        Index::new(self.name)
            .properties(self.properties)
            .scope(scope)
            .projection(projection)
            .unique(self.unique)
            .fold_case(self.fold_case)
    }
}

/// The line before the entities of a table.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableLine<'a> {
    #[serde(borrow)]
    pub(super) table: std::borrow::Cow<'a, str>,
}

/// What a line behind the header says.
pub(super) enum Line {
    Table(String),
    Entity(Box<EntityInput>),
}

impl Line {
    /// # Errors
    /// As `entity_from_json`.
    pub(super) fn read(text: &str, mode: Mode) -> Result<Line> {
        match TableLine::read(text) {
            Some(name) => Ok(Line::Table(name)),
            None => entity_from_exact_json(text, mode).map(|entity| Line::Entity(Box::new(entity))),
        }
    }
}

impl TableLine<'_> {
    /// The name of the table, if the line is one of a table: an entity's has keys.
    pub(super) fn read(text: &str) -> Option<String> {
        serde_json::from_str::<TableLine<'_>>(text).ok().map(|line| line.table.into_owned())
    }
}

/// # Errors
/// `InvalidInput` for a line that is no header; `NewerFormat` for one of a later version.
pub(super) fn header(text: &str) -> Result<Header> {
    #[derive(Deserialize)]
    struct Version {
        #[serde(rename = "entable.export")]
        format: u32,
    }
    let not = |error: serde_json::Error| Error::invalid(format!("The first line is no header of an export: {error}."));
    let Version { format } = serde_json::from_str(text).map_err(not)?;
    if format > FORMAT {
        let fact = format!("The export is of version {format}, this one reads up to {FORMAT}.");
        return Err(Error::new(crate::ErrorCode::NewerFormat).fact(fact));
    }
    serde_json::from_str(text).map_err(not)
}

/// A line of the form, with its end.
pub(super) fn line(value: &impl Serialize) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec(value).map_err(|error| {
        Error::new(crate::ErrorCode::Internal).fact("A line could not be written.").caused_by(error)
    })?;
    text.push(b'\n');
    Ok(text)
}
