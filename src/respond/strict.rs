//! JSON without nulls. Takes any value, gives bytes; a null or a number that JSON can't write is an error.

use std::io;

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use super::AnswerFault;

/// Compact form, null refused.
struct NoNull;

impl Formatter for NoNull {
    // serde_json writes NaN and infinities as null too, so this catches them as well.
    fn write_null<W: ?Sized + io::Write>(&mut self, _writer: &mut W) -> io::Result<()> {
        Err(io::Error::other("it holds a null"))
    }
}

/// Writes `value`.
pub(super) fn to_vec<T: Serialize>(value: &T) -> Result<Vec<u8>, AnswerFault> {
    let mut bytes = Vec::with_capacity(4096);
    value
        .serialize(&mut Serializer::with_formatter(&mut bytes, NoNull))
        .map_err(|error| AnswerFault::Unwritable(error.to_string()))?;
    Ok(bytes)
}
