//! The machine of one HTTP request: exchange a code for a token, upload or download a file, read agents' memory.

use askbridge_core::ids::Raw;
use askbridge_core::limits;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{memory, multipart};
use crate::one_request::OneRequest;
use crate::peer::{Cx, Frame, Outbox, Req, Resp, Tag};
use crate::rest;
use crate::wish::{AGENTS_OWN, Query, Receipt, Rejection, Wish};

const TAG: Tag = Tag(1);
/// The path under which files are downloaded.
const FILES: &str = "/api/v1/providers/files/";

/// One request.
#[derive(Default)]
pub(super) struct WhimmyRequest {
    wanted: PendingResponse,
}

/// What the response will contain.
#[derive(Default)]
enum PendingResponse {
    #[default]
    Nothing,
    Token,
    Uploaded(Value),
    File,
    /// Agents' memory, once it is known who reads it.
    Reader {
        agent: Option<String>,
    },
    Memory {
        account: Option<String>,
        agent: Option<String>,
    },
}

/// A file as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredFile {
    name: String,
    kind: String,
    data: String,
}

impl WhimmyRequest {
    fn asked(&mut self, req: &Req<'_>, cx: &mut Cx<'_>) {
        match (req.method, req.path) {
            ("POST", "/api/v1/providers/pair/redeem") => {
                let body = serde_json::from_slice::<Value>(req.body).unwrap_or_default();
                match body["code"].as_str().filter(|code| !code.is_empty()) {
                    Some(code) => {
                        self.wanted = PendingResponse::Token;
                        cx.out.queries.push((TAG, Query::Redeem { code: code.to_owned() }));
                    }
                    None => error(cx.out, 400, "`code` is missing"),
                }
            }
            ("POST", "/api/v1/providers/files/upload") => self.upload(req, cx),
            ("GET", "/api/v1/providers/memory") => {
                self.wanted = PendingResponse::Reader { agent: rest::value(req.query, "agentId") };
                cx.out.queries.push((TAG, Query::Login { token: String::new() }));
            }
            ("GET", path) => match path.strip_prefix(FILES).filter(|id| is_id(id)) {
                Some(id) => {
                    self.wanted = PendingResponse::File;
                    cx.out.queries.push((TAG, Query::Kept(format!("{AGENTS_OWN}file/{id}"))));
                }
                None => error(cx.out, 404, "there is no such file"),
            },
            _ => error(cx.out, 404, "there is nothing here"),
        }
    }

    fn upload(&mut self, req: &Req<'_>, cx: &mut Cx<'_>) {
        let content_type = req.header("content-type").unwrap_or_default();
        let Some(file) = multipart::file(content_type, req.body) else {
            return error(cx.out, 400, "a form with a part called `file` is needed");
        };
        let kept = StoredFile { name: file.name, kind: file.kind, data: STANDARD.encode(file.bytes) };
        let id = format!("{:032x}", cx.ids.fresh());
        let host = req.header("host").unwrap_or("localhost");
        let scheme = req.header("x-forwarded-proto").unwrap_or("http");
        self.wanted = PendingResponse::Uploaded(json!({
            "id": &id,
            "url": format!("{scheme}://{host}{FILES}{id}"),
            "originalName": &kept.name,
            "mimeType": &kept.kind,
        }));
        let thing = serde_json::to_string(&kept).expect("a file has text keys");
        if thing.len() > limits::SHELF_BYTES_MAX {
            return error(cx.out, 413, "files of up to 380 kB are taken");
        }
        let name = format!("{AGENTS_OWN}file/{id}");
        cx.out.wishes.push((TAG, Wish::Keep { name, thing: Some(Raw::from(thing)) }));
    }

    fn granted(&mut self, receipt: Receipt, out: &mut Outbox) {
        match std::mem::take(&mut self.wanted) {
            PendingResponse::Token => rest::json(out, 200, &json!({"connectionToken": receipt.token})),
            PendingResponse::Uploaded(file) => rest::json(out, 200, &file),
            PendingResponse::File => {
                let kept = receipt.finds.and_then(|finds| Some(finds.kept.first()?.1.clone()));
                let kept = kept.and_then(|kept| serde_json::from_str::<StoredFile>(kept.as_str()).ok());
                match kept.and_then(|kept| Some((STANDARD.decode(&kept.data).ok()?, kept.name))) {
                    Some((bytes, name)) => file(out, bytes, &name),
                    None => error(out, 404, "there is no such file"),
                }
            }
            PendingResponse::Reader { agent } => {
                let account = receipt.caller.filter(|caller| caller.role == "agent").map(|caller| caller.name);
                self.wanted = PendingResponse::Memory { account, agent };
                out.queries.push((TAG, Query::Kept(memory::prefix())));
            }
            PendingResponse::Memory { account, agent } => {
                let kept = receipt.finds.map(|finds| finds.kept).unwrap_or_default();
                rest::json(out, 200, &memory::show(&kept, account.as_deref(), agent.as_deref()));
            }
            PendingResponse::Nothing => {}
        }
    }
}

/// Always as a download, never with its own content type: it came from an agent.
fn file(out: &mut Outbox, bytes: Vec<u8>, name: &str) {
    let name: String = name.chars().filter(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | ';')).collect();
    let headers = vec![
        ("content-disposition", format!("attachment; filename=\"{name}\"")),
        ("x-content-type-options", "nosniff".to_owned()),
    ];
    let content_type = "application/octet-stream";
    out.frames.push(Frame::Response(Resp { status: 200, content_type, headers, body: bytes.into(), open: false }));
}

fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn error(out: &mut Outbox, status: u16, why: &str) {
    rest::json(out, status, &json!({"error": why}));
}

impl OneRequest for WhimmyRequest {
    fn requested(&mut self, req: &Req<'_>, cx: &mut Cx<'_>) {
        self.asked(req, cx);
    }

    fn replied(&mut self, _: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        match reply {
            Ok(receipt) => self.granted(receipt, cx.out),
            Err(Rejection::Unauthorized) => error(cx.out, 404, "this code was used, is wrong or is too old"),
            Err(why) => error(cx.out, why.status(), &why.to_string()),
        }
    }
}
