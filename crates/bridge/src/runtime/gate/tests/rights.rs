//! Who has which right besides wishes, as a table: `rights.txt` beside this file.

use std::fmt::Write as _;
use std::sync::LazyLock;

use super::callers::Callers;
use super::house::{ADA, House, TargetSession, WHOSE, Whose};
use super::{Right, heading, outcome, reviewed};
use crate::auth::{TokenInfo, TokenRole};

const HEAD: &str = "\
Who has which right besides wishes. Made by the tests of the gate; `BLESS=1` rewrites it.

Columns and cells as in `table.txt`. Rows: a right, and whose session or ask it is about; a device or a channel is that of
`ada`, whose devices are in the columns, or that of `bob`.

";

/// Makes a right about the target session.
type Make = fn(&TargetSession) -> Right<'static>;

/// Every right has a line. A right without one does not compile.
macro_rules! every_right {
    ($($pattern:pat => $([$name:literal: $make:expr])+;)+) => {
        fn has_a_line(right: Right<'_>) {
            match right {
                $($pattern => {})+
            }
        }

        fn samples() -> Vec<(&'static str, Make)> {
            let samples: Vec<(&str, Make)> = vec![$($(($name, $make)),+),+];
            samples.iter().for_each(|(_, make)| has_a_line(make(&TargetSession::unknown(1))));
            samples
        }
    };
}

every_right! {
    Right::ReadSession(_) => ["read a session": |at| Right::ReadSession(at.session)];
    Right::ReadAsk(_) => ["read an ask": |at| Right::ReadAsk(at.ask)];
    Right::RecordIn(_) => ["record": |at| Right::RecordIn(at.session)];
    Right::WithdrawOnDisconnect(_) => ["withdraw on disconnect": |at| Right::WithdrawOnDisconnect(at.ask)];
    Right::DriveWorkflow(_) => ["drive a workflow": |at| Right::DriveWorkflow(at.session)];
    Right::ForgetWith(_) => ["forget with others": |at| Right::ForgetWith(at.session)];
    Right::Prune => ["prune": |_| Right::Prune];
    Right::ReportByHook => ["report by a hook": |_| Right::ReportByHook];
    Right::ListParked => ["list what is parked": |_| Right::ListParked];
    Right::ListSnoozes => ["list snoozes": |_| Right::ListSnoozes];
    Right::Remember => ["remember": |_| Right::Remember];
    Right::RememberDecisionOf(_) => ["remember a decision": |at| Right::RememberDecisionOf(at.ask)];
    Right::ListRemembered => ["list what is remembered": |_| Right::ListRemembered];
    Right::RevokeRemembered => ["revoke what is remembered": |_| Right::RevokeRemembered];
    Right::ShowRules => ["show rules": |_| Right::ShowRules];
    Right::ShowMetrics => ["show metrics": |_| Right::ShowMetrics];
    Right::ShowAway => ["show away": |_| Right::ShowAway];
    Right::ForgetNode => ["forget a node": |_| Right::ForgetNode];
    Right::ShowCluster => ["show cluster": |_| Right::ShowCluster];
    Right::SetAway => ["set away": |_| Right::SetAway];
    Right::ShowTaps => ["show taps": |_| Right::ShowTaps];
    Right::SwitchTaps => ["switch taps": |_| Right::SwitchTaps];
    Right::ListTokens => ["list tokens": |_| Right::ListTokens];
    Right::MakeToken => ["make a token": |_| Right::MakeToken];
    Right::RevokeToken => ["revoke a token": |_| Right::RevokeToken];
    Right::MakeCode => ["make a code": |_| Right::MakeCode];
    Right::KeepDevices => ["keep devices": |_| Right::KeepDevices];
    Right::KeepDevice(_) =>
        ["keep ada's device": |_| Right::KeepDevice(&DEVICES[0])]
        ["keep bob's device": |_| Right::KeepDevice(&DEVICES[1])]
        ["keep ada's machine": |_| Right::KeepDevice(&DEVICES[2])];
    Right::PairOwnDevice => ["pair one's own device": |_| Right::PairOwnDevice];
    Right::Disconnect => ["disconnect": |_| Right::Disconnect];
    Right::KeepChannels => ["keep channels": |_| Right::KeepChannels];
    Right::KeepChannelOf(_) =>
        ["keep ada's channel": |_| Right::KeepChannelOf(ADA)]
        ["keep bob's channel": |_| Right::KeepChannelOf("bob")];
    Right::ReachByProgram => ["reach by a program": |_| Right::ReachByProgram];
    Right::BrowseFolders => ["browse folders": |_| Right::BrowseFolders];
    Right::TryFolder => ["try a folder": |_| Right::TryFolder];
}

/// A device of each person, and a machine that one of them connected.
static DEVICES: LazyLock<[TokenInfo; 3]> = LazyLock::new(|| {
    let device = |name: &str, device: &str, role, by: Option<&str>| TokenInfo {
        id: name.to_owned(),
        name: name.into(),
        device: device.into(),
        role,
        made_at: 0,
        connected_by: by.map(Into::into),
    };
    let machine = device("laptop", "machine", TokenRole::Agent, Some(ADA));
    [device(ADA, "phone", TokenRole::Person, None), device("bob", "phone", TokenRole::Person, None), machine]
});

#[tokio::test]
async fn the_table_of_who_has_which_right_is_as_it_was_reviewed() {
    let house = House::open().await;
    let callers = Callers::of(&house.app).await;
    let mut text = format!("{HEAD}{}", heading(&callers));
    for (name, make) in samples() {
        let of = |number| format!("{:?}", make(&TargetSession::unknown(number)));
        let is_about_a_session = of(1) != of(2);
        for whose in if is_about_a_session { &WHOSE[..] } else { &[Whose::Own] } {
            let mut line = format!("{name:26}{:9}", if is_about_a_session { whose.name() } else { "-" });
            for (_, caller) in &callers.0 {
                let target = house.target(*whose, caller).await;
                let checked = house.app.handle.check(caller, make(&target));
                write!(line, " {:8}", outcome(&checked)).unwrap();
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    reviewed("rights.txt", &text);
    house.close().await;
}
