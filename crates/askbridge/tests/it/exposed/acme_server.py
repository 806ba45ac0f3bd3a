"""An ACME server for one order of one address: python3 acme_server.py PORT LOOKS_AT PROFILES, in a folder with its own
certificate. Each request has to carry a nonce of ours, once, and the address that it was sent to, signed by one key."""

import base64, hashlib, http.server, json, os, ssl, subprocess, sys

PORT, LOOKS_AT, PROFILES = int(sys.argv[1]), sys.argv[2], sys.argv[3].split(",")
BASE = f"https://localhost:{PORT}"
TOKEN = "a-token-of-forty-three-characters-aaaaaaaaa"
nonces, order = set(), {"status": "pending", "jwk": None}


def openssl(*arguments, text=None):
    return subprocess.run(["openssl", *arguments], input=text, capture_output=True, timeout=20)


def data(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encoded(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def say(text):
    print(text, file=sys.stderr, flush=True)


def is_signed(jwk, body):
    """ES256 over the two parts: OpenSSL wants the key and the signature in DER form."""
    point = b"\x04" + data(jwk["x"]) + data(jwk["y"])
    head = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200")
    number = lambda raw: (lambda raw: b"\x02" + bytes([len(raw)]) + raw)(
        (b"\0" if raw.lstrip(b"\0")[:1] >= b"\x80" else b"") + raw.lstrip(b"\0")
    )
    signature = data(body["signature"])
    pair = number(signature[:32]) + number(signature[32:])
    open("jws.key", "wb").write(head + point)
    open("jws.sig", "wb").write(b"\x30" + bytes([len(pair)]) + pair)
    signed = f"{body['protected']}.{body['payload']}".encode()
    return openssl("dgst", "-sha256", "-verify", "jws.key", "-keyform", "DER", "-signature", "jws.sig", text=signed).returncode == 0


def look():
    """TLS-ALPN-01 for an address: RFC 8737 and RFC 8738."""
    name = "1.0.0.127.in-addr.arpa"
    seen = openssl("s_client", "-connect", f"127.0.0.1:{LOOKS_AT}", "-alpn", "acme-tls/1", "-servername", name, text=b"")
    if b"ALPN protocol: acme-tls/1" not in seen.stdout:
        return say(f"no handshake: {seen.stdout[-300:]!r} {seen.stderr[-300:]!r}")
    shown = openssl("x509", "-noout", "-text", "-ext", "subjectAltName", text=seen.stdout).stdout.decode()
    thumb = json.dumps({key: order["jwk"][key] for key in ("crv", "kty", "x", "y")}, separators=(",", ":"), sort_keys=True)
    proof = f"{TOKEN}.{encoded(hashlib.sha256(thumb.encode()).digest())}"
    digest = hashlib.sha256(proof.encode()).hexdigest()
    der = openssl("x509", "-outform", "DER", text=seen.stdout).stdout
    # The extension, critical, with the digest as an octet string in an octet string.
    wanted = bytes.fromhex("06082b0601050507011f" + "0101ff" + "0422" + "0420" + digest)
    if wanted not in der or "IP Address:127.0.0.1" not in shown:
        return say(f"no proof: {shown}")
    order["status"] = "ready"
    say(f"proved 127.0.0.1 as {name} for profile {order['profile']}")


def issue(request):
    open("request.der", "wb").write(request)
    openssl("req", "-inform", "DER", "-in", "request.der", "-out", "request.pem")
    # OpenSSL refuses a signer whose key it did not make by default; the issuer is one of its own.
    open("issued.ext", "w").write("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n")
    openssl("x509", "-req", "-in", "request.pem", "-CA", "issuer.pem", "-CAkey", "issuer.key", "-CAcreateserial",
            "-days", "6", "-extfile", "issued.ext", "-out", "issued.pem")
    order["status"] = "valid"


class Acme(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", **headers):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        nonce = encoded(os.urandom(16))
        nonces.add(nonce)
        for name, value in {"Replay-Nonce": nonce, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, kind, why):
        self.answer(400, {"type": f"urn:ietf:params:acme:error:{kind}", "detail": why})

    def do_HEAD(self):
        self.answer(200)

    def do_GET(self):
        self.answer(200, {
            "newNonce": f"{BASE}/nonce", "newAccount": f"{BASE}/account", "newOrder": f"{BASE}/order",
            "meta": {"termsOfService": f"{BASE}/terms", "profiles": {name: "" for name in PROFILES}},
        })

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        head = json.loads(data(body["protected"]))
        payload = json.loads(data(body["payload"])) if body["payload"] else None
        if head["nonce"] not in nonces:
            return self.refuse("badNonce", "this nonce is not one of ours")
        nonces.discard(head["nonce"])
        if head["url"] != BASE + self.path:
            return self.refuse("unauthorized", "this was signed for another address")
        order["jwk"] = head.get("jwk") or order["jwk"]
        if not is_signed(order["jwk"], body):
            return self.refuse("malformed", "the signature is wrong")
        getattr(self, self.path.strip("/").split("/")[0])(payload)

    def account(self, payload):
        if payload.get("termsOfServiceAgreed") is not True:
            return self.refuse("userActionRequired", "accept the terms")
        self.answer(201, {"status": "valid"}, Location=f"{BASE}/accounts/1")

    def shown(self):
        shown = {"status": order["status"], "authorizations": [f"{BASE}/authorization"], "finalize": f"{BASE}/finalize"}
        return {**shown, **({"certificate": f"{BASE}/certificate"} if order["status"] == "valid" else {})}

    def order(self, payload):
        if payload is not None:
            if payload["identifiers"] != [{"type": "ip", "value": "127.0.0.1"}] or payload.get("profile") not in PROFILES:
                return self.refuse("rejectedIdentifier", f"not this: {payload}")
            order["profile"] = payload["profile"]
            return self.answer(201, self.shown(), Location=f"{BASE}/order/1")
        self.answer(200, self.shown())

    def challenge_json(self):
        status = "pending" if order["status"] == "pending" else "valid"
        return {"type": "tls-alpn-01", "url": f"{BASE}/challenge", "token": TOKEN, "status": status}

    def authorization(self, _):
        challenge = self.challenge_json()
        identifier = {"type": "ip", "value": "127.0.0.1"}
        self.answer(200, {"identifier": identifier, "status": challenge["status"], "challenges": [challenge]})

    def challenge(self, _):
        self.answer(200, self.challenge_json())
        look()

    def finalize(self, payload):
        issue(data(payload["csr"]))
        self.answer(200, self.shown())

    def certificate(self, _):
        self.answer(200, open("issued.pem", "rb").read())

    def log_message(self, *_):
        pass


openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "issuer.key", "-out",
        "issuer.pem", "-days", "2", "-subj", "/CN=issuer")
server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Acme)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("fullchain.pem", "privkey.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
