//! Answers to queries: one by one, or page by page.

use crate::convert::{self, Filter, Select};
use crate::error::raise;
use entable::{ContinuationToken, Entity, Error, ErrorCode, Page, Pages, TableName};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyIterator, PyList, PyType};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is asked, as often as it is asked.
#[derive(Clone)]
pub(crate) enum Question {
    Entities { table: entable::Table, filter: Box<Filter>, select: Select },
    Tables { store: entable::Store, filter: Option<Box<Filter>> },
}

impl Question {
    pub(crate) fn entities(
        table: &entable::Table,
        mut filter: Filter,
        select: Select,
        page_size: Option<usize>,
        limit: Option<u64>,
    ) -> Question {
        if let Some(names) = select.names() {
            filter.query = filter.query.select(names);
        }
        if let Some(entities) = page_size {
            filter.query = filter.query.page_size(entities);
        }
        if let Some(entities) = limit {
            filter.query = filter.query.limit(entities);
        }
        Question::Entities { table: table.clone(), filter: Box::new(filter), select }
    }

    pub(crate) fn tables(store: &entable::Store, filter: Option<Filter>) -> Question {
        Question::Tables { store: store.clone(), filter: filter.map(Box::new) }
    }

    /// The error of a query. For an `@name` without a value the client raises `KeyError`.
    fn raise(&self, error: Error) -> PyErr {
        let filter = match self {
            Question::Entities { filter, .. } => Some(filter),
            Question::Tables { filter, .. } => filter.as_ref(),
        };
        let position = error.details().position.filter(|_| error.code() == ErrorCode::InvalidInput);
        match position.zip(filter).and_then(|(position, filter)| filter.missing_parameter(position)) {
            Some(name) => PyKeyError::new_err(name),
            None => raise(error),
        }
    }

    fn object<'py>(&self, py: Python<'py>, item: Item) -> PyResult<Bound<'py, PyAny>> {
        match (item, self) {
            (Item::Entity(entity), Question::Entities { select, .. }) => {
                convert::entity(py, &entity, select).map(Bound::into_any)
            }
            (Item::Entity(entity), Question::Tables { .. }) => {
                convert::entity(py, &entity, &Select::default()).map(Bound::into_any)
            }
            (Item::Table(name), _) => convert::table_item(py, name.as_str()),
        }
    }
}

/// One thing of an answer.
enum Item {
    Entity(Entity),
    Table(TableName),
}

/// An answer that is being read: page by page, nothing held between them.
struct Reading {
    question: Question,
    /// Where the next page begins.
    token: Option<ContinuationToken>,
    pages: Option<Pages>,
    is_at_end: bool,
}

impl Reading {
    fn new(question: &Question, token: Option<ContinuationToken>) -> Reading {
        Reading { question: question.clone(), token, pages: None, is_at_end: false }
    }

    /// The next page, read without the lock of the interpreter.
    fn next_page(&mut self, py: Python<'_>) -> PyResult<Option<VecDeque<Item>>> {
        py.detach(|| self.read()).map_err(|error| self.question.raise(error))
    }

    fn read(&mut self) -> Result<Option<VecDeque<Item>>, Error> {
        if self.is_at_end {
            return Ok(None);
        }
        let (table, filter) = match &self.question {
            Question::Entities { table, filter, .. } => (table, filter),
            Question::Tables { store, filter } => {
                let names = match filter {
                    Some(filter) => store.query_tables(filter.query.clone())?,
                    None => store.list_tables()?,
                };
                self.is_at_end = true;
                return Ok(Some(names.into_iter().map(Item::Table).collect()));
            }
        };
        if self.pages.is_none() {
            let query = match self.token.clone() {
                Some(token) => filter.query.clone().continue_from(token),
                None => filter.query.clone(),
            };
            self.pages = Some(table.query_entities(query)?.by_page());
        }
        let Some(Page { entities, continuation_token }) = self.pages.as_mut().and_then(Pages::next).transpose()? else {
            self.is_at_end = true;
            return Ok(None);
        };
        self.token = continuation_token;
        Ok(Some(entities.into_iter().map(Item::Entity).collect()))
    }
}

/// Waits for another thread that reads the same answer.
fn lock<'a, T>(mutex: &'a Mutex<T>, py: Python<'_>) -> MutexGuard<'a, T> {
    mutex.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
}

/// The results of a query, one by one: an iterator, which is used up. ``by_page`` begins anew.
#[pyclass(module = "entable", frozen)]
pub(crate) struct ItemPaged {
    question: Question,
    items: Mutex<(Reading, VecDeque<Item>)>,
}

impl ItemPaged {
    pub(crate) fn new(question: Question) -> ItemPaged {
        let items = Mutex::new((Reading::new(&question, None), VecDeque::new()));
        ItemPaged { question, items }
    }

    fn next_item(&self, py: Python<'_>) -> PyResult<Option<Item>> {
        let (reading, page) = &mut *lock(&self.items, py);
        while page.is_empty() {
            match reading.next_page(py)? {
                Some(next) => *page = next,
                None => return Ok(None),
            }
        }
        Ok(page.pop_front())
    }
}

#[pymethods]
impl ItemPaged {
    /// The results as pages, each an iterator, from the beginning or from a ``continuation_token``.
    #[pyo3(signature = (continuation_token = None))]
    fn by_page(&self, continuation_token: Option<&Bound<'_, PyAny>>) -> PyResult<PageIterator> {
        let token = match (continuation_token, &self.question) {
            (Some(_), Question::Tables { .. }) => {
                return Err(PyValueError::new_err("The list of tables is one page: there is no token for it."));
            }
            (token, _) => convert::continuation_token(token)?,
        };
        Ok(PageIterator { reading: Mutex::new(Reading::new(&self.question, token)) })
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.next_item(py)?.map(|item| self.question.object(py, item)).transpose()
    }

    /// ``ItemPaged[TableEntity]``, for annotations.
    #[classmethod]
    fn __class_getitem__<'py>(cls: &Bound<'py, PyType>, _item: &Bound<'py, PyAny>) -> Bound<'py, PyType> {
        cls.clone()
    }
}

/// The results of a query, page by page: each page is an iterator.
#[pyclass(module = "entable", frozen)]
pub(crate) struct PageIterator {
    reading: Mutex<Reading>,
}

#[pymethods]
impl PageIterator {
    /// Where the next page begins, for ``by_page`` of the same query; ``None`` at the end.
    #[getter]
    fn continuation_token<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let token = lock(&self.reading, py).token.clone();
        token.map(|token| convert::token_dict(py, &token)).transpose()
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyIterator>>> {
        let mut reading = lock(&self.reading, py);
        let Some(page) = reading.next_page(py)? else { return Ok(None) };
        let question = reading.question.clone();
        // Making objects may run code that comes back here.
        drop(reading);
        let objects: PyResult<Vec<_>> = page.into_iter().map(|item| question.object(py, item)).collect();
        PyList::new(py, objects?)?.try_iter().map(Some)
    }

    /// ``PageIterator[TableEntity]``, for annotations.
    #[classmethod]
    fn __class_getitem__<'py>(cls: &Bound<'py, PyType>, _item: &Bound<'py, PyAny>) -> Bound<'py, PyType> {
        cls.clone()
    }
}
