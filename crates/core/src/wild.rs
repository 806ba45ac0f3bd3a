//! Asks as wild as agents make them, made whole.

/// Any JSON value, without a JSON library: the rules know no serde.
#[derive(Debug, Clone, PartialEq)]
pub enum Wild {
    Null,
    Flag(bool),
    /// The number as it was written.
    Number(String),
    Text(String),
    List(Vec<Wild>),
    Map(Vec<(String, Wild)>),
}
