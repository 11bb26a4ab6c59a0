//! Answers to queries: one by one, or page by page.

use crate::convert::{self, Filter, Select};
use crate::error::{Failure, raise};
use crate::handle::Handle;
use crate::interrupt::Interrupt;
use crate::table::Target;
use crate::transaction::Open;
use crate::turn::Turns;
use entable::{ContinuationToken, Page, Pages, Query, StoredEntity, TableName};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyType};
use std::collections::VecDeque;
use std::sync::Arc;

/// What is asked, as often as it is asked.
pub(crate) struct Question {
    subject: Subject,
    filter: Filter,
    select: Select,
    limit: Option<u64>,
    /// Whose decoder the entities are for.
    handle: Option<Arc<Handle>>,
}

enum Subject {
    Entities(Target),
    Tables(Arc<Handle>),
    /// Tables that have been read already.
    Listed(Vec<TableName>),
}

impl Question {
    pub(crate) fn entities(
        target: &Target,
        handle: &Arc<Handle>,
        filter: Filter,
        select: Select,
        limit: Option<u64>,
    ) -> Question {
        let (subject, handle) = (Subject::Entities(target.clone()), Some(Arc::clone(handle)));
        Question { subject, filter, select, limit, handle }
    }

    pub(crate) fn tables(handle: &Arc<Handle>, filter: Filter) -> Question {
        let subject = Subject::Tables(Arc::clone(handle));
        Question { subject, filter, select: Select::default(), limit: None, handle: None }
    }

    pub(crate) fn listed(names: Vec<TableName>) -> Question {
        let subject = Subject::Listed(names);
        Question { subject, filter: Filter::default(), select: Select::default(), limit: None, handle: None }
    }

    fn object<'py>(&self, py: Python<'py>, item: Item) -> PyResult<Bound<'py, PyAny>> {
        match item {
            Item::Entity(entity) => {
                let decoder = self.handle.as_ref().and_then(|handle| handle.settings.decoder.as_ref());
                convert::entity(py, &entity, &self.select, decoder).map(Bound::into_any)
            }
            Item::Table(name) => convert::table_item(py, name.as_str()),
        }
    }
}

/// One thing of an answer.
enum Item {
    Entity(StoredEntity),
    Table(TableName),
}

/// An answer that is being read: page by page, nothing held between them.
struct Reading {
    question: Arc<Question>,
    /// Where the next page begins.
    token: Option<ContinuationToken>,
    pages: Option<Pages>,
    /// Entities that the limit still allows.
    left: Option<u64>,
    is_at_end: bool,
    interrupt: Interrupt,
}

impl Reading {
    fn new(question: &Arc<Question>, token: Option<ContinuationToken>) -> Reading {
        let (question, left) = (Arc::clone(question), question.limit);
        Reading { question, token, pages: None, left, is_at_end: false, interrupt: Interrupt::default() }
    }

    /// The next page, read without the lock of the interpreter.
    fn next_page(&mut self, py: Python<'_>) -> PyResult<Option<VecDeque<Item>>> {
        // Ctrl-C stops a long answer between its pages.
        py.check_signals()?;
        let interrupt = self.interrupt.clone();
        interrupt.run(py, || self.read())?.map_err(|failure| self.question.filter.raise(failure))
    }

    fn read(&mut self) -> Result<Option<VecDeque<Item>>, Failure> {
        if self.is_at_end {
            return Ok(None);
        }
        let question = Arc::clone(&self.question);
        let listed = |names: Vec<TableName>| Ok(Some(names.into_iter().map(Item::Table).collect()));
        match &question.subject {
            Subject::Entities(Target::Transaction(open, name)) => self.read_inside(open, name),
            Subject::Entities(target) => self.read_entities(target),
            Subject::Tables(handle) => {
                let names = handle.store()?.query_tables(question.filter.query.clone())?;
                self.is_at_end = true;
                listed(names)
            }
            Subject::Listed(names) => {
                self.is_at_end = true;
                listed(names.clone())
            }
        }
    }

    /// What is left to be asked.
    fn query(&self) -> Query {
        let query = self.question.filter.query.clone();
        let query = match self.left {
            Some(left) => query.limit(left),
            None => query,
        };
        match &self.token {
            Some(token) => query.continue_from(token.clone()),
            None => query,
        }
    }

