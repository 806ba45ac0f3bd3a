//! A request that is held open until somebody answers, as a hook's is: whoever hangs up is missed.

use askbridge_core::ask::Reach;
use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, Timestamp};
use askbridge_core::terms::Wishes;
use askbridge_peers::doors::http::{self, Asking};
use askbridge_peers::listing::{Greeting, Listing, Login, Route, RouteKind, Served};
use askbridge_peers::peer::{Cx, Frame, Garbled, Peer, Resp, Tag};
use askbridge_peers::told::Told;
use askbridge_peers::wish::{AskRef, AskWish, Receipt, Rejection, Watch, Wish};
use serde_json::{Value, json};

use crate::kit::House;

/// Asks with one request, and answers it when the ask is settled.
#[derive(Default)]
struct Held {
    ask: Option<AskId>,
    gone: bool,
}

const ASKING: Tag = Tag(1);

const ROW: Listing = Listing {
    name: "held",
    routes: &[Route { method: "POST", path: "/held", kind: RouteKind::Request }],
    login: Login::Bearer,
    served: Served::Always,
    wishes: Wishes::default,
    hosted: false,
    greet: Some(|_| Greeting::Open(Box::new(Held::default()))),
};

impl Peer for Held {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        match (frame, self.ask) {
            (Frame::Request(req), _) => {
                let body = std::str::from_utf8(req.body).expect("the test sends text");
                let wish = http::ask(body, &Asking::default()).expect("the test sends an ask");
                cx.out.watches.push(Watch::Inbox { after: None });
                cx.out.wishes.push((ASKING, Wish::Ask(Box::new(AskWish { reach: Reach::Held, ..wish }))));
            }
            (Frame::Close(..), ask) => {
                self.gone = true;
                cx.out.wishes.extend(ask.map(strand));
            }
            _ => {}
        }
        Ok(())
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        let Told::Event(happened) = told else { return };
        if let (Event::Settled(settled), Some(ask)) = (&*happened.event, self.ask)
            && settled.ask == ask
        {
            let body = format!("{:?}", settled.verdict.words).into();
            let content_type = "application/json";
            cx.out.frames.push(Frame::Response(Resp { status: 200, content_type, headers: vec![], body, open: false }));
        }
    }

    fn reply(&mut self, tag: Tag, ruling: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        let receipt = ruling.expect("the test's wishes are granted");
        if tag == ASKING {
            self.ask = receipt.ask;
            cx.out.wishes.extend(receipt.ask.filter(|_| self.gone).map(strand));
        }
    }

    fn wake(&mut self, _: &mut Cx<'_>) -> Option<Timestamp> {
        None
    }
}

fn strand(ask: AskId) -> (Tag, Wish) {
    (Tag(2), Wish::Strand { ask: AskRef::Id(ask) })
}

fn is_asked(frame: &Value) -> bool {
    frame["event"]["type"] == "asked"
}

#[tokio::test]
async fn a_held_request_is_answered_when_somebody_decides() {
    let house = House::open_with(&[ROW]).await;
    let (ada, ci) = (house.person("ada").await, house.agent("ci").await);
    let mut native = house.native(&ada).await;
    let body = json!({"question": "Go on?"});
    let asking = house.post("/held", &ci, &body);
    let deciding = async {
        let asked = native.hear("the ask", is_asked).await;
        let ask = &asked["event"]["ask"]["id"];
        native.say(&json!({"type": "dismiss", "tag": 1, "ask": ask, "words": "no"}).to_string()).await;
    };
    let ((status, words), ()) = tokio::join!(asking, deciding);
    assert_eq!((status, words), (200, json!("The person closed the question without choosing, and wrote: no")));
    house.close().await;
}

#[tokio::test]
async fn a_client_that_hangs_up_on_a_held_request_strands_its_ask() {
    let house = House::open_with(&[ROW]).await;
    let (ada, ci) = (house.person("ada").await, house.agent("ci").await);
    let mut native = house.native(&ada).await;
    let body = json!({"question": "Go on?"});
    tokio::select! {
        _ = house.post("/held", &ci, &body) => panic!("nobody answered"),
        _ = native.hear("the ask", is_asked) => {}
    }
    native.hear("that the way back is gone", |frame| frame["event"]["type"] == "stranded").await;
    house.close().await;
}
