//! What the calls take besides entities: keys, modes, conditions, filters, tokens and projections.

use super::{
    Keys, MissingKey, PARTITION_KEY, ROW_KEY, Rules, input_value, key, keys_of, mapping, or_raised, text_of, wrong,
};
use crate::error::{Failure, raise};
use crate::patterns::Lookup;
use entable::{Condition, ContinuationToken, ErrorCode, Mode, Parameters, Query, UpdateMode};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString, PyTuple};

/// What the two forms of `delete_entity` are about: `(partition_key, row_key)`, or an entity. By place or by name.
pub(crate) fn delete_target<'py>(
    keys: &Bound<'py, PyTuple>,
    named: Option<&Bound<'py, PyDict>>,
) -> PyResult<(Option<Bound<'py, PyAny>>, Keys)> {
    let by_name = |name| named.map(|named| named.get_item(name)).transpose().map(Option::flatten);
    let given = [by_name("entity")?, by_name("partition_key")?, by_name("row_key")?];
    let is_known = given.iter().flatten().count() == named.map_or(0, |named| named.len());
    let keys: Vec<Bound<'py, PyAny>> = keys.iter().collect();
    match (keys.as_slice(), given.each_ref().map(Option::as_ref)) {
        ([entity], [None, None, None]) | ([], [Some(entity), None, None]) if is_known => {
            Ok((Some(entity.clone()), keys_of(mapping(entity)?)?))
        }
        ([partition_key, row_key], [None, None, None])
        | ([partition_key], [None, None, Some(row_key)])
        | ([], [None, Some(partition_key), Some(row_key)])
            if is_known =>
        {
            Ok((None, (key(partition_key)?.to_owned(), key(row_key)?.to_owned())))
        }
        _ => Err(PyTypeError::new_err("delete_entity takes partition_key and row_key, or an entity")),
    }
}

/// The keys of an entity of a delete in a transaction.
pub(crate) fn delete_keys(entity: &Bound<'_, PyAny>) -> PyResult<Keys> {
    let entity = mapping(entity)?;
    for name in [PARTITION_KEY, ROW_KEY] {
        if !entity.contains(name)? {
            return Err(MissingKey::ValueError.error(name));
        }
    }
    keys_of(entity)
}

/// Any iterable of `(partition_key, row_key)`.
pub(crate) fn key_pairs(keys: &Bound<'_, PyAny>) -> PyResult<Vec<Keys>> {
    let pair = |pair: PyResult<Bound<'_, PyAny>>| {
        let (partition_key, row_key): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
            pair?.extract().map_err(|_| PyTypeError::new_err("keys are tuples (partition_key, row_key)"))?;
        Ok((key(&partition_key)?.to_owned(), key(&row_key)?.to_owned()))
    };
    keys.try_iter()?.map(pair).collect()
}

/// The texts of an iterable; `what` it is called in an error.
pub(crate) fn strings(names: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<String>> {
    let wrong = || PyTypeError::new_err(format!("{what} is a list of names"));
    let members = names.try_iter().map_err(|error| or_raised(error, names.py(), wrong))?;
    members.map(|name| name?.extract().map_err(|_| wrong())).collect()
}

/// `"merge"` or `"replace"`, or an `UpdateMode`, which is one. Merge if there is none.
pub(crate) fn update_mode(mode: Option<&Bound<'_, PyAny>>) -> PyResult<UpdateMode> {
    let Some(mode) = mode else { return Ok(UpdateMode::Merge) };
    match mode.cast::<PyString>().map(|mode| mode.to_str()) {
        Ok(Ok("merge")) => Ok(UpdateMode::Merge),
        Ok(Ok("replace")) => Ok(UpdateMode::Replace),
        _ => Err(PyValueError::new_err(format!("Mode type '{}' is not supported.", mode.str()?))),
    }
}

/// The arguments of a write that say on which condition it is.
#[derive(Clone, Copy, Default)]
pub(crate) struct When<'a, 'py> {
    pub(crate) etag: Option<&'a Bound<'py, PyString>>,
    pub(crate) match_condition: Option<&'a Bound<'py, PyAny>>,
    pub(crate) filter: Option<&'a str>,
    pub(crate) parameters: Option<&'a Bound<'py, PyDict>>,
}

/// The condition of a write: `match_condition` and `etag`, perhaps that in the entity's own metadata; or a filter.
pub(crate) fn condition(
    entity: Option<&Bound<'_, PyAny>>,
    when: When<'_, '_>,
    rules: Rules<'_>,
) -> PyResult<Condition> {
    let of_version = version_condition(entity, when.etag, when.match_condition)?;
    match (when.filter, of_version) {
        (None, condition) => Ok(condition),
        (Some(text), Condition::None) => {
            let (values, _) = parameters(when.parameters, rules)?;
            entable::Filter::parse_with(text, &values, rules.mode).map(Into::into).map_err(raise)
        }
        (Some(_), _) => Err(PyValueError::new_err("A write has one condition: a filter, or one of its version.")),
    }
}

fn version_condition(
    entity: Option<&Bound<'_, PyAny>>,
    etag: Option<&Bound<'_, PyString>>,
    match_condition: Option<&Bound<'_, PyAny>>,
) -> PyResult<Condition> {
    let etag = etag.map(|etag| text_of(etag, "etag")).transpose()?.filter(|etag| !etag.is_empty());
    let without_etag = |condition| match &etag {
        None => Ok(condition),
        Some(_) => Err(PyValueError::new_err("Etag is not supported for an operation without IfNotModified.")),
    };
    let Some(match_condition) = match_condition else { return without_etag(Condition::None) };
    // By name: the official client's enum is as good as ours.
    let name = match_condition.getattr_opt(pyo3::intern!(match_condition.py(), "name"))?;
    let name: String = name.and_then(|name| name.extract().ok()).unwrap_or_default();
    match name.as_str() {
        "Unconditionally" => without_etag(Condition::None),
        "IfPresent" => without_etag(Condition::Any),
        "IfMissing" => without_etag(Condition::Absent),
        "IfNotModified" => {
            let own = |entity: &Bound<'_, PyAny>| {
                let metadata = entity.getattr_opt(pyo3::intern!(entity.py(), "metadata"))?;
                Ok::<_, PyErr>(metadata.and_then(|metadata| metadata.get_item("etag").ok()?.extract().ok()))
            };
            let etag = match (&etag, entity) {
                (None, Some(entity)) => own(entity)?,
                _ => etag,
            };
            let etag = etag.ok_or_else(|| PyValueError::new_err("IfNotModified must be specified with etag."))?;
            Condition::from_text(&etag).map_err(raise)
        }
        _ => Err(PyValueError::new_err(format!("Unsupported match condition: {}", match_condition.repr()?))),
    }
}

