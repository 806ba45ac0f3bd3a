//! Builds an answer from flags.

use serde_json::{Map, Value, json};

use super::args::{Args, Deed};
use super::questions::{self, TypedAnswer};
use crate::client::{Body, Field, Form, Question, Shown};
use crate::failure::Failure;
use crate::output::one_line;

pub(super) fn deed(args: &Args, ask: &Shown) -> Result<Deed, Failure> {
    let words = args.words.as_deref();
    if args.dismiss {
        return Ok(Deed::dismiss(words));
    }
    if args.undo {
        return Ok(Deed { verb: "undo", body: json!({}) });
    }
    let answer = match &ask.body {
        Body::Questions(questions) if !args.options.is_empty() || !args.text.is_empty() || !args.note.is_empty() => {
            questions::body(questions, &said(args, questions)?)
        }
        Body::Approval(_) if args.allow => json!({"decision": "allow"}),
        Body::Approval(approval) => match args.always {
            Some(number) if usize::from(number) <= approval.rules.len() => {
                json!({"decision": "allow", "always": number - 1})
            }
            Some(_) => {
                let rules = approval.rules.len();
                return Err(Failure::usage(format!("the agent offers {rules} rules to remember"))
                    .hint("see `askbridge inbox --json`"));
            }
            None if args.deny => json!({"decision": "deny", "words": words, "stop": args.stop}),
            None => return Err(does_not_fit(ask)),
        },
        Body::Plan(_) if args.approve => json!({"decision": "approve"}),
        Body::Plan(_) => match &args.send_back {
            Some(words) => json!({"decision": "send_back", "words": words}),
            None => return Err(does_not_fit(ask)),
        },
        Body::Form(_) if args.decline => json!({"decision": "decline", "words": words}),
        Body::Form(form) if !args.field.is_empty() => json!({"decision": "accept", "content": content(args, form)?}),
        _ => return Err(does_not_fit(ask)),
    };
    Ok(Deed::answer(answer))
}

/// *Asking is not authorizing*: each kind of ask has its own flags.
fn does_not_fit(ask: &Shown) -> Failure {
    let (what, flags) = match &ask.body {
        Body::Questions(_) => ("a question", "`--option`, `--text` or `--dismiss`"),
        Body::Approval(_) => ("an approval", "`--allow`, `--deny` or `--dismiss`"),
        Body::Plan(_) => ("a plan", "`--approve`, `--send-back WORDS` or `--dismiss`"),
        Body::Form(_) => ("a form", "`--field NAME=VALUE`, `--decline` or `--dismiss`"),
    };
    Failure::usage(format!("this is {what}, and that is no answer to it")).hint(format!("use {flags}"))
}

fn said(args: &Args, questions: &[Question]) -> Result<Vec<TypedAnswer>, Failure> {
    let mut said = vec![TypedAnswer::default(); questions.len()];
    for label in &args.options {
        let (question, option) = chosen(questions, label)?;
        if !said[question].options.contains(&option) {
            said[question].options.push(option);
        }
    }
    for text in &args.text {
        let (question, text) = placed(questions, text, "--text")?;
        said[question].text = Some(text.to_owned());
    }
    for note in &args.note {
        let (question, note) = placed(questions, note, "--note")?;
        said[question].note = Some(note.to_owned());
    }
    Ok(said)
}

/// Finds the option with this label, exactly or ignoring case, in the question before the colon or the only one.
fn chosen(questions: &[Question], label: &str) -> Result<(usize, usize), Failure> {
    let everywhere = |wanted: &str, within: &dyn Fn(usize) -> bool| {
        let labels = questions.iter().enumerate().filter(|(place, _)| within(*place));
        let labels = labels.flat_map(|(place, question)| {
            question.options.iter().enumerate().map(move |(option, choice)| (place, option, choice.label.as_str()))
        });
        let labels: Vec<_> = labels.collect();
        let exact: Vec<_> = labels.iter().filter(|(.., label)| *label == wanted).map(|&(q, o, _)| (q, o)).collect();
        if !exact.is_empty() {
            return exact;
        }
        let wanted = wanted.to_lowercase();
        labels.iter().filter(|(.., label)| label.to_lowercase() == wanted).map(|&(q, o, _)| (q, o)).collect()
    };
    let mut found = everywhere(label, &|_| true);
    if found.is_empty()
        && let Some((number, rest)) = numbered(questions, label)
    {
        found = everywhere(rest, &|place| place == number);
    }
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let options = questions.iter().flat_map(|question| &question.options).map(|option| one_line(&option.label));
            let options = options.collect::<Vec<_>>().join(", ");
            let hint = match options.is_empty() {
                true => "there are no options; answer with `--text`".to_owned(),
                false => format!("choose from: {options}; or say it in your own words with `--text`"),
            };
            Err(Failure::usage(format!("there is no option `{label}`")).hint(hint))
        }
        _ => {
            let hint = format!("say which question, as in `--option \"1:{label}\"`");
            Err(Failure::usage(format!("more than one question has an option `{label}`")).hint(hint))
        }
    }
}

/// Parses `2:rest` as the second question.
fn numbered<'a>(questions: &[Question], text: &'a str) -> Option<(usize, &'a str)> {
    let (number, rest) = text.split_once(':')?;
    let number: usize = number.trim().parse().ok()?;
    (1..=questions.len()).contains(&number).then(|| (number - 1, rest.trim()))
}

/// Finds the question that a text is for: the only one, or the one that it names.
fn placed<'a>(questions: &[Question], text: &'a str, flag: &str) -> Result<(usize, &'a str), Failure> {
    if questions.len() == 1 {
        return Ok((0, text));
    }
    numbered(questions, text).ok_or_else(|| {
        let hint = format!("say which one, as in `{flag} \"1:{text}\"`");
        Failure::usage(format!("the ask has {} questions", questions.len())).hint(hint)
    })
}

fn content(args: &Args, form: &Form) -> Result<Value, Failure> {
    let mut content = Map::new();
    for given in &args.field {
        let known = given.split_once('=').and_then(|(name, value)| {
            let field = form.fields.iter().find(|field| field.name == name.trim())?;
            Some((field, value))
        });
        let Some((field, value)) = known else {
            let names = form.fields.iter().map(|field| one_line(&field.name)).collect::<Vec<_>>().join(", ");
            return Err(Failure::usage(format!("`{given}` names no field")).hint(format!("the fields are: {names}")));
        };
        content.insert(field.name.clone(), typed(field, value).map_err(Failure::usage)?);
    }
    Ok(Value::Object(content))
}

/// Parses the value of a field. It only distinguishes text from numbers; the server validates.
pub(super) fn typed(field: &Field, text: &str) -> Result<Value, String> {
    let text = text.trim();
    match field.kind.as_str() {
        "number" | "integer" => match serde_json::from_str::<serde_json::Number>(text) {
            Ok(number) => Ok(Value::Number(number)),
            Err(_) => Err(format!("`{text}` is not a number")),
        },
        "flag" => match text.to_ascii_lowercase().as_str() {
            "y" | "yes" | "true" | "1" => Ok(json!(true)),
            "n" | "no" | "false" | "0" => Ok(json!(false)),
            _ => Err(format!("`{text}` is neither yes nor no")),
        },
        "many_of" => Ok(text.split(',').map(|part| json!(part.trim())).collect()),
        _ => Ok(json!(text)),
    }
}
