//! A parsed text with the places of its values, in either format.

use crate::error::{Trouble, line_of};
use crate::node::Node;
use crate::{json, toml};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// With comments and trailing commas, as people write it.
    Json,
    Toml,
}

/// A parsed text with the places of its values.
pub(crate) struct Doc<'a> {
    text: &'a str,
    pub(crate) node: Node,
    places: Places,
}

enum Places {
    Json(json::Tree),
    Toml(toml::Layout),
}

impl<'a> Doc<'a> {
    pub(crate) fn read(format: Format, text: &'a str) -> Result<Self, Trouble> {
        Ok(match format {
            Format::Json => {
                let tree = json::read(text)?;
                Self { text, node: tree.node(), places: Places::Json(tree) }
            }
            Format::Toml => {
                let (node, layout) = toml::read(text)?;
                Self { text, node, places: Places::Toml(layout) }
            }
        })
    }

    pub(crate) fn add(&self, within: &[usize], name: Option<&str>, node: &Node) -> Result<String, Trouble> {
        let changed = match &self.places {
            Places::Json(tree) => json::add(self.text, tree, within, name, node),
            Places::Toml(layout) => toml::add(self.text, layout, &self.segs(within), name, node),
        };
        changed.ok_or_else(|| self.unsupported(within))
    }

    pub(crate) fn replace(&self, at: &[usize], node: &Node) -> Result<String, Trouble> {
        let changed = match &self.places {
            Places::Json(tree) => json::replace(self.text, tree, at, node),
            Places::Toml(layout) => toml::replace(self.text, layout, &self.segs(at), node),
        };
        changed.ok_or_else(|| self.unsupported(at))
    }

    pub(crate) fn remove(&self, at: &[usize]) -> Result<String, Trouble> {
        let changed = match &self.places {
            Places::Json(tree) => json::remove(self.text, tree, at),
            Places::Toml(layout) => toml::remove(self.text, layout, &self.segs(at)),
        };
        changed.ok_or_else(|| self.unsupported(at))
    }

    pub(crate) fn line(&self, at: &[usize]) -> usize {
        let place = match &self.places {
            Places::Json(tree) => tree.at(at).map(|tree| tree.span.start),
            Places::Toml(layout) => {
                let (segs, sections) = (self.segs(at), &layout.sections);
                let mut entries = sections.iter().flat_map(|section| &section.entries);
                let entry = entries.find(|entry| entry.path.starts_with(&segs)).map(|entry| entry.lines.start);
                let section = sections.iter().find(|section| section.path.starts_with(&segs));
                section.map(|section| section.header.start).into_iter().chain(entry).min()
            }
        };
        line_of(self.text, place.unwrap_or_default())
    }

    /// The names and indices of a path of positions.
    fn segs(&self, at: &[usize]) -> Vec<toml::Seg> {
        let mut segs = Vec::new();
        let mut node = &self.node;
        for step in at {
            let Some(child) = node.children().get(*step).copied() else { break };
            segs.push(match node.members().get(*step) {
                Some((name, _)) => toml::Seg::Key(name.clone()),
                None => toml::Seg::Nth(*step),
            });
            node = child;
        }
        segs
    }

    fn name(&self, at: &[usize]) -> String {
        let names = self.segs(at).into_iter().map(|seg| match seg {
            toml::Seg::Key(name) => name,
            toml::Seg::Nth(number) => number.to_string(),
        });
        let name = names.collect::<Vec<_>>().join(".");
        if name.is_empty() { "the whole".to_owned() } else { name }
    }

    fn unsupported(&self, at: &[usize]) -> Trouble {
        Trouble::Unsupported { what: self.name(at) }
    }

    pub(crate) fn shape(&self, at: &[usize], wanted: &'static str) -> Trouble {
        Trouble::Shape { line: self.line(at), what: self.name(at), wanted }
    }
}
