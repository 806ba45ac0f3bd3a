//! Rule files: from the nodes of YAML to rules, workflows, agents and variables, each with its file and line.

mod actions;
mod agents;
mod definitions;
mod gates;
mod kinds;
mod reader;
mod rules;
mod steps;
mod workflows;

pub(crate) use definitions::{
    Action, Agent, Assigned, BlockRule, Deed, Effect, EffectKind, Gate, Generation, Handler, HandlerDeed,
    PrematureAction, Rule, Selector, Step, Toolset, Workflow,
};
pub(crate) use gates::expression_in_step;
pub(crate) use kinds::read;
pub(crate) use reader::Read;
