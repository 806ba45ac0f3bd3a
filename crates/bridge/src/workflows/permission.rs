//! What gobby's rules say about a permission that an agent asks for, before a person is asked: `set_permission_response`.

use askbridge_core::answer::{Answer, Decision, RuleSays, Scope};
use askbridge_core::ask::Body;
use askbridge_core::ids::{Raw, SessionId};
use askbridge_core::intent::AskRuling;
use askbridge_peers::doors::{claude, hook};
use askbridge_peers::wish::AskWish;
use askbridge_workflows::{Hook, ToolCall};
use serde_json::{Map, Value};

use super::advise::Happening;
use super::advised::Ruled;
use crate::runtime::Handle;

impl Handle {
    /// Returns what settles an approval at once. Questions and plans are people's: an allow would be an answer without words.
    pub(crate) async fn permission_by_workflows(&self, session: SessionId, wish: &AskWish) -> Option<AskRuling> {
        let Body::Approval(approval) = &wish.body else { return None };
        let is_an_agents = matches!(wish.door, claude::NAME | hook::NAME);
        if !is_an_agents || !self.workflows.answer_permissions(wish.context.folder.as_deref()) {
            return None;
        }
        let input = wish.original.as_ref().unwrap_or(&approval.input).as_str();
        let call = ToolCall::new(approval.tool.clone(), serde_json::from_str(input).unwrap_or(Value::Null));
        let happening = Happening {
            id: wish.key.as_ref().map(|key| format!("permission/{}", key.as_str())),
            session,
            door: wish.door,
            agent: wish.agent.clone(),
            title: wish.context.title.clone(),
            folder: wish.context.folder.clone(),
            hook: Hook::PermissionRequest(call),
            extra: Map::new(),
        };
        let said = self.advised_by_workflows(happening).await;
        let ruling = |ruled: &Ruled, decision| AskRuling {
            rule: ruled.rule.clone(),
            place: ruled.place(),
            says: RuleSays::Answer(Answer::Approval(decision)),
        };
        if let Some(ruled) = &said.deny {
            let words = Some(ruled.words.clone());
            return Some(ruling(ruled, Decision::Deny { words, stop: false }));
        }
        let edited = said.input.map(|input| Raw::from(input.to_string()));
        said.allow.as_ref().map(|ruled| ruling(ruled, Decision::Allow { scope: Scope::Once, edited }))
    }
}
