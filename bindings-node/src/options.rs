//! The options of calls, read off JavaScript's objects.

use crate::convert::{self, PARTITION_KEY, ROW_KEY, Shown, service_name};
use crate::error::{Converted, Failure};
use crate::write::GivingUp;
use entable::{Condition, Filter, Mode, Parameters, Query, UpdateMode};
use napi::ValueType;
use napi::bindgen_prelude::{FromNapiValue, JsObjectValue, JsValue, Object, Unknown};

/// A query that a call asks.
pub(crate) struct Asked {
    pub(crate) query: Query,
    /// How many entities it gives in all.
    pub(crate) limit: Option<u64>,
    pub(crate) shown: Shown,
}

impl Asked {
    /// Lets the query be given up.
    pub(crate) fn watch(&mut self, giving_up: Option<&GivingUp>) {
        if let Some(giving_up) = giving_up {
            self.query = giving_up.watch(std::mem::take(&mut self.query));
        }
    }
}

/// Where the options of a call have those of its query.
const QUERY_OPTIONS: &str = "queryOptions";
/// What a query's options may be.
const OF_QUERIES: [&str; 7] = ["filter", "parameters", "select", "limit", "descending", "orderBy", "mode"];
/// What the official client takes with every call. All but the signal are about its requests, and there are none here.
const OF_EVERY_CALL: [&str; 5] = ["abortSignal", "requestOptions", "serializerOptions", "tracingOptions", "onResponse"];

/// The options of a call; none where undefined.
pub(crate) struct Options<'env>(Option<Object<'env>>);

