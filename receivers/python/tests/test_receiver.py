import base64
import hmac
import json
import sys
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]

from ed25519 import verify_ed25519  # noqa: E402
from waypost_receiver import (  # noqa: E402
    ListingDatapointCheckEvent,
    ListingUpdateEvent,
    LocationStatusChangedEvent,
    Receiver,
    VerificationError,
    VerificationFailure,
)

VECTORS = json.loads((FOLDER.parent.parent / "vectors.json").read_text("utf-8"))["vectors"]


def verify(vector):
    keys = vector["keys"]
    receiver = Receiver(
        private_keys=keys["privateKeys"],
        secrets=keys["secrets"],
        public_keys=keys["publicKeys"],
        verify_ed25519=verify_ed25519,
        tolerance_seconds=vector["toleranceSeconds"],
    )
    return receiver.verify(base64.b64decode(vector["bodyBase64"]), vector["headers"], now=vector["now"])


def vector(name):
    return next(vector for vector in VECTORS if vector["name"] == name)


class Vectors(unittest.TestCase):
    def test_vectors(self):
        self.assertGreater(len(VECTORS), 50)
        for vector in VECTORS:
            expected = vector["expected"]
            with self.subTest(vector["name"]):
                if "error" in expected:
                    with self.assertRaises(VerificationError) as raised:
                        verify(vector)
                    self.assertEqual(raised.exception.code, expected["error"])
                else:
                    event = verify(vector)
                    self.assertEqual(type(event).__name__, expected["class"])
                    self.assertEqual({name: str(event.raw[name]) for name in expected["fields"]}, expected["fields"])


class TypedEvents(unittest.TestCase):
    def test_fields(self):
        event = verify(vector("event type LISTING_DATAPOINT_CHECK"))
        self.assertIsInstance(event, ListingDatapointCheckEvent)
        self.assertEqual(event.id, 184467)
        self.assertEqual(event.sales_partner_identifier, "hansekontor")
        self.assertEqual(event.new_reviews_found, event.raw["newReviewsFound"])
        self.assertEqual(event.new_data_point_ids, event.raw["newDataPointIds"])
        self.assertIs(event.new_datapoints_found, True)

    def test_keyword_and_unknown_value(self):
        event = verify(vector("unknown status value"))
        self.assertIsInstance(event, LocationStatusChangedEvent)
        self.assertEqual((event.from_, event.to), ("ACTIVE", "MOVED"))

    def test_null_and_absent_fields(self):
        event = verify(vector("event type LISTING_UPDATE"))
        self.assertIsInstance(event, ListingUpdateEvent)
        self.assertEqual(event.update_status, event.raw["updateStatus"])
        signed = b'{"type":"LISTING_UPDATE","updateStatus":null}'
        signature = base64.b64encode(hmac.digest(b"key", signed, "sha256"))
        body = b'{"event":' + signed + b',"signature":"' + signature + b'"}'
        self.assertIsNone(Receiver(private_keys="key").verify(body, {}).update_status)


class Arguments(unittest.TestCase):
    def test_keys_are_required_and_not_empty(self):
        for keys in [{}, {"private_keys": ""}, {"secrets": ["whsec_", "x"]}, {"secrets": "whsec_"}, {"secrets": "whsec_§"}]:
            with self.subTest(keys), self.assertRaises(ValueError):
                Receiver(**keys)

    def test_public_keys_require_a_function(self):
        [public_key] = vector("v1a")["keys"]["publicKeys"]
        with self.assertRaisesRegex(ValueError, "verify_ed25519"):
            Receiver(public_keys=public_key)
        with self.assertRaisesRegex(ValueError, "32 bytes"):
            Receiver(public_keys="whpk_AAAA", verify_ed25519=verify_ed25519)

    def test_parsed_body(self):
        with self.assertRaisesRegex(TypeError, "raw body"):
            Receiver(private_keys="key").verify({"event": {}}, {})

    def test_deeply_nested_body(self):
        with self.assertRaises(VerificationError) as raised:
            Receiver(private_keys="key").verify(b'{"event":' + b"[" * 200_000, {})
        self.assertEqual(raised.exception.code, VerificationFailure.BODY_UNREADABLE)

    def test_messages_contain_no_key(self):
        wrong = vector("wrong private key")
        with self.assertRaises(VerificationError) as raised:
            verify(wrong)
        self.assertNotIn(wrong["keys"]["privateKeys"][0], str(raised.exception))


if __name__ == "__main__":
    unittest.main()
