import base64
import binascii
import hmac
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields as dataclass_fields
from typing import Any

from .events import EVENT_CLASSES, Event, UnknownEvent
from .verification_error import VerificationError, VerificationFailure

Ed25519Verifier = Callable[[bytes, bytes, bytes], bool]
"""Called with the public key (32 bytes), the signature (64 bytes) and the message."""

# A delivery is {"event":<event>,"signature":"<signature>"}, where <event> is the exact signed text.
_HEAD = b'{"event":'
_TAIL = re.compile(rb',"signature":"([A-Za-z0-9+/]{43}=)"\}')
_TAIL_LENGTH = 60


class Receiver:
    """Verifies deliveries with the keys of one webhook.

    At least one key is required. With keys for body and headers, both must be valid. In the headers, one match of a
    secret or public key is enough. Pass several keys during a rotation.
    """

    def __init__(
        self,
        *,
        private_keys: str | Iterable[str] = (),
        secrets: str | Iterable[str] = (),
        public_keys: str | Iterable[str] = (),
        verify_ed25519: Ed25519Verifier | None = None,
        tolerance_seconds: float = 300,
    ) -> None:
        self._private_keys = [key.encode() for key in _list_of("private_keys", private_keys)]
        self._secrets = [_decoded_key("whsec_", key) for key in _list_of("secrets", secrets)]
        self._public_keys = [_decoded_key("whpk_", key, 32) for key in _list_of("public_keys", public_keys)]
        if not (self._private_keys or self._secrets or self._public_keys):
            raise ValueError("Receiver requires private_keys of your account, or secrets or public_keys of the webhook.")
        if self._public_keys and verify_ed25519 is None:
            raise ValueError(
                "public_keys requires verify_ed25519: the standard library of Python cannot verify Ed25519 signatures."
            )
        self._verify_ed25519 = verify_ed25519
        self._tolerance_seconds = tolerance_seconds

    def verify(self, body: bytes, headers: Mapping[str, str], *, now: float | None = None) -> Event:
        """Returns the event of the raw body, or raises a VerificationError if the delivery is not authentic."""
        if not isinstance(body, bytes):
            raise TypeError("body must be the raw body as bytes.")
        if self._secrets or self._public_keys:
            self._check_headers(body, headers, time.time() if now is None else now)
        try:
            text = body.decode()
        except UnicodeDecodeError:
            raise _unreadable("is not UTF-8") from None
        fields = self._signed_event(body, text) if self._private_keys else _envelope(text)["event"]
        if not isinstance(fields, dict):
            raise _unreadable("has an event that is not an object")
        return _typed(fields)

    def _check_headers(self, body: bytes, headers: Mapping[str, str], now: float) -> None:
        id = _header(headers, "webhook-id")
        timestamp = _header(headers, "webhook-timestamp")
        signatures = _header(headers, "webhook-signature").split(" ")
        self._check_timestamp(timestamp, now)

        prefix = f"{id}.{timestamp}.".encode(errors="replace")
        for secret in self._secrets:
            expected = b"v1," + _hmac_sha256(secret, prefix, body)
            if any(hmac.compare_digest(expected, given.encode(errors="replace")) for given in signatures):
                return
        if self._public_keys and any(self._is_ed25519_signature(given, prefix + body) for given in signatures):
            return
        raise VerificationError(
            VerificationFailure.HEADER_SIGNATURE_WRONG,
            "No signature in webhook-signature matches the secret or the public key. Check that it is the key of this "
            "webhook, and that the body is the raw body: a reserialized body has another signature.",
        )

    def _check_timestamp(self, timestamp: str, now: float) -> None:
        if not (timestamp.isascii() and timestamp.isdigit()):
            message = "webhook-timestamp is not a Unix timestamp in seconds."
            raise VerificationError(VerificationFailure.TIMESTAMP_OUTSIDE_TOLERANCE, message)
        # float instead of int, which rejects more than 4,300 digits with a ValueError.
        age = now - float(timestamp)
        if abs(age) > self._tolerance_seconds:
            raise VerificationError(
                VerificationFailure.TIMESTAMP_OUTSIDE_TOLERANCE,
                f"webhook-timestamp is {abs(age):.0f} s in the {'past' if age > 0 else 'future'}, more than the "
                f"{self._tolerance_seconds} s allowed. Check the system clock. If it is correct, this is a replayed "
                "delivery.",
            )

    def _is_ed25519_signature(self, given: str, signed: bytes) -> bool:
        if self._verify_ed25519 is None or not given.startswith("v1a,"):
            return False
        try:
            signature = base64.b64decode(given[4:], validate=True)
        except ValueError:
            return False
        # Decoding ignores unused bits: other texts of the same bytes are not accepted.
        if len(signature) != 64 or base64.b64encode(signature).decode() != given[4:]:
            return False
        return any(self._verify_ed25519(key, signature, signed) for key in self._public_keys)

    def _signed_event(self, body: bytes, text: str) -> Any:
        tail = _TAIL.fullmatch(body, max(0, len(body) - _TAIL_LENGTH))
        if tail and body.startswith(_HEAD):
            signed = memoryview(body)[len(_HEAD) : -_TAIL_LENGTH]
            if any(hmac.compare_digest(_hmac_sha256(key, signed), tail[1]) for key in self._private_keys):
                return _parse(text[len(_HEAD) : -_TAIL_LENGTH])
        _envelope(text)
        raise VerificationError(
            VerificationFailure.BODY_SIGNATURE_WRONG,
            "The signature in the body does not match the private key. Check that it is the key of the partner that owns "
            "the webhook, and that the body was not modified.",
        )


