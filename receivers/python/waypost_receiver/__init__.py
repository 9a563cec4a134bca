"""Verifies webhook deliveries from Waypost and returns them as typed events."""

from .events import *  # noqa: F403
from .receiver import Ed25519Verifier, Receiver
from .verification_error import VerificationError, VerificationFailure
