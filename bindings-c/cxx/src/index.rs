//! Declared indexes, and how queries use them.

use crate::bridge::{Advice, Considered, Explain, Index, IndexOptions, IndexStats};
use crate::failure::{Result, optional_text};
use crate::query::Names;
use crate::value::choose;
use entable::AdviceKind;
use entable::index::{IndexInfo, Projection, Scope, State};

/// The declaration that C++ hands in.
pub(crate) fn declared(
    name: &str,
    properties: &Names,
    projected: &Names,
    options: &IndexOptions,
) -> Result<entable::Index> {
    let projection = match choose(options.projection, &[0, 1, 2], "projection")? {
        0 => Projection::Keys,
        1 => Projection::All,
        _ => Projection::names(projected.0.iter().map(|name| &**name)),
    };
    Ok(entable::Index::new(name)
        .properties(properties.0.iter().map(|name| &**name))
        .scope(choose(options.scope, &[Scope::Table, Scope::Partition], "scope")?)
        .projection(projection)
        .unique(options.is_unique)
        .fold_case(options.folds_case))
}

pub(crate) fn listed(index: &IndexInfo) -> Index {
    let (projection, projected) = match index.projection() {
        Projection::Keys => (0, Vec::new()),
        Projection::All => (1, Vec::new()),
        Projection::Names(names) => (2, names.iter().map(ToString::to_string).collect()),
    };
    Index {
        name: index.name().to_owned(),
        properties: index.properties().map(Into::into).collect(),
        scope: match index.scope() {
            Scope::Table => 0,
            Scope::Partition => 1,
        },
        projection,
        projected,
        is_unique: index.is_unique(),
        folds_case: index.folds_case(),
        state: match index.state() {
            State::Ready => 2,
            State::Stale => 3,
            // What a later core may add counts as not used yet.
            _ => 1,
        },
    }
}

pub(crate) fn explained(explain: &entable::Explain) -> Explain {
    let considered = |way: &entable::Considered| Considered {
        path: way.path().name().to_owned(),
        index: optional_text(way.index()),
        rows: way.rows(),
        is_taken: way.is_taken(),
    };
    Explain {
        text: explain.to_string(),
        path: explain.path().name().to_owned(),
        index: optional_text(explain.index()),
        is_covered: explain.is_covered(),
        filter: explain.filter().to_owned(),
        residual: optional_text(explain.residual()),
        ranges: explain.ranges().to_vec(),
        cloud: explain.cloud().to_vec(),
        warnings: explain.warnings().to_vec(),
        considered: explain.considered().iter().map(considered).collect(),
        rows_estimated: explain.rows_estimated(),
        rows_read: explain.rows_read(),
        rows_returned: explain.rows_returned(),
        entries_read: explain.entries_read(),
    }
}

pub(crate) fn advised(advice: &entable::Advice) -> Advice {
    Advice {
        kind: match advice.kind {
            AdviceKind::Unused => 1,
            AdviceKind::NotDiscriminating => 2,
            AdviceKind::Redundant => 3,
            AdviceKind::Stale => 4,
            AdviceKind::Missing => 5,
            _ => 0,
        },
        table: advice.table.to_string(),
        index: optional_text(advice.index.as_deref()),
        filter: optional_text(advice.filter.as_deref()),
        reason: advice.reason.clone(),
        call: advice.call.clone(),
    }
}

pub(crate) fn held(stats: &entable::IndexStats) -> IndexStats {
    IndexStats {
        name: stats.name.to_string(),
        entries: stats.entries,
        missing: stats.missing,
        distinct_values: stats.distinct_values,
        most_frequent_share: stats.most_frequent_share,
        bytes: stats.bytes,
        uses: stats.uses,
    }
}
