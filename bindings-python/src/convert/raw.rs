//! Objects made by Python's C API where its safe form would cost a multiple: they are made for every entity that is read.
#![allow(unsafe_code, reason = "foreign calls that pyo3 has no safe form for")]

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString, PyTuple, PyType};

/// An instance of a subclass of `int` with its own `__new__`: as calling the class, without the ways around.
pub(super) fn int_of<'py>(class: &Bound<'py, PyType>, number: i64) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    debug_assert!(class.is_subclass_of::<PyInt>().is_ok_and(|is| is));
    let arguments = PyTuple::new(py, [number])?;
    // SAFETY: the type of `int` has a `tp_new`, which takes a subtype of it, a tuple, and no keywords; it gives a new
    // reference, or NULL with an exception set.
    unsafe {
        let make = ffi::PyLong_Type.tp_new.ok_or_else(|| PyTypeError::new_err("int cannot be made"))?;
        let made = make(class.as_type_ptr(), arguments.as_ptr(), std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(py, made)
    }
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
