//! `GET /v1/folders`: the folders that an agent may work in.

use std::path::Path;

use askbridge_peers::wish::Rejection;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::Caller;
use crate::hosts::Folders;
use crate::runtime::Right;
use crate::server::app::App;
use crate::server::body::json;
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::server::query::Query;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FolderQuery {
    /// The folder to look in; `~` is the home folder. Without it, the roots.
    #[schemars(length(max = 4096))]
    below: Option<String>,
}

/// A folder and the folders in it, or the roots.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Folders")]
struct FoldersJson {
    /// The folder that was looked at, as it really is. `null`: these are the roots.
    folder: Option<String>,
    /// The folder above. `null`: agents may not work there.
    parent: Option<String>,
    /// What `~` means. `null`: agents may not work there.
    home: Option<String>,
    /// In the order of their names, at most 200. Links and hidden folders are left out.
    items: Vec<FolderJson>,
    /// There are more than are shown.
    more: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Folder")]
struct FolderJson {
    path: String,
    name: String,
    /// It has a repository of its own.
    is_project: bool,
}

/// For people who may run an agent there. An agent has a shell for this, and its token must not let it see more than
/// the shell does.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(FolderQuery { below }): Query<FolderQuery>,
) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::BrowseFolders)?;
    let Some(hosts) = app.hosts() else { return Ok(json(StatusCode::OK, &FoldersJson::default())) };
    let options = hosts.options().clone();
    // A disk may be slow, and a remote folder may never respond.
    let looked = tokio::task::spawn_blocking(move || options.browse(below.as_deref())).await;
    let found = looked.map_err(|error| Rejection::Down(error.to_string()))?;
    let found = found.map_err(|error| Rejection::Forbidden(error.to_string()))?;
    Ok(json(StatusCode::OK, &FoldersJson::from(found)))
}

impl From<Folders> for FoldersJson {
    fn from(found: Folders) -> Self {
        let text = |path: &Path| path.to_str().map(str::to_owned);
        let items = found.items.iter().filter_map(|item| {
            let path = text(&item.path)?;
            let name = item.path.file_name().and_then(|name| name.to_str()).unwrap_or(&path).to_owned();
            Some(FolderJson { name, path, is_project: item.is_project })
        });
        Self {
            items: items.collect(),
            folder: found.folder.as_deref().and_then(text),
            parent: found.parent.as_deref().and_then(text),
            home: found.home.as_deref().and_then(text),
            more: found.more,
        }
    }
}

pub(crate) fn list_doc(op: &mut Operation<'_>) {
    op.is("listFolders", "Sessions", "Lists folders in which an agent may work.")
        .text("*Operators.* The roots (setting `roots`), or the folders in one of them. Never anything outside, wherever a link leads.")
        .query::<FolderQuery>()
        .returns::<FoldersJson>(200, "The folders; none if this server runs no agents.")
        .refuses(&["forbidden"]);
}
