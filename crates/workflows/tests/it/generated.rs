//! Conditions made up from the grammar, against CPython.

use askbridge_workflows::fuzzed;
use serde_json::{Map, Value, json};

use crate::random::Random;
use crate::tools::python;

fn names() -> Map<String, Value> {
    let names = json!({
        "n": 3, "m": -7, "z": 0, "f": 2.5, "g": -0.1, "big": 123_456_789_012_345_u64, "t": true, "u": false, "nil": null,
        "s": "Ab c", "e": "", "p": "/home/a/b.md", "w": "  x y  z ", "q": "it's \"q\"\n",
        "xs": [1, "a", null, 2.0, [1]], "ys": [], "zs": ["a", "b", "a"],
        "d": {"a": 1, "k": {"b": [1, 2]}, "n": null}, "o": {},
    });
    names.as_object().expect("it is a table").clone()
}

/// Writes an expression of a kind: `n` for a number, `s` for a text, `l` for a list, `b` for a truth value, `?` for any.
fn write(random: &mut Random, kind: char, depth: usize) -> String {
    if depth == 0 {
        return leaf(random, kind);
    }
    let choice = random.below(5_040);
    let mut of = |kind: char| write(random, kind, depth - 1);
    match kind {
        'n' => match choice % 8 {
            0 => format!("({} + {})", of('n'), of('n')),
            1 => format!("({} - {})", of('n'), of('n')),
            2 => format!("({} * {})", of('n'), of('n')),
            3 => format!("({} // {})", of('n'), of('n')),
            4 => format!("({} % {})", of('n'), of('n')),
            5 => format!("-{}", of('n')),
            6 => format!("len({})", of(if choice % 16 == 6 { 's' } else { 'l' })),
            _ => format!("int({})", of('n')),
        },
        's' => match choice % 9 {
            0 => format!("({} + {})", of('s'), of('s')),
            1 => format!("{}.strip()", of('s')),
            2 => format!("{}.lower()", of('s')),
            3 => format!("{}.upper()", of('s')),
            4 => format!("str({})", of('?')),
            5 => format!("({} if {} else {})", of('s'), of('b'), of('s')),
            6 => format!("{}.rpartition({})[-1]", of('s'), of('s')),
            7 => format!("({} or {})", of('s'), of('s')),
            _ => format!("{}[0]", of('s')),
        },
        'l' => match choice % 7 {
            0 => format!("({} + {})", of('l'), of('l')),
            1 => format!("[{}, {}]", of('?'), of('?')),
            2 => format!("{}.split()", of('s')),
            3 => format!("{}.split({})", of('s'), of('s')),
            4 => format!("[x for x in {} if x]", of('l')),
            5 => format!("list({})", of('l')),
            _ => format!("list(x for x in {} if x != {})", of('l'), of('?')),
        },
        'b' => match choice % 14 {
            0 => format!("({} and {})", of('?'), of('?')),
            1 => format!("({} or {})", of('?'), of('?')),
            2 => format!("(not {})", of('?')),
            3 => format!("({} == {})", of('?'), of('?')),
            4 => format!("({} != {})", of('?'), of('?')),
            5 => format!("({} < {} <= {})", of('n'), of('n'), of('n')),
            6 => format!("({} in {})", of('?'), of('l')),
            7 => format!("({} not in {})", of('s'), of('s')),
            8 => format!("{}.startswith({})", of('s'), of('s')),
            9 => format!("{}.endswith(({}, {}))", of('s'), of('s'), of('s')),
            10 => format!("any(x == {} for x in {})", of('?'), of('l')),
            11 => format!("all(len(str(x)) > {} for x in {})", of('n'), of('l')),
            12 => format!("({} is None)", of('?')),
            _ => format!("({} < {})", of('s'), of('s')),
        },
        _ => match choice % 8 {
            0 => of('n'),
            1 => of('s'),
            2 => of('l'),
            3 => of('b'),
            4 => format!("d.get({})", of('s')),
            5 => format!("d.get({}, {})", of('s'), of('?')),
            6 => format!("({}, {})", of('?'), of('?')),
            _ => format!("{{{}: {}}}", of('s'), of('?')),
        },
    }
}

fn leaf(random: &mut Random, kind: char) -> String {
    let all: &[&str] = match kind {
        'n' => &["n", "m", "z", "f", "g", "big", "t", "0", "1", "2", "7", "0.5", "1e3", "d.a", "xs[0]"],
        's' => &["s", "e", "p", "w", "q", "'a'", "\"it's\"", "'/'", "'b'", "r'\\d'", "'\\n'", "''"],
        'l' => &["xs", "ys", "zs", "[1, 2]", "d.k.b", "list(d.keys())", "list(d.values())", "list(d.items())"],
        'b' => &["t", "u", "true", "False", "none"],
        _ => &[
            "n",
            "s",
            "xs",
            "nil",
            "d",
            "o",
            "f",
            "t",
            "None",
            "missing",
            "d.nope",
            "xs[9]",
            "(1,)",
            "()",
            "zs.count('a')",
        ],
    };
    (*random.of(all)).to_owned()
}

#[test]
fn conditions_from_the_grammar_are_what_they_are_in_cpython() {
    let mut random = Random::new(11);
    let kinds = ['n', 's', 'l', 'b', 'b', '?'];
    let mut texts: Vec<String> = Vec::new();
    while texts.len() < 6_000 {
        let (kind, depth) = (*random.of(&kinds), 1 + random.below(3));
        let text = write(&mut random, kind, depth);
        // The longest make Python's own output large, and add nothing.
        if text.len() < 1_000 {
            texts.push(text);
        }
    }
    let names = names();
    let cases: Vec<Value> = texts.iter().map(|text| json!({"text": text, "names": names, "daemon": false})).collect();
    let expected = python("conditions.py", &json!(cases));
    let (mut good, mut failed) = (0, 0);
    for (text, expected) in texts.iter().zip(&expected) {
        match (fuzzed::condition(text, &names, false), &expected["value"]) {
            (Ok(ours), Value::String(theirs)) => {
                assert_eq!(&ours, theirs, "{text}");
                good += 1;
            }
            (Err(_), Value::Null) => failed += 1,
            (ours, _) => panic!("{text}\nours: {ours:?}\nCPython: {expected}"),
        }
    }
    assert!(good > 2_500 && failed > 200, "{good} have a value, {failed} fail");
}
