//! Parses a JSON text into a tree with the places of its values.

use std::ops::Range;

use serde_json::Value;

use super::trivia;
use crate::error::Trouble;
use crate::node::Node;

/// Nesting depth. Beyond: refused, before the stack overflows. No settings are so deep.
const DEPTH_MAX: usize = 256;

#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) span: Range<usize>,
    pub(crate) kind: Kind,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Tree>),
    Leaf(Value),
}

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// Where its name begins.
    pub(crate) start: usize,
    pub(crate) tree: Tree,
}

impl Tree {
    pub(crate) fn node(&self) -> Node {
        match &self.kind {
            Kind::Object(members) => {
                Node::Object(members.iter().map(|member| (member.name.clone(), member.tree.node())).collect())
            }
            Kind::Array(items) => Node::Array(items.iter().map(Self::node).collect()),
            Kind::Leaf(value) => Node::Leaf(value.clone()),
        }
    }

    pub(crate) fn at(&self, path: &[usize]) -> Option<&Tree> {
        path.iter().try_fold(self, |tree, step| match &tree.kind {
            Kind::Object(members) => members.get(*step).map(|member| &member.tree),
            Kind::Array(items) => items.get(*step),
            Kind::Leaf(_) => None,
        })
    }

    /// The range of each value inside, with its name.
    pub(crate) fn stretches(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(|member| member.start..member.tree.span.end).collect(),
            Kind::Array(items) => items.iter().map(|item| item.span.clone()).collect(),
            Kind::Leaf(_) => Vec::new(),
        }
    }
}

pub(crate) fn read(text: &str) -> Result<Tree, Trouble> {
    let mut reader = Reader { text, at: 0 };
    reader.skip()?;
    let tree = reader.value(0)?;
    reader.skip()?;
    match reader.peek() {
        None => Ok(tree),
        Some(_) => Err(reader.trouble("something follows after the end")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Tree, Trouble> {
        let start = self.at;
        let kind = match self.peek() {
            Some('{') if depth < DEPTH_MAX => self.object(depth)?,
            Some('[') if depth < DEPTH_MAX => self.array(depth)?,
            Some('{' | '[') => return Err(self.trouble(format!("this is nested more than {DEPTH_MAX} times"))),
            Some('"') => Kind::Leaf(Value::String(self.string()?)),
            Some(_) => Kind::Leaf(self.word()?),
            None => return Err(self.trouble("the text ends where a value is expected")),
        };
        Ok(Tree { span: start..self.at, kind })
    }

    fn object(&mut self, depth: usize) -> Result<Kind, Trouble> {
        let mut members = Vec::new();
        self.inside('}', |reader| {
            let start = reader.at;
            if reader.peek() != Some('"') {
                return Err(reader.trouble("a name in double quotes is expected here"));
            }
            let name = reader.string()?;
            reader.skip()?;
            if reader.peek() != Some(':') {
                return Err(reader.trouble("`:` is expected after a name"));
            }
            reader.at += 1;
            reader.skip()?;
            members.push(Member { name, start, tree: reader.value(depth + 1)? });
            Ok(())
        })?;
        Ok(Kind::Object(members))
    }

    fn array(&mut self, depth: usize) -> Result<Kind, Trouble> {
        let mut items = Vec::new();
        self.inside(']', |reader| {
            items.push(reader.value(depth + 1)?);
            Ok(())
        })?;
        Ok(Kind::Array(items))
    }

    /// Parses items up to the closing bracket. A trailing comma is allowed.
    fn inside(&mut self, close: char, mut one: impl FnMut(&mut Self) -> Result<(), Trouble>) -> Result<(), Trouble> {
        self.at += 1;
        self.skip()?;
        while self.peek() != Some(close) {
            one(self)?;
            self.skip()?;
            match self.peek() {
                Some(',') => {
                    self.at += 1;
                    self.skip()?;
                }
                Some(char) if char == close => {}
                Some(_) => return Err(self.trouble(format!("`,` or `{close}` is expected here"))),
                None => return Err(self.trouble(format!("the text ends before `{close}`"))),
            }
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<String, Trouble> {
        let start = self.at;
        let mut escaped = false;
        for (offset, byte) in self.text.as_bytes()[start + 1..].iter().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'\n' => break,
                b'"' => {
                    self.at = start + 1 + offset + 1;
                    let read = serde_json::from_str(&self.text[start..self.at]);
                    return read.map_err(|_| {
                        Trouble::syntax(self.text, start, "this text has a character or an escape that JSON forbids")
                    });
                }
                _ => {}
            }
        }
        Err(Trouble::syntax(self.text, start, "this text has no closing quote"))
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Value, Trouble> {
        let start = self.at;
        let rest = &self.text[start..];
        let length = rest.find(|char: char| !char.is_ascii_alphanumeric() && !matches!(char, '+' | '-' | '.'));
        let word = &rest[..length.unwrap_or(rest.len())];
        let value = serde_json::from_str(word).map_err(|_| {
            let shown: String = rest.chars().take_while(|char| !trivia::is_blank(*char)).take(20).collect();
            Trouble::syntax(self.text, start, format!("`{shown}` is not a value"))
        })?;
        self.at += word.len();
        Ok(value)
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn skip(&mut self) -> Result<(), Trouble> {
        let next = trivia::skip(self.text, self.at);
        self.at = next.map_err(|at| Trouble::syntax(self.text, at, "this comment does not end"))?;
        Ok(())
    }

    fn trouble(&self, why: impl Into<String>) -> Trouble {
        Trouble::syntax(self.text, self.at, why)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_read() {
        let text = "// top\n{\"a\": [1, 2,], /* b */ \"b\": {\"c\": null,}, \"a\": \"last\" // end\n}\n";
        let node = read(text).unwrap().node();
        assert_eq!(node.value(), json!({"a": "last", "b": {"c": null}}));
        assert_eq!(node.members().len(), 3, "a name that occurs twice is kept twice");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let wrong = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(wrong("{\n  \"a\": 1\n  \"b\": 2\n}"), "line 3, column 3: `,` or `}` is expected here");
        assert_eq!(wrong("{\"ä\": x}"), "line 1, column 7: `x}` is not a value");
        assert_eq!(wrong("{a: 1}"), "line 1, column 2: a name in double quotes is expected here");
        assert_eq!(wrong("{\"a\" 1}"), "line 1, column 6: `:` is expected after a name");
        assert_eq!(wrong("[1,,2]"), "line 1, column 4: `,2]` is not a value");
        assert_eq!(wrong("{} {}"), "line 1, column 4: something follows after the end");
        assert_eq!(wrong("{\"a\": \"x\n\"}"), "line 1, column 7: this text has no closing quote");
        assert_eq!(wrong("[1 /* 2]"), "line 1, column 4: this comment does not end");
        assert_eq!(wrong("[1"), "line 1, column 3: the text ends before `]`");
        assert_eq!(wrong(""), "line 1, column 1: the text ends where a value is expected");
    }

    #[test]
    fn depth_is_bounded_and_the_stack_is_not_used_up() {
        let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read(&deep(DEPTH_MAX)).is_ok());
        assert!(read(&deep(100_000)).unwrap_err().to_string().contains("nested more than 256 times"));
    }
}