impl<'env> Options<'env> {
    /// No options.
    pub(crate) fn none() -> Options<'env> {
        Options(None)
    }

    pub(crate) fn new(value: Unknown<'env>, what: &str) -> Converted<Options<'env>> {
        match value.get_type()? {
            ValueType::Undefined => Ok(Options(None)),
            _ => Ok(Options(Some(convert::object_in(value, what)?))),
        }
    }

    /// A member that is there.
    pub(crate) fn get(&self, name: &str) -> Converted<Option<Unknown<'env>>> {
        let Some(object) = &self.0 else { return Ok(None) };
        let value: Unknown<'env> = object.get_named_property(name)?;
        Ok(if value.get_type()? == ValueType::Undefined { None } else { Some(value) })
    }

    pub(crate) fn part(&self, name: &str) -> Converted<Options<'env>> {
        match self.get(name)? {
            Some(value) => Options::new(value, name),
            None => Ok(Options(None)),
        }
    }

    pub(crate) fn flag(&self, name: &str) -> Converted<bool> {
        match self.get(name)? {
            None => Ok(false),
            Some(value) if value.get_type()? == ValueType::Boolean => Ok(bool::from_unknown(value)?),
            Some(_) => Err(Failure::wrong_type(format!("{name} must be a boolean.")).of(name)),
        }
    }

    pub(crate) fn text(&self, name: &str) -> Converted<Option<String>> {
        self.get(name)?.map(|value| convert::text_in(value, name)).transpose()
    }

    /// A whole number.
    pub(crate) fn count(&self, name: &str) -> Converted<Option<u64>> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        let wrong = || Failure::wrong_type(format!("{name} must be a whole number, 0 or more.")).of(name);
        if value.get_type()? != ValueType::Number {
            return Err(wrong());
        }
        let number = f64::from_unknown(value)?;
        // Beyond this a number is no count that anybody means.
        let is_count = number.trunc() == number && (0.0..=9_007_199_254_740_991.0).contains(&number);
        if is_count { Ok(Some(number as u64)) } else { Err(wrong()) }
    }

    /// Refuses members other than these: a misspelt option must not be ignored.
    pub(crate) fn only(&self, names: &[&str]) -> Converted<()> {
        self.only_or(names, &[])
    }

    /// The same, for the options of a call: those that every call of the official client takes may be there, too.
    fn only_of_call(&self, names: &[&str]) -> Converted<()> {
        self.only_or(names, &OF_EVERY_CALL)
    }

    fn only_or(&self, names: &[&str], others: &[&str]) -> Converted<()> {
        let Some(object) = &self.0 else { return Ok(()) };
        for (name, _) in convert::names(object)? {
            if names.contains(&name.as_str()) || others.contains(&name.as_str()) {
                continue;
            }
            let fact = match names.contains(&QUERY_OPTIONS) && OF_QUERIES.contains(&name.as_str()) {
                true => format!("The option {name} belongs into {QUERY_OPTIONS}."),
                false => format!("There is no option {}: there are {}.", name.escape_debug(), names.join(", ")),
            };
            return Err(Failure::wrong_type(fact).of(&name));
        }
        Ok(())
    }

    /// The condition of a write: `{etag}`, `{ifAbsent: true}`, or `{filter, parameters}`.
    pub(crate) fn condition(&self, mode: Mode) -> Converted<Condition> {
        self.only_of_call(&["etag", "ifAbsent", "filter", "parameters"])?;
        let of_version = match (self.flag("ifAbsent")?, self.text("etag")?) {
            (true, _) => Condition::Absent,
            (false, Some(etag)) => Condition::from_text(&etag)?,
            (false, None) => Condition::None,
        };
        match (self.text("filter")?, of_version) {
            (None, condition) => Ok(condition),
            (Some(text), Condition::None) => Ok(Filter::parse_with(&text, &self.parameters(mode)?, mode)?.into()),
            (Some(_), _) => {
                let fact = "A write has one condition: a filter, or one of its version.";
                Err(Failure::wrong_type(fact).of("filter"))
            }
        }
    }

    /// `select`, in the service's names.
    pub(crate) fn select(&self) -> Converted<Option<Vec<String>>> {
        let Some(value) = self.get("select")? else { return Ok(None) };
        let names = convert::array_in(value, "select")?;
        let mut select = Vec::new();
        for at in 0..names.get_array_length()? {
            // As the core reads them: one may be several with commas between.
            for name in convert::text_in(names.get_element(at)?, "select")?.split(',') {
                let name = service_name(name.trim());
                // The ETag always comes.
                if !name.is_empty() && name != "odata.etag" {
                    select.push(name.to_owned());
                }
            }
        }
        Ok(Some(select))
    }

    /// What of the entities is read, and how it is shown.
    pub(crate) fn shown(&self) -> Converted<(Option<Vec<String>>, Shown)> {
        self.only_of_call(&[QUERY_OPTIONS, "disableTypeConversion"])?;
        let options = self.part(QUERY_OPTIONS)?;
        options.only(&["select"])?;
        self.shown_of(&options)
    }

    fn shown_of(&self, query_options: &Options<'_>) -> Converted<(Option<Vec<String>>, Shown)> {
        let select = query_options.select()?;
        let shows = |name: &str| {
            let Some(select) = &select else { return true };
            // As the core's projection: no name, or `*`, is everything.
            select.is_empty() || select.iter().any(|known| known == name || known == "*")
        };
        let shown = Shown {
            partition_key: shows(PARTITION_KEY),
            row_key: shows(ROW_KEY),
            as_text: self.flag("disableTypeConversion")?,
        };
        Ok((select, shown))
    }

    /// The query of `queryOptions` and of the settings of `byPage`.
    pub(crate) fn query(&self, settings: &Options<'_>, mode: Mode) -> Converted<Asked> {
        self.only_of_call(&[QUERY_OPTIONS, "disableTypeConversion", "chunk"])?;
        settings.only(&["maxPageSize", "continuationToken"])?;
        let options = self.part(QUERY_OPTIONS)?;
        options.only(&OF_QUERIES)?;
        let (select, shown) = self.shown_of(&options)?;
        let mut query = options.filter(mode)?;
        if let Some(select) = select {
            query = query.select(select);
        }
        let limit = options.count("limit")?;
        if let Some(limit) = limit {
            query = query.limit(limit);
        }
        if options.flag("descending")? {
            query = query.descending();
        }
        if let Some(order) = options.order_by()? {
            query = query.order_by(order);
        }
        if let Some(size) = settings.count("maxPageSize")? {
            query = query.page_size(usize::try_from(size).unwrap_or(usize::MAX));
        }
        if let Some(token) = settings.text("continuationToken")? {
            query = query.continue_from(token.parse()?);
        }
        Ok(Asked { query, limit, shown })
    }

    /// `orderBy`, a name or a list of names, in the service's names.
    fn order_by(&self) -> Converted<Option<String>> {
        let Some(value) = self.get("orderBy")? else { return Ok(None) };
        let names = match value.is_array()? {
            true => convert::texts_in(value, "orderBy")?,
            false => vec![convert::text_in(value, "orderBy")?],
        };
        let names = names.iter().flat_map(|names| names.split(','));
        Ok(Some(names.map(|name| service_name(name.trim())).collect::<Vec<_>>().join(",")))
    }

    /// The query of `filter` and `parameters`.
    fn filter(&self, store_mode: Mode) -> Converted<Query> {
        let mut query = self.text("filter")?.map_or_else(Query::all, Query::filter);
        let mode = self.mode()?;
        if let Some(mode) = mode {
            query = query.mode(mode);
        }
        Ok(query.parameters(self.parameters(mode.unwrap_or(store_mode))?))
    }

    /// `parameters`, the values of the `@name`s of a filter.
    fn parameters(&self, mode: Mode) -> Converted<Parameters> {
        let mut values = Parameters::new();
        let Some(parameters) = self.part("parameters")?.0 else { return Ok(values) };
        for (name, value) in convert::members(&parameters)? {
            match convert::value_in(value, mode).map_err(|failure| failure.of(&name))? {
                Some(value) => values.insert(name, value),
                None => return Err(Failure::wrong_type(format!("The parameter {name} has no value.")).of(&name)),
            }
        }
        Ok(values)
    }

    /// `mode`, if it is given.
    pub(crate) fn mode(&self) -> Converted<Option<Mode>> {
        Ok(Some(match self.text("mode")?.as_deref() {
            None => return Ok(None),
            Some("portable") => Mode::Portable,
            Some("strict") => Mode::Strict,
            Some("extended") => Mode::Extended,
            Some(_) => {
                let fact = "mode must be \"portable\", \"strict\" or \"extended\".";
                return Err(Failure::wrong_type(fact).of("mode"));
            }
        }))
    }

    /// The query of a listing of tables.
    pub(crate) fn table_query(&self, mode: Mode) -> Converted<Query> {
        self.only_of_call(&[QUERY_OPTIONS])?;
        let options = self.part(QUERY_OPTIONS)?;
        options.only(&["filter", "parameters"])?;
        options.filter(mode)
    }
}

/// `"Merge"` or `"Replace"`; merge if it is not given.
pub(crate) fn update_mode(value: Unknown<'_>) -> Converted<UpdateMode> {
    if value.get_type()? == ValueType::Undefined {
        return Ok(UpdateMode::Merge);
    }
    match convert::text_in(value, "mode")?.as_str() {
        "Merge" => Ok(UpdateMode::Merge),
        "Replace" => Ok(UpdateMode::Replace),
        other => Err(Failure::wrong_type(format!(
            "Unexpected value for update mode: {}; it is \"Merge\" or \"Replace\".",
            other.escape_debug()
        ))
        .of("mode")),
    }
}