/// The mode of this name.
pub(crate) fn mode(name: &str) -> PyResult<Mode> {
    match name {
        "portable" => Ok(Mode::Portable),
        "strict" => Ok(Mode::Strict),
        "extended" => Ok(Mode::Extended),
        _ => Err(PyValueError::new_err(format!("mode {name:?}: it is 'portable', 'strict' or 'extended'"))),
    }
}

/// The name of a mode.
pub(crate) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Portable => "portable",
        Mode::Strict => "strict",
        Mode::Extended => "extended",
    }
}

/// What is asked for: the text of a filter, or a pattern's lookup with its limit.
pub(crate) struct Asked {
    text: String,
    limit: Option<u64>,
}

impl<'py> FromPyObject<'_, 'py> for Asked {
    type Error = PyErr;

    fn extract(asked: Borrowed<'_, 'py, PyAny>) -> PyResult<Asked> {
        if let Ok(text) = asked.cast::<PyString>() {
            return Ok(Asked { text: text.to_str()?.to_owned(), limit: None });
        }
        match asked.cast::<Lookup>() {
            Ok(lookup) => Ok(Asked { text: lookup.get().filter(), limit: lookup.get().limit() }),
            Err(_) => Err(PyTypeError::new_err("a filter is a str, or a Lookup of a pattern")),
        }
    }
}

/// What a query is asked with, as the calls take it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Ask<'a, 'py> {
    pub(crate) filter: Option<&'a Asked>,
    pub(crate) parameters: Option<&'a Bound<'py, PyDict>>,
    pub(crate) results_per_page: Option<usize>,
    pub(crate) select: Option<&'a Select>,
    pub(crate) limit: Option<u64>,
    pub(crate) descending: bool,
    pub(crate) order_by: Option<&'a str>,
    pub(crate) mode: Option<&'a str>,
}

impl<'a, 'py> Ask<'a, 'py> {
    /// Only what the filter says.
    pub(crate) fn of(filter: Option<&'a Asked>, parameters: Option<&'a Bound<'py, PyDict>>) -> Ask<'a, 'py> {
        Ask { filter, parameters, ..Ask::default() }
    }

    /// The total that is wanted: the smaller one, if the lookup has its own.
    pub(crate) fn limit(&self) -> Option<u64> {
        self.filter.and_then(|asked| asked.limit).into_iter().chain(self.limit).min()
    }
}

/// The query that is asked.
pub(crate) fn query(ask: Ask<'_, '_>, rules: Rules<'_>) -> PyResult<Filter> {
    let own_mode = ask.mode.map(mode).transpose()?;
    let text = ask.filter.map(|asked| asked.text.as_str());
    let mut asked = filter(text, ask.parameters, Rules { mode: own_mode.unwrap_or(rules.mode), ..rules })?;
    let mut query = asked.query;
    if let Some(names) = ask.select.and_then(Select::names) {
        query = query.select(names);
    }
    if let Some(entities) = ask.results_per_page {
        query = query.page_size(entities);
    }
    if let Some(entities) = ask.limit() {
        query = query.limit(entities);
    }
    if ask.descending {
        query = query.descending();
    }
    if let Some(names) = ask.order_by {
        query = query.order_by(names);
    }
    if let Some(mode) = own_mode {
        query = query.mode(mode);
    }
    asked.query = query;
    Ok(asked)
}

