"""Reads what channels send with the libraries that receivers use. Input and output are one JSON document each."""

import base64
import hashlib
import hmac
import json
import sys
import warnings

import http_ece
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View
from slack_sdk.socket_mode.response import SocketModeResponse


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def push(given):
    """A browser with this private key and secret: decrypts the body. Its push service: checks the token."""
    private = ec.derive_private_key(int.from_bytes(decoded(given["private"]), "big"), ec.SECP256R1())
    message = http_ece.decrypt(
        decoded(given["body"]), private_key=private, auth_secret=decoded(given["auth"]), version="aes128gcm"
    )
    scheme, _, rest = given["authorization"].partition(" ")
    assert scheme == "vapid", scheme
    fields = dict(field.strip().split("=", 1) for field in rest.split(","))
    signed, _, signature = fields["t"].rpartition(".")
    r, s = (int.from_bytes(half, "big") for half in (decoded(signature)[:32], decoded(signature)[32:]))
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(fields["k"]))
    public.verify(utils.encode_dss_signature(r, s), signed.encode(), ec.ECDSA(hashes.SHA256()))
    header, claims = (json.loads(decoded(part)) for part in signed.split("."))
    return {"message": json.loads(message), "header": header, "claims": claims, "key": fields["k"]}


def slack(given):
    """Parses and validates blocks, windows and acknowledgements. Returns them as the library writes them."""
    blocks = [[block.to_dict() for block in Block.parse_all(message)] for message in given["messages"]]
    views = []
    for window in given["views"]:
        view = View(**window)
        view.validate_json()
        views.append(view.to_dict())
    acks = [SocketModeResponse(envelope_id=name).to_dict() for name in given["envelopes"]]
    return {"messages": blocks, "views": views, "acks": acks}


def webhook(given):
    """Signs a post with the standard library alone."""
    secret = base64.b64decode(given["secret"])
    signed = f"{given['id']}.{given['timestamp']}.".encode() + decoded(given["body"])
    return "v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()


if __name__ == "__main__":
    # The library warns of members that it does not know.
    warnings.simplefilter("error")
    receiver = {"push": push, "slack": slack, "webhook": webhook}[sys.argv[1]]
    print(json.dumps(receiver(json.load(sys.stdin))))
