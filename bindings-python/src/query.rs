//! Answers to queries: one by one, or page by page.

use crate::convert::{self, Filter, Select};
use crate::error::raise;
use entable::{ContinuationToken, Entity, Error, ErrorCode, Pages, TableName};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyIterator, PyList, PyType};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is asked, as often as it is asked.
pub(crate) struct Question {
    subject: Subject,
    filter: Filter,
    select: Select,
}

enum Subject {
    Entities(entable::Table),
    Tables(entable::Store),
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
        Question { subject: Subject::Entities(table.clone()), filter, select }
    }

    pub(crate) fn tables(store: &entable::Store, filter: Filter) -> Question {
        Question { subject: Subject::Tables(store.clone()), filter, select: Select::default() }
    }

    /// The error of a query. For an `@name` without a value the client raises `KeyError`.
    fn raise(&self, error: Error) -> PyErr {
        let position = error.details().position.filter(|_| error.code() == ErrorCode::InvalidInput);
        match position.and_then(|position| self.filter.missing_parameter(position)) {
            Some(name) => PyKeyError::new_err(name),
            None => raise(error),
        }
    }

    fn object<'py>(&self, py: Python<'py>, item: Item) -> PyResult<Bound<'py, PyAny>> {
        match item {
            Item::Entity(entity) => convert::entity(py, &entity, &self.select).map(Bound::into_any),
            Item::Table(name) => convert::table_item(py, name.as_str()),
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
    question: Arc<Question>,
    /// Where the next page begins.
    token: Option<ContinuationToken>,
    pages: Option<Pages>,
    is_at_end: bool,
}

impl Reading {
    fn new(question: &Arc<Question>, token: Option<ContinuationToken>) -> Reading {
        Reading { question: Arc::clone(question), token, pages: None, is_at_end: false }
    }

    /// The next page, read without the lock of the interpreter.
    fn next_page(&mut self, py: Python<'_>) -> PyResult<Option<VecDeque<Item>>> {
        py.detach(|| self.read()).map_err(|error| self.question.raise(error))
    }

    fn read(&mut self) -> Result<Option<VecDeque<Item>>, Error> {
        if self.is_at_end {
            return Ok(None);
        }
        let question = Arc::clone(&self.question);
        match &question.subject {
            Subject::Entities(table) => self.read_entities(table),
            Subject::Tables(store) => {
                let names = store.query_tables(question.filter.query.clone())?;
                self.is_at_end = true;
                Ok(Some(names.into_iter().map(Item::Table).collect()))
            }
        }
    }

    fn read_entities(&mut self, table: &entable::Table) -> Result<Option<VecDeque<Item>>, Error> {
        let pages = match &mut self.pages {
            Some(pages) => pages,
            None => {
                let query = self.question.filter.query.clone();
                let query = match &self.token {
                    Some(token) => query.continue_from(token.clone()),
                    None => query,
                };
                self.pages.insert(table.query_entities(query)?.by_page())
            }
        };
        let page = pages.next().transpose()?;
        self.is_at_end = page.is_none();
        Ok(page.map(|page| {
            self.token = page.continuation_token;
            page.entities.into_iter().map(Item::Entity).collect()
        }))
    }
}

/// Waits for another thread that reads the same answer.
fn lock<'a, T>(mutex: &'a Mutex<T>, py: Python<'_>) -> MutexGuard<'a, T> {
    mutex.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
}

/// The results of a query, one by one: an iterator, which is used up. ``by_page`` begins anew.
#[pyclass(module = "entable", frozen)]
pub(crate) struct ItemPaged {
    question: Arc<Question>,
    items: Mutex<(Reading, VecDeque<Item>)>,
}

impl ItemPaged {
    pub(crate) fn new(question: Question) -> ItemPaged {
        let question = Arc::new(question);
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
        let token = match (continuation_token, &self.question.subject) {
            (Some(_), Subject::Tables(_)) => {
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
        let question = Arc::clone(&reading.question);
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
