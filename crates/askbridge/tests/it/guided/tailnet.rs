//! The guide's lines for Tailscale, with a stand-in for `tailscale`: it is in no package registry, and a real one needs an
//! account.

use crate::bridge::TestBridge;
use crate::nginx::{Nginx, free_port};
use crate::proxied::{everything_works, other_hosts_are_refused};

use super::page::{assert_says, block_with, steps};
use super::reader::Reader;

const GUIDE: &str = include_str!("../../../../../docs/guides/proxy.md");
const NAME: &str = "desk.tail1234.ts.net";

/// What `tailscale serve` does with a request: it ends TLS, keeps the `Host`, and says for whom it passes it on.
const SERVE: &str = "
map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
server {
    listen 443 ssl;
    ssl_certificate /etc/letsencrypt/live/ask.example.org/fullchain.pem;
    ssl_certificate_key /etc/letsencrypt/live/ask.example.org/privkey.pem;
    location / {
        proxy_pass http://127.0.0.1:4760;
        proxy_http_version 1.1;
        proxy_set_header Host $host;
        proxy_set_header X-Forwarded-Host $host;
        proxy_set_header X-Forwarded-Proto https;
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header Tailscale-User-Login ada@example.org;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection $connection_upgrade;
        proxy_buffering off;
    }
}
";

#[tokio::test(flavor = "multi_thread")]
async fn the_lines_for_tailscale_work_with_a_stand_in_that_proxies_as_tailscale_serve_does() {
    let reader = Reader::at(TestBridge::stopped());
    let public = format!("https://{NAME}");
    reader.stand_in("tailscale", &format!("[ \"$1 $2\" = 'serve --bg' ] && echo '{public}/'"));
    let steps = steps(&block_with(GUIDE, "tailscale serve"));
    let [serve, start] = &steps[..] else { panic!("{steps:?}") };
    let served = reader.types(&serve.command);
    assert_says(&serve.output, served.good());
    let typed = reader.typed();
    let port = typed.trim().strip_prefix("tailscale serve --bg ").expect("it names a port");
    assert_eq!(port, "4760", "the port that askbridge listens on by default");

    let listen = format!("127.0.0.1:{}", free_port());
    let server = reader.begins(&format!("export ASKBRIDGE_LISTEN={listen}\nexec {}", start.command));
    server.prints(&format!("{public}/"));
    let tailscale = Nginx::start_for(NAME, &listen, free_port(), SERVE);
    everything_works(&reader.bridge, &tailscale.https, &public).await;
    other_hosts_are_refused(&reader.bridge, &tailscale.https);
}