def _list_of(name: str, keys: str | Iterable[str]) -> list[str]:
    """Rejects empty keys, often caused by unset environment variables: anyone could sign with an empty key."""
    found = [keys] if isinstance(keys, str) else list(keys)
    if not all(found):
        raise ValueError(f"{name} contains an empty key.")
    return found


def _decoded_key(prefix: str, key: str, length: int | None = None) -> bytes:
    try:
        decoded = base64.b64decode(key.removeprefix(prefix), validate=True)
    except binascii.Error:
        decoded = b""
    if not decoded or (length is not None and len(decoded) != length):
        size = "" if length is None else f" of {length} bytes"
        raise ValueError(f"A key of the webhook is not valid. It must have the form {prefix} followed by Base64{size}.")
    return decoded


def _hmac_sha256(key: bytes, *parts: bytes | memoryview) -> bytes:
    mac = hmac.new(key, digestmod="sha256")
    for part in parts:
        mac.update(part)
    return base64.b64encode(mac.digest())


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name) or next((value for key, value in headers.items() if key.lower() == name), "")
    if not value:
        raise VerificationError(VerificationFailure.HEADER_MISSING, f"The header {name} is missing.")
    return value


def _envelope(text: str) -> dict[str, Any]:
    envelope = _parse(text)
    if not isinstance(envelope, dict) or not {"event", "signature"} <= envelope.keys():
        raise _unreadable("has no event and signature")
    if not isinstance(envelope["signature"], str):
        raise _unreadable("has a signature that is not a string")
    return envelope


def _parse(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError):
        raise _unreadable("is not JSON") from None


def _reject_constant(name: str) -> None:
    """NaN and Infinity are not JSON."""
    raise ValueError(name)


def _unreadable(why: str) -> VerificationError:
    return VerificationError(
        VerificationFailure.BODY_UNREADABLE,
        f'The body {why}. A delivery has the form {{"event": {{…}}, "signature": "…"}}.',
    )


def _json_name(attribute: str) -> str:
    first, *others = attribute.rstrip("_").split("_")
    return first + "".join(map(str.capitalize, others))


_JSON_NAMES = {
    event_class: [(field.name, _json_name(field.name)) for field in dataclass_fields(event_class) if field.name != "raw"]
    for event_class in [UnknownEvent, *EVENT_CLASSES.values()]
}


def _typed(fields: dict[str, Any]) -> Event:
    event_type = fields.get("type")
    event_class = EVENT_CLASSES.get(event_type, UnknownEvent) if isinstance(event_type, str) else UnknownEvent
    return event_class(raw=fields, **{name: fields.get(json_name) for name, json_name in _JSON_NAMES[event_class]})