/// A filter's text and the values of its `@name`s.
#[derive(Clone, Default)]
pub(crate) struct Filter {
    pub(crate) query: Query,
    text: String,
    names: Vec<String>,
}

impl Filter {
    /// The error of a query. For an `@name` without a value the client raises `KeyError`.
    pub(crate) fn raise(&self, failure: Failure) -> PyErr {
        let position = match &failure {
            Failure::Core(error) if error.code() == ErrorCode::InvalidInput => error.details().position,
            _ => None,
        };
        match position.and_then(|position| self.missing_parameter(position)) {
            Some(name) => PyKeyError::new_err(name),
            None => raise(failure),
        }
    }

    /// The `@name` at this place of the text, if it has no value.
    fn missing_parameter(&self, position: usize) -> Option<String> {
        let mut chars = self.text.chars().skip(position);
        let name: String = match chars.next() {
            Some('@') => chars.take_while(|c| c.is_alphanumeric() || *c == '_').collect(),
            _ => return None,
        };
        (!self.names.contains(&name)).then_some(name)
    }
}

/// The filter of a query.
pub(crate) fn filter(text: Option<&str>, parameters: Option<&Bound<'_, PyDict>>, rules: Rules<'_>) -> PyResult<Filter> {
    let (values, names) = self::parameters(parameters, rules)?;
    let text = text.unwrap_or_default().to_owned();
    Ok(Filter { query: Query::filter(&*text).parameters(values), text, names })
}

/// Values for the `@name`s of a filter, and the names.
fn parameters(parameters: Option<&Bound<'_, PyDict>>, rules: Rules<'_>) -> PyResult<(Parameters, Vec<String>)> {
    let (mut values, mut names) = (Parameters::new(), Vec::new());
    for item in parameters.map(|parameters| parameters.items()).into_iter().flatten() {
        let (name, value): (String, Bound<'_, PyAny>) =
            item.extract().map_err(|_| PyTypeError::new_err("a parameter's name is a str"))?;
        let value = input_value(&value, &name, rules)?;
        values.insert(&*name, value.ok_or_else(|| wrong(&name, "a parameter is not None"))?);
        names.push(name);
    }
    Ok((values, names))
}

/// A token as the client's are: a dict. Both members hold all of it, so that whoever keeps them apart keeps it.
pub(crate) fn token_dict<'py>(py: Python<'py>, token: &ContinuationToken) -> PyResult<Bound<'py, PyDict>> {
    let (dict, text) = (PyDict::new(py), token.to_string());
    dict.set_item(PARTITION_KEY, &text)?;
    dict.set_item(ROW_KEY, &text)?;
    Ok(dict)
}

/// A token that comes back: the dict, or its text.
pub(crate) fn continuation_token(token: Option<&Bound<'_, PyAny>>) -> PyResult<Option<ContinuationToken>> {
    let invalid = || PyValueError::new_err("Invalid continuation token format.");
    let Some(token) = token else { return Ok(None) };
    let text = match token.cast::<PyMapping>() {
        Ok(dict) if dict.is_empty()? => return Ok(None),
        Ok(dict) => dict.get_item(PARTITION_KEY).and_then(|text| text.extract::<String>()),
        Err(_) => token.extract::<String>(),
    };
    text.map_err(|error| match error.is_instance_of::<PyKeyError>(token.py()) {
        true => invalid(),
        false => or_raised(error, token.py(), invalid),
    })?
    .parse()
    .map(Some)
    .map_err(raise)
}

/// The names of a projection: a list, or one text with commas. Without it, everything.
#[derive(Clone, Default)]
pub(crate) struct Select(Option<Vec<String>>);

impl Select {
    pub(crate) fn new(select: Option<&Bound<'_, PyAny>>) -> PyResult<Select> {
        let Some(select) = select else { return Ok(Select(None)) };
        let texts: Vec<String> = match select.cast::<PyString>() {
            Ok(text) => vec![text.to_str()?.to_owned()],
            Err(_) => {
                let wrong = || PyTypeError::new_err("select is a list of names, or one str");
                select.extract().map_err(|error| or_raised(error, select.py(), wrong))?
            }
        };
        Ok(Select(Some(texts.iter().flat_map(|text| text.split(',')).map(Into::into).collect())))
    }

    /// The names, for the core.
    pub(crate) fn names(&self) -> Option<&[String]> {
        self.0.as_deref()
    }

    /// Whether the answer has this key. The core gives an empty text for a key that is not selected, which a key
    /// may be, too.
    pub(super) fn has(&self, name: &str) -> bool {
        let mut names = self.0.iter().flatten().map(|name| name.trim()).filter(|name| !name.is_empty()).peekable();
        names.peek().is_none() || names.any(|selected| selected == name || selected == "*")
    }
}
