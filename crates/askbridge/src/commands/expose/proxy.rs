//! `askbridge expose proxy`: the configuration of a proxy that you run, with your name and your port in it.

use super::args::ProxyArgs;
use super::plan::{Plan, https};
use crate::failure::Failure;
use crate::settings::Settings;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Proxy {
    Nginx,
    Caddy,
    /// A named tunnel of Cloudflare's `cloudflared`
    Cloudflare,
}

const NGINX: &str = include_str!("snippets/nginx.conf");
const CADDY: &str = include_str!("snippets/Caddyfile");
const CLOUDFLARE: &str = include_str!("snippets/cloudflared.yml");

pub(super) fn plan(settings: &Settings, args: &ProxyArgs) -> Result<Plan, Failure> {
    let name = args.name.trim().to_ascii_lowercase();
    // It becomes a part of a configuration, and of our own settings.
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte)) {
        let what = format!("`{}` is not a host name", args.name);
        return Err(Failure::usage(what).hint("write it like `ask.example.org`, without `https://`"));
    }
    let mut plan = Plan::new("proxy", https(&name, args.port));
    // What it passes on comes from this machine, and is not.
    plan.set("", "behind_proxy", true);
    plan.shows.push(snippet(args.proxy, &name, args.port, settings.served_address().port()));
    plan.notes.push(match args.proxy {
        Proxy::Nginx => {
            "put this into /etc/nginx/conf.d/askbridge.conf, with your certificate, and `sudo nginx -s reload`"
                .to_owned()
        }
        Proxy::Caddy => "put this into /etc/caddy/Caddyfile, and `sudo systemctl reload caddy`".to_owned(),
        Proxy::Cloudflare => "`cloudflared tunnel login` and `cloudflared tunnel create askbridge`; put this into \
             ~/.cloudflared/config.yml, with the id and the file that it printed; then `cloudflared tunnel route dns \
             askbridge NAME` and `cloudflared tunnel run askbridge`. Cloudflare can read what passes: it ends the \
             encryption"
            .replace("NAME", &name),
    });
    Ok(plan)
}

/// The configuration for this name, on this port of the proxy, in front of this port of ours.
fn snippet(proxy: Proxy, name: &str, port: u16, ours: u16) -> String {
    let template = match proxy {
        Proxy::Nginx => NGINX,
        Proxy::Caddy => CADDY,
        Proxy::Cloudflare => CLOUDFLARE,
    };
    let text = template.replace("127.0.0.1:4760", &format!("127.0.0.1:{ours}"));
    let text = match (proxy, port) {
        (_, 443) => text,
        (Proxy::Nginx, port) => text
            .replace("listen 443 ssl;", &format!("listen {port} ssl;"))
            .replace("https://$host$request_uri", &format!("https://$host:{port}$request_uri")),
        (Proxy::Caddy, port) => text.replace("ask.example.org {", &format!("ask.example.org:{port} {{")),
        (Proxy::Cloudflare, _) => text,
    };
    text.replace("ask.example.org", name).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUIDE: &str = include_str!("../../../../../docs/guides/proxy.md");

    #[test]
    fn what_is_shown_is_what_the_guide_shows_with_the_persons_name_and_ports() {
        for template in [NGINX, CADDY] {
            assert!(GUIDE.contains(template.trim_end()), "{template}");
        }
        let nginx = snippet(Proxy::Nginx, "a.example", 8443, 4801);
        for line in ["listen 8443 ssl;", "server_name a.example;", "proxy_pass http://127.0.0.1:4801;"] {
            assert!(nginx.contains(line), "{nginx}");
        }
        assert!(nginx.contains("return 301 https://$host:8443$request_uri;"), "{nginx}");
        let caddy = snippet(Proxy::Caddy, "a.example", 8443, 4801);
        assert!(caddy.starts_with("a.example:8443 {\n    reverse_proxy 127.0.0.1:4801"), "{caddy}");
        let cloudflare = snippet(Proxy::Cloudflare, "a.example", 443, 4801);
        assert!(cloudflare.contains("hostname: a.example\n    service: http://127.0.0.1:4801"), "{cloudflare}");
    }
}
