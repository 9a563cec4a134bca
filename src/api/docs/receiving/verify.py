import base64, hashlib, hmac, json, os, sys


def verify(raw: bytes, private_key: str) -> dict:
    """Returns the event, or raises ValueError when the delivery is not genuine."""
    start, end = len(b'{"event":'), raw.rfind(b',"signature":')
    signed = raw[start:end]
    expected = base64.b64encode(hmac.new(private_key.encode(), signed, hashlib.sha256).digest())
    if not hmac.compare_digest(raw[end:], b',"signature":"' + expected + b'"}'):
        raise ValueError("not a delivery of Waypost")
    return json.loads(signed)


def verify_headers(raw: bytes, headers: dict, secret: str) -> None:
    """The same by the headers and the secret of the webhook. Also compare webhook-timestamp with the time."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    id, timestamp, signatures = ((headers.get(name) or "").encode(errors="replace") for name in names)
    expected = b"v1," + base64.b64encode(hmac.new(key, b".".join((id, timestamp, raw)), hashlib.sha256).digest())
    if not any(hmac.compare_digest(expected, one) for one in signatures.split(b" ")):
        raise ValueError("not a delivery of Waypost")


def canonical(event: dict) -> bytes:
    """Only where the raw body is out of reach: the text that was signed, written again."""
    return json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


if __name__ == "__main__":
    raw = sys.stdin.buffer.read()
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    verify_headers(raw, {name: os.environ.get(name.upper().replace("-", "_")) for name in names}, os.environ["SECRET"])
    event = verify(raw, os.environ["PRIVATE_KEY"])
    assert canonical(event) == raw[len(b'{"event":'):raw.rfind(b',"signature":')]
    print(event["type"], event["id"])
