//! The command line, and the order of steps that all ways share.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use askbridge_config::Config;

use super::finish::{Finish, finish};
use super::plan::Plan;
use super::proxy::Proxy;
use super::record::Record;
use super::{acme, change, lan, look, off, proxy, tailscale};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell};
use crate::settings::{CommandLine, Settings, look_up};

const EXAMPLES: &str = "\
Examples:
  askbridge expose                                what there is here, and what to type
  askbridge expose tailscale                      for your own devices, with nothing open to the internet
  askbridge expose acme --name ask.example.org    a name that leads to this machine, with a certificate
  askbridge expose acme --address 203.0.113.7     a machine with a public address and no name
  askbridge expose lan                            your own network, with an authority of its own
  askbridge expose proxy nginx --name ask.example.org
  askbridge expose off                            undo it

With --dry-run nothing is done, and what would be is shown. Otherwise it ends with a code that pairs your phone, after a
request to the address itself has reached this server.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    way: Option<Way>,
    /// Show what would be done, and do nothing
    #[arg(long, global = true)]
    dry_run: bool,
    /// Do not wait until the address answers
    #[arg(long, global = true)]
    no_wait: bool,
    /// Do not make a link for a phone at the end
    #[arg(long, global = true)]
    no_pair: bool,
    /// Vouch that a person runs this, where there is no terminal
    #[arg(long, global = true)]
    yes_i_am_a_person: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Way {
    /// A certificate of Let's Encrypt, or of another ACME server, for a name or an address that leads here
    Acme(AcmeArgs),
    /// Tailscale: your own devices reach it, with a certificate of Tailscale's
    Tailscale(TailscaleArgs),
    /// Your own network, with a small authority of its own that your devices install
    Lan(LanArgs),
    /// A proxy that you run: shows its configuration, and lets askbridge know that it is there
    Proxy(ProxyArgs),
    /// Undo it: the settings are as they were before
    Off,
}

#[derive(Debug, clap::Args)]
pub(super) struct AcmeArgs {
    /// A name that leads to this machine; several may be given
    #[arg(long, value_name = "NAME", required_unless_present = "address")]
    pub(super) name: Vec<String>,
    /// A public address of this machine, instead of a name
    #[arg(long, value_name = "IP", conflicts_with = "name")]
    pub(super) address: Option<IpAddr>,
    /// Accept the terms of service of the ACME server
    #[arg(long)]
    pub(super) accept_terms: bool,
    /// Try it out with Let's Encrypt's server for that, whose certificates no device trusts
    #[arg(long, conflicts_with = "directory")]
    pub(super) staging: bool,
    /// Another ACME server
    #[arg(long, value_name = "URL")]
    pub(super) directory: Option<String>,
    /// A PEM file with the authority of that server's own address
    #[arg(long, value_name = "FILE", requires = "directory")]
    pub(super) directory_authority: Option<PathBuf>,
    /// A kind of certificate that it offers [default: shortlived for an address]
    #[arg(long, value_name = "WORD")]
    pub(super) profile: Option<String>,
    /// How to show that the name leads here; http-01 where only port 80 is free
    #[arg(long, value_enum, default_value = "tls-alpn-01")]
    pub(super) challenge: Challenge,
    /// Where to serve https
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0:443")]
    pub(super) https: SocketAddr,
    /// Where to redirect plain http to https [default: 0.0.0.0:80, if that is free]
    #[arg(long, value_name = "ADDRESS")]
    pub(super) http: Option<SocketAddr>,
    /// Where people open it, if a router forwards another port than that of --https
    #[arg(long, value_name = "PORT")]
    pub(super) public_port: Option<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Challenge {
    /// A handshake on port 443
    #[value(name = "tls-alpn-01")]
    TlsAlpn01,
    /// Plain http on port 80
    #[value(name = "http-01")]
    Http01,
}

#[derive(Debug, clap::Args)]
pub(super) struct TailscaleArgs {
    /// Serve https ourselves, with Tailscale's certificate, instead of through `tailscale serve`
    #[arg(long)]
    pub(super) certificate: bool,
    /// Where to serve https then [default: port 443 of the address in the tailnet]
    #[arg(long, value_name = "ADDRESS", requires = "certificate")]
    pub(super) https: Option<SocketAddr>,
}

#[derive(Debug, clap::Args)]
pub(super) struct LanArgs {
    /// A name of this machine in your network; several may be given [default: its own name and .local]
    #[arg(long, value_name = "NAME")]
    pub(super) name: Vec<String>,
    /// An address of this machine in your network; several may be given [default: the one that the network sees]
    #[arg(long, value_name = "IP")]
    pub(super) address: Vec<IpAddr>,
    /// Where to serve https
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0:8443")]
    pub(super) https: SocketAddr,
    /// Make a new authority, which every device has to install, even if there is one
    #[arg(long)]
    pub(super) anew: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct ProxyArgs {
    /// The proxy
    #[arg(value_enum)]
    pub(super) proxy: Proxy,
    /// The name under which people open it
    #[arg(long, value_name = "NAME")]
    pub(super) name: String,
    /// The port on which the proxy listens
    #[arg(long, value_name = "PORT", default_value_t = 443)]
    pub(super) port: u16,
}

pub(crate) async fn run(line: &CommandLine, settings: &Settings, args: Args) -> Result<Exit, Failure> {
    let config = look_up(line);
    let record = Record::read(settings);
    let plan = match &args.way {
        None => return look::run(settings, record.as_ref()).await,
        Some(Way::Off) => return off::run(settings, record, args.dry_run).await,
        Some(Way::Acme(way)) => acme::plan(settings, way).await?,
        Some(Way::Tailscale(way)) => tailscale::plan(settings, way).await?,
        Some(Way::Lan(way)) => lan::plan(settings, way).await?,
        Some(Way::Proxy(way)) => proxy::plan(settings, way)?,
    };
    change::look_ahead(&config, &plan, record.as_ref())?;
    for line in &plan.shows {
        print(line)?;
    }
    if args.dry_run {
        for step in &plan.steps {
            tell(&format!("would {step}"));
        }
        return show_change(&config, settings, &plan, record.as_ref());
    }
    match &args.way {
        Some(Way::Acme(way)) => acme::carry_out(settings, way, &plan, record.as_ref()).await?,
        Some(Way::Tailscale(way)) => tailscale::carry_out(settings, way).await?,
        Some(Way::Lan(way)) => lan::carry_out(settings, way)?,
        Some(Way::Proxy(_) | Way::Off) | None => {}
    }
    let changed = change::write(&config, settings, &plan, record.as_ref())?;
    for line in &plan.notes {
        tell(line);
    }
    let finishing =
        Finish { changed, wait: !args.no_wait, pair: !args.no_pair, vouched: args.yes_i_am_a_person, config: &config };
    finish(settings, &plan, finishing).await
}

fn show_change(config: &Config, settings: &Settings, plan: &Plan, record: Option<&Record>) -> Result<Exit, Failure> {
    let diff = change::diff(config, settings, plan, record)?;
    print(&if diff.is_empty() { "nothing to change in the settings".to_owned() } else { diff })?;
    tell(&format!("people would open {}", plan.url));
    Ok(Exit::Good)
}
