//! Structs of the other crates, read from dictionaries that have their fields.

use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;

/// A struct whose fields are named: each is the item of that name, or what a function makes of that.
macro_rules! record {
    ($given:expr => $struct:ident: $($field:ident $(= $read:expr)?),+ $(,)?) => {
        Ok($struct { $($field: $crate::reading::record!(@ $given, $field $(, $read)?)),+ })
    };
    (@ $given:expr, $field:ident) => { $crate::reading::item($given, stringify!($field))? };
    (@ $given:expr, $field:ident, $read:expr) => { $read(&$given.get_item(stringify!($field))?)? };
}

pub(crate) use record;

pub fn item<'py, T: FromPyObjectOwned<'py>>(given: &Bound<'py, PyAny>, name: &str) -> PyResult<T> {
    given.get_item(name)?.extract().map_err(Into::into)
}

/// Reads a list.
pub fn each<'py, T>(
    read: impl Fn(&Bound<'py, PyAny>) -> PyResult<T>,
) -> impl Fn(&Bound<'py, PyAny>) -> PyResult<Vec<T>> {
    move |given| given.try_iter()?.map(|one| read(&one?)).collect()
}

/// Reads what may be None.
pub fn optional<'py, T>(
    read: impl Fn(&Bound<'py, PyAny>) -> PyResult<T>,
) -> impl Fn(&Bound<'py, PyAny>) -> PyResult<Option<T>> {
    move |given| (!given.is_none()).then(|| read(given)).transpose()
}