    fn read_entities(&mut self, target: &Target) -> Result<Option<VecDeque<Item>>, Failure> {
        target.check()?;
        let pages = match &mut self.pages {
            Some(pages) => pages,
            None => {
                let query = self.interrupt.watch(self.query());
                self.pages.insert(target.outside()?.query_entities(query)?.by_page())
            }
        };
        let page = pages.next_stored().transpose();
        if page.is_err() {
            // They are at their end now; whoever asks again is told anew.
            self.pages = None;
        }
        let page = page?;
        self.is_at_end = page.is_none();
        Ok(page.map(|page| self.take(page)))
    }

    /// A transaction's own pages cannot be kept: each is asked for anew.
    fn read_inside(&mut self, open: &Open, name: &str) -> Result<Option<VecDeque<Item>>, Failure> {
        let query = self.query();
        let page = open.run(|transaction| transaction.table(name)?.query_page(query))?;
        self.is_at_end = page.continuation_token.is_none();
        Ok(Some(self.take(page)))
    }

    fn take<E: Into<StoredEntity>>(&mut self, page: Page<E>) -> VecDeque<Item> {
        self.left = self.left.map(|left| left.saturating_sub(page.entities.len() as u64));
        self.token = page.continuation_token;
        page.entities.into_iter().map(|entity| Item::Entity(entity.into())).collect()
    }
}

/// The results of a query, one by one: an iterator, which is used up. ``by_page`` begins anew.
#[pyclass(module = "entable", frozen)]
pub(crate) struct ItemPaged {
    question: Arc<Question>,
    items: Turns<(Reading, VecDeque<Item>)>,
}

impl ItemPaged {
    pub(crate) fn new(question: Question) -> ItemPaged {
        let question = Arc::new(question);
        let items = Turns::new((Reading::new(&question, None), VecDeque::new()));
        ItemPaged { question, items }
    }

    fn next_item(&self, py: Python<'_>) -> PyResult<Option<Item>> {
        let (reading, page) = &mut *self.items.take(py)?;
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
            (Some(_), Subject::Tables(_) | Subject::Listed(_)) => {
                return Err(PyValueError::new_err("The list of tables is one page: there is no token for it."));
            }
            (token, _) => convert::continuation_token(token)?,
        };
        Ok(PageIterator { reading: Turns::new(Reading::new(&self.question, token)) })
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
    reading: Turns<Reading>,
}

#[pymethods]
impl PageIterator {
    /// Where the next page begins, for ``by_page`` of the same query; ``None`` at the end.
    #[getter]
    fn continuation_token<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let token = self.reading.take(py)?.token.clone();
        token.map(|token| convert::token_dict(py, &token)).transpose()
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut reading = self.reading.take(py)?;
        let Some(page) = reading.next_page(py)? else { return Ok(None) };
        let question = Arc::clone(&reading.question);
        // Making objects may run code that comes back here.
        drop(reading);
        let objects: PyResult<Vec<_>> = page.into_iter().map(|item| question.object(py, item)).collect();
        static PAGE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        PAGE.import(py, "entable._reports", "Page")?.call1((PyList::new(py, objects?)?,)).map(Some)
    }

    /// ``PageIterator[TableEntity]``, for annotations.
    #[classmethod]
    fn __class_getitem__<'py>(cls: &Bound<'py, PyType>, _item: &Bound<'py, PyAny>) -> Bound<'py, PyType> {
        cls.clone()
    }
}

/// The PartitionKeys of a table, in order: an iterator, which is used up.
#[pyclass(module = "entable", frozen)]
pub(crate) struct PartitionKeys {
    target: Target,
    keys: Turns<entable::PartitionKeys>,
}

impl PartitionKeys {
    pub(crate) fn new(target: &Target, keys: entable::PartitionKeys) -> PartitionKeys {
        PartitionKeys { target: target.clone(), keys: Turns::new(keys) }
    }
}

#[pymethods]
impl PartitionKeys {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<String>> {
        py.check_signals()?;
        self.target.check().map_err(raise)?;
        let keys = &mut *self.keys.take(py)?;
        py.detach(|| keys.next().transpose()).map_err(raise)
    }
}
