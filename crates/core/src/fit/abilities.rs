//! What a screen can show.

/// What a screen can show. Write one as a difference: `Abilities { previews: false, ..Abilities::FULL }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Abilities {
    /// Questions with options. Without this, questions are unshowable and nothing can stand in for other bodies.
    pub questions: bool,
    /// Approvals as such. Without this, a question with [`ALLOW`](super::ALLOW) and [`DENY`](super::DENY) stands in.
    pub approvals: bool,
    /// Plans as such. Without this, a question with [`APPROVE`](super::APPROVE) and [`SEND_BACK`](super::SEND_BACK)
    /// stands in.
    pub plans: bool,
    /// Forms as such. Without this, one question per field stands in.
    pub forms: bool,
    /// Questions on one card. Beyond: unshowable.
    pub questions_max: usize,
    /// Options of one question. Beyond: listed in the text and reached by writing; unshowable without `free_text`.
    pub options_max: usize,
    /// More than one option may be chosen. Without this, the person writes several with commas between.
    pub multi: bool,
    /// Descriptions below options. Without this, they move into the question's text.
    pub descriptions: bool,
    /// Previews beside options. Without this, they are dropped.
    pub previews: bool,
    /// A header of this many characters. Beyond: it is cut. 0: the screen shows no headers.
    pub header_chars_max: usize,
    /// A note beside an answer.
    pub notes: bool,
    /// Free text instead of an option.
    pub free_text: bool,
}

impl Abilities {
    /// Everything, without limits.
    pub const FULL: Self = Self {
        questions: true,
        approvals: true,
        plans: true,
        forms: true,
        questions_max: usize::MAX,
        options_max: usize::MAX,
        multi: true,
        descriptions: true,
        previews: true,
        header_chars_max: usize::MAX,
        notes: true,
        free_text: true,
    };
}
