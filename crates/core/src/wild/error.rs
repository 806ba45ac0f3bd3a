//! Every reason for which an ask cannot be understood.

/// Why an ask cannot be understood: which part, and what to do. Questions and options are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WildError {
    #[error("the ask is neither an object nor a text; send `{{\"questions\": [{{\"question\": …}}]}}`")]
    NotAnAsk,
    #[error("the ask has no question; send at least one in `questions`")]
    NoQuestions,
    #[error("the ask has {found} questions, more than {limit}; split it into several asks")]
    TooManyQuestions { found: usize, limit: usize },
    #[error("question {question} is neither an object nor a text")]
    NotAQuestion { question: usize },
    #[error("question {question} has no text; put it under `question`")]
    NoText { question: usize },
    #[error("question {question} has options that are not a list; send `\"options\": [{{\"label\": …}}]`")]
    NotOptions { question: usize },
    #[error("question {question} has {found} options, more than {limit}; offer fewer, free text is always possible")]
    TooManyOptions { question: usize, found: usize, limit: usize },
    #[error("option {option} of question {question} is neither an object nor a text")]
    NotAnOption { question: usize, option: usize },
    #[error("option {option} of question {question} has no label; put it under `label`, or leave the option out")]
    BlankLabel { question: usize, option: usize },
    #[error("{what} is longer than {limit} bytes; shorten it")]
    TooLong { what: String, limit: usize },

    #[error("the approval names no tool; put its name under `tool`")]
    NoTool,
    #[error("the approval has `rules` that are not a list; send `\"rules\": [{{\"label\": …, \"rule\": …}}]`")]
    NotRules,
    #[error("the approval has {found} rules, more than {limit}; offer fewer")]
    TooManyRules { found: usize, limit: usize },
    #[error("rule {rule} needs a `label` that a person can read and the `rule` itself")]
    BadRule { rule: usize },

    #[error("the plan has no text; send the text itself, or put it under `plan`")]
    NoPlan,

    #[error("the form has no message; say under `message` what it is for")]
    NoMessage,
    #[error("the form has neither fields nor a page to visit; send a `schema` or a `url`")]
    NoFields,
    #[error("the form's schema is not an object with `properties`")]
    NotASchema,
    #[error("the form has {found} fields, more than {limit}; split it")]
    TooManyFields { found: usize, limit: usize },
    #[error("field `{field}` {why}")]
    BadField { field: String, why: &'static str },
}
