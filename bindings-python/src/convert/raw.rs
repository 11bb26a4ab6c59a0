//! Objects made by Python's C API where its safe form would cost a multiple: they are made for every entity that is read.
#![allow(unsafe_code, reason = "foreign calls that pyo3 has no safe form for")]

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString, PyTuple, PyType};

/// An instance of a class, of a number: without the ways around if it is a subclass of `int` that is made as `int` is.
pub(super) fn int_of<'py>(class: &Bound<'py, PyType>, number: i64) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    // SAFETY: both are types that live, and a type's members do not move.
    let (own, int) = unsafe { ((*class.as_type_ptr()).tp_new, ffi::PyLong_Type.tp_new) };
    let make = match (own, int) {
        (Some(own), Some(int)) if std::ptr::fn_addr_eq(own, int) && class.is_subclass_of::<PyInt>()? => int,
        _ => return class.call1((number,)),
    };
    let arguments = PyTuple::new(py, [number])?;
    // SAFETY: what makes an `int` takes a subtype of it, a tuple, and no keywords; it gives a new reference, or NULL with an
    // exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, make(class.as_type_ptr(), arguments.as_ptr(), std::ptr::null_mut())) }
}

/// A new instance of a class whose base is `object`: as `object.__new__(class)`.
pub(super) fn plain_object<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: a class of Python's own making has the generic allocation, whose memory is that of an instance with all
    // slots empty; a new reference, or NULL with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(class.py(), ffi::PyType_GenericAlloc(class.as_type_ptr(), 0)) }
}

/// Sets an attribute whatever the class says to that: as `object.__setattr__`.
pub(super) fn set_slot(of: &Bound<'_, PyAny>, name: &Bound<'_, PyString>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    // SAFETY: three objects that are borrowed; 0, or -1 with an exception set.
    match unsafe { ffi::PyObject_GenericSetAttr(of.as_ptr(), name.as_ptr(), value.as_ptr()) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(of.py())),
    }
}
