package waypost.receiver;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import waypost.receiver.VerificationException.Failure;

/**
 * Verifies deliveries with the keys of one webhook. Safe for use by several threads.
 *
 * <p>At least one key is required. With keys for body and headers, both must be valid. In the headers, one match of a
 * secret or public key is enough. Add several keys during a rotation.
 */
public final class Receiver {
    // A delivery is {"event":<event>,"signature":"<signature>"}, where <event> is the exact signed text.
    private static final String HEAD = "{\"event\":";
    private static final Pattern TAIL = Pattern.compile(",\"signature\":\"([A-Za-z0-9+/]{43}=)\"\\}");
    private static final int TAIL_LENGTH = 60;
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");
    /** RFC 8410: the algorithm Ed25519, followed by the 32 bytes of the key. */
    private static final byte[] ED25519_PREFIX = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};

    private final List<SecretKeySpec> privateKeys;
    private final List<SecretKeySpec> secrets;
    private final List<PublicKey> publicKeys;
    private final Duration tolerance;
    private final Clock clock;

    private Receiver(Builder builder) {
        privateKeys = List.copyOf(builder.privateKeys);
        secrets = List.copyOf(builder.secrets);
        publicKeys = List.copyOf(builder.publicKeys);
        tolerance = builder.tolerance;
        clock = builder.clock;
        if (privateKeys.isEmpty() && secrets.isEmpty() && publicKeys.isEmpty()) {
            throw new IllegalArgumentException(
                    "Receiver requires a private key of your account, or a secret or public key of the webhook.");
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Methods throw an IllegalArgumentException if a key is empty or invalid. */
    public static final class Builder {
        private final List<SecretKeySpec> privateKeys = new ArrayList<>();
        private final List<SecretKeySpec> secrets = new ArrayList<>();
        private final List<PublicKey> publicKeys = new ArrayList<>();
        private Duration tolerance = Duration.ofMinutes(5);
        private Clock clock = Clock.systemUTC();

        private Builder() {}

        /** Private key of the partner, for the signature in the body. */
        public Builder privateKey(String key) {
            privateKeys.add(hmacKey(key == null ? new byte[0] : key.getBytes(StandardCharsets.UTF_8), "private key"));
            return this;
        }

        /** Secret of the webhook (whsec_…), for v1 signatures in the headers and the age of the delivery. */
        public Builder secret(String secret) {
            secrets.add(hmacKey(decodedKey("whsec_", secret), "secret"));
            return this;
        }

        /** Public key of the webhook (whpk_…), for v1a signatures in the headers and the age of the delivery. */
        public Builder publicKey(String key) {
            publicKeys.add(ed25519Key(decodedKey("whpk_", key)));
            return this;
        }

        /** Maximum difference between webhook-timestamp and now, in either direction. Default: 5 minutes. */
        public Builder tolerance(Duration maximum) {
            tolerance = maximum;
            return this;
        }

        /** For tests. */
        public Builder clock(Clock source) {
            clock = source;
            return this;
        }

        public Receiver build() {
            return new Receiver(this);
        }
    }

    /**
     * Returns the event of the raw body.
     *
     * @param headers returns the value of a header, or null: {@code request::getHeader} of a servlet, or {@code
     *     exchange.getRequestHeaders()::getFirst}
     * @throws VerificationException if the delivery is not authentic
     */
    public WaypostEvent verify(byte[] body, Function<String, String> headers) throws VerificationException {
        if (!secrets.isEmpty() || !publicKeys.isEmpty()) checkHeaders(body, headers);
        String text = decode(body);
        Object event = privateKeys.isEmpty() ? envelope(text).get("event") : signedEvent(body, text);
        if (!(event instanceof Map<?, ?> members)) throw unreadable("has an event that is not an object");
        @SuppressWarnings("unchecked")
        Map<String, Object> fields = (Map<String, Object>) members;
        return typed(fields);
    }

    private void checkHeaders(byte[] body, Function<String, String> headers) throws VerificationException {
        String id = header(headers, "webhook-id");
        String timestamp = header(headers, "webhook-timestamp");
        String[] signatures = header(headers, "webhook-signature").split(" ");
        checkTimestamp(timestamp);

        byte[] prefix = (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8);
        for (SecretKeySpec secret : secrets) {
            String expected = "v1," + hmac(secret, prefix, body);
            for (String given : signatures) {
                if (isSame(expected, given)) return;
            }
        }
        for (String given : signatures) {
            if (given.startsWith("v1a,") && isSignedWithPublicKey(given.substring(4), prefix, body)) return;
        }
        throw new VerificationException(
                Failure.HEADER_SIGNATURE_WRONG,
                "No signature in webhook-signature matches the secret or the public key. Check that it is the key of this "
                        + "webhook, and that the body is the raw body: a reserialized body has another signature.");
    }

    private void checkTimestamp(String timestamp) throws VerificationException {
        if (!DIGITS.matcher(timestamp).matches()) {
            throw new VerificationException(
                    Failure.TIMESTAMP_OUTSIDE_TOLERANCE, "webhook-timestamp is not a Unix timestamp in seconds.");
        }
        Instant now = clock.instant();
        double age = now.getEpochSecond() + now.getNano() / 1e9 - Double.parseDouble(timestamp);
        if (Math.abs(age) <= tolerance.toMillis() / 1e3) return;
        throw new VerificationException(
                Failure.TIMESTAMP_OUTSIDE_TOLERANCE,
                String.format(
                        "webhook-timestamp is %.0f s in the %s, more than the %d s allowed. Check the system clock. If it is "
                                + "correct, this is a replayed delivery.",
                        Math.abs(age), age > 0 ? "past" : "future", tolerance.toSeconds()));
    }

    private boolean isSignedWithPublicKey(String text, byte[] prefix, byte[] body) {
        byte[] signature;
        try {
            signature = Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException exception) {
            return false;
        }
        // Decoding ignores unused bits: other texts of the same bytes are not accepted.
        if (signature.length != 64 || !Base64.getEncoder().encodeToString(signature).equals(text)) return false;
        for (PublicKey key : publicKeys) {
            try {
                Signature verifier = Signature.getInstance("Ed25519");
                verifier.initVerify(key);
                verifier.update(prefix);
                verifier.update(body);
                if (verifier.verify(signature)) return true;
            } catch (GeneralSecurityException exception) {
                // The bytes are not a signature.
            }
        }
        return false;
    }

    private Object signedEvent(byte[] body, String text) throws VerificationException {
        int end = text.length() - TAIL_LENGTH;
        if (end >= HEAD.length() && text.startsWith(HEAD)) {
            Matcher tail = TAIL.matcher(text).region(end, text.length());
            if (tail.matches()) {
                byte[] signed = Arrays.copyOfRange(body, HEAD.length(), body.length - TAIL_LENGTH);
                for (SecretKeySpec key : privateKeys) {
                    if (isSame(hmac(key, signed), tail.group(1))) return parse(text.substring(HEAD.length(), end));
                }
            }
        }
        envelope(text);
        throw new VerificationException(
                Failure.BODY_SIGNATURE_WRONG,
                "The signature in the body does not match the private key. Check that it is the key of the partner that "
                        + "owns the webhook, and that the body was not modified.");
    }

    private static WaypostEvent typed(Map<String, Object> raw) {
        String type = raw.get("type") instanceof String text ? text : null;
        try {
            WaypostEvent event = type == null ? null : EventFactory.create(type, new Fields(raw));
            if (event != null) return event;
        } catch (ClassCastException | NullPointerException exception) {
            // A field is missing or has another type.
        }
        long id = raw.get("id") instanceof Long number ? number : 0;
        String time = raw.get("time") instanceof String text ? text : null;
        String partner = raw.get("salesPartnerIdentifier") instanceof String text ? text : null;
        return new WaypostEvent.UnknownEvent(id, time, type, partner, raw);
    }

    private static Map<?, ?> envelope(String text) throws VerificationException {
        if (!(parse(text) instanceof Map<?, ?> envelope)
                || !envelope.containsKey("event")
                || !envelope.containsKey("signature")) throw unreadable("has no event and signature");
        if (!(envelope.get("signature") instanceof String)) throw unreadable("has a signature that is not a string");
        return envelope;
    }

    private static Object parse(String text) throws VerificationException {
        try {
            return Json.parse(text);
        } catch (Json.InvalidJson exception) {
            throw unreadable("is not JSON");
        }
    }

    private static String decode(byte[] body) throws VerificationException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
        } catch (CharacterCodingException exception) {
            throw unreadable("is not UTF-8");
        }
    }

    private static VerificationException unreadable(String why) {
        return new VerificationException(
                Failure.BODY_UNREADABLE,
                "The body " + why + ". A delivery has the form {\"event\": {…}, \"signature\": \"…\"}.");
    }

    private static String header(Function<String, String> headers, String name) throws VerificationException {
        String value = headers.apply(name);
        if (value == null || value.isEmpty()) {
            throw new VerificationException(Failure.HEADER_MISSING, "The header " + name + " is missing.");
        }
        return value;
    }

    private static byte[] decodedKey(String prefix, String key) {
        String text = key == null ? "" : key;
        try {
            return Base64.getDecoder().decode(text.startsWith(prefix) ? text.substring(prefix.length()) : text);
        } catch (IllegalArgumentException exception) {
            throw new IllegalArgumentException(
                    "A key of the webhook is not valid. It must have the form " + prefix + " followed by Base64.");
        }
    }

    /** Rejects empty keys, often caused by unset environment variables: anyone could sign with an empty key. */
    private static SecretKeySpec hmacKey(byte[] key, String name) {
        if (key.length == 0) throw new IllegalArgumentException("The " + name + " is empty.");
        return new SecretKeySpec(key, "HmacSHA256");
    }

    private static PublicKey ed25519Key(byte[] raw) {
        if (raw.length != 32) {
            throw new IllegalArgumentException(
                    "The public key is not valid. It must have the form whpk_ followed by the Base64 of 32 bytes.");
        }
        byte[] encoded = Arrays.copyOf(ED25519_PREFIX, ED25519_PREFIX.length + raw.length);
        System.arraycopy(raw, 0, encoded, ED25519_PREFIX.length, raw.length);
        try {
            return KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded));
        } catch (GeneralSecurityException exception) {
            throw new IllegalArgumentException("The public key is not a valid Ed25519 key.", exception);
        }
    }

    private static String hmac(SecretKeySpec key, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            for (byte[] part : parts) mac.update(part);
            return Base64.getEncoder().encodeToString(mac.doFinal());
        } catch (GeneralSecurityException exception) {
            throw new IllegalStateException(exception);
        }
    }

    private static boolean isSame(String expected, String given) {
        return MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }
}
