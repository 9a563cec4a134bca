package waypost.receiver;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import waypost.receiver.VerificationException.Failure;

/** A plain program, because JUnit is not part of Java. */
final class ReceiverTest {
    private static final List<String> failures = new ArrayList<>();

    public static void main(String[] arguments) throws Exception {
        Map<?, ?> file = (Map<?, ?>) Json.parse(Files.readString(Path.of(arguments[0])));
        List<?> vectors = (List<?>) file.get("vectors");
        check("number of vectors", true, vectors.size() > 50);
        for (Object vector : vectors) checkVector((Map<?, ?>) vector);
        checkTypedEvents(vectors);
        checkJson();
        checkArguments();
        if (!failures.isEmpty()) {
            System.err.println(String.join("\n", failures));
            System.exit(1);
        }
        System.out.println(vectors.size() + " vectors passed.");
    }

    private static void checkVector(Map<?, ?> vector) {
        String name = (String) vector.get("name");
        Map<?, ?> expected = (Map<?, ?>) vector.get("expected");
        try {
            WaypostEvent event = verify(vector);
            check(name, expected.get("class"), event.getClass().getSimpleName());
            if (expected.get("fields") instanceof Map<?, ?> fields) {
                fields.forEach((field, value) ->
                        check(name + ": " + field, value, String.valueOf(event.raw().get(field))));
                check(name + ": id()", fields.get("id"), String.valueOf(event.id()));
            }
        } catch (VerificationException exception) {
            check(name, expected.get("error"), exception.failure().name().toLowerCase().replace('_', '-'));
            for (Object keys : List.of(keysOf(vector, "privateKeys"), keysOf(vector, "secrets"))) {
                for (Object key : (List<?>) keys) {
                    check(name + ": message without keys", false, exception.getMessage().contains((String) key));
                }
            }
        }
    }

    private static WaypostEvent verify(Map<?, ?> vector) throws VerificationException {
        Receiver.Builder builder = Receiver.builder()
                .tolerance(Duration.ofSeconds((Long) vector.get("toleranceSeconds")))
                .clock(Clock.fixed(Instant.ofEpochSecond((Long) vector.get("now")), ZoneOffset.UTC));
        for (Object key : keysOf(vector, "privateKeys")) builder.privateKey((String) key);
        for (Object key : keysOf(vector, "secrets")) builder.secret((String) key);
        for (Object key : keysOf(vector, "publicKeys")) builder.publicKey((String) key);
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        ((Map<?, ?>) vector.get("headers")).forEach((name, value) -> headers.put((String) name, (String) value));
        byte[] body = Base64.getDecoder().decode((String) vector.get("bodyBase64"));
        return builder.build().verify(body, headers::get);
    }

    private static List<?> keysOf(Map<?, ?> vector, String kind) {
        return (List<?>) ((Map<?, ?>) vector.get("keys")).get(kind);
    }

    private static Map<?, ?> named(List<?> vectors, String name) {
        return vectors.stream()
                .map(vector -> (Map<?, ?>) vector)
                .filter(vector -> name.equals(vector.get("name")))
                .findFirst()
                .orElseThrow();
    }

    private static void checkTypedEvents(List<?> vectors) throws Exception {
        WaypostEvent event = verify(named(vectors, "event type LISTING_DATAPOINT_CHECK"));
        if (event instanceof WaypostEvent.ListingDatapointCheckEvent check) {
            check("partner", "hansekontor", check.salesPartnerIdentifier());
            check("ids", check.raw().get("newDataPointIds"), check.newDataPointIds());
            check("boolean", true, check.newDatapointsFound());
        } else {
            check("datapoint check", "ListingDatapointCheckEvent", event);
        }
        WaypostEvent change = verify(named(vectors, "unknown status value"));
        if (change instanceof WaypostEvent.LocationStatusChangedEvent status) {
            check("from", WaypostEvent.LocationStatus.ACTIVE, status.from());
            check("to", "MOVED", status.to());
        } else {
            check("status change", "LocationStatusChangedEvent", change);
        }
        String other = "{\"event\":{\"id\":7,\"location\":\"x\",\"type\":\"LOCATION_CREATED\"},\"signature\":\"\"}";
        Receiver receiver = Receiver.builder().privateKey("key").build();
        checkFailure("unsigned", Failure.BODY_SIGNATURE_WRONG, () -> receiver.verify(other.getBytes(), name -> null));
        String deep = "{\"event\":" + "[".repeat(100_000) + "]".repeat(100_000) + ",\"signature\":\"\"}";
        checkFailure("deep", Failure.BODY_UNREADABLE, () -> receiver.verify(deep.getBytes(), name -> null));
    }

    private static void checkJson() throws Exception {
        check("numbers", List.of(0L, -1L, Long.MAX_VALUE), Json.parse("[0, -1 ,9223372036854775807]"));
        check("escapes", "\"\\/\b\f\n\r\té😀", Json.parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\""));
        check("literals", Map.of("a", true, "b", false), Json.parse("{\"a\":true , \"b\":false}"));
        for (String invalid : List.of("", "01", "-", "1.", "1e", "+1", ".5", "tru", "\"", "\"\n\"", "\"\\x\"", "\"\\u12g4\"",
                "9".repeat(1001), "[1,]", "[1", "{\"a\"}", "{\"a\":1,}", "{a:1}", "1 2", "NaN", "'a'", "\u00a01", "\"\\u١234\"")) {
            try {
                check("invalid JSON " + invalid, "rejected", Json.parse(invalid));
            } catch (Json.InvalidJson expected) {
                // Rejected.
            }
        }
    }

    private static void checkArguments() {
        List<Runnable> invalid = List.of(
                () -> Receiver.builder().build(),
                () -> Receiver.builder().privateKey(""),
                () -> Receiver.builder().privateKey(null),
                () -> Receiver.builder().secret("whsec_"),
                () -> Receiver.builder().secret("whsec_?"),
                () -> Receiver.builder().publicKey("whpk_AAAA"));
        for (int index = 0; index < invalid.size(); index++) {
            try {
                invalid.get(index).run();
                check("invalid argument " + index, "rejected", "accepted");
            } catch (IllegalArgumentException expected) {
                // Rejected.
            }
        }
    }

    private interface Call {
        void run() throws VerificationException;
    }

    private static void checkFailure(String name, Failure expected, Call call) {
        try {
            call.run();
            check(name, expected, "verified");
        } catch (VerificationException exception) {
            check(name, expected, exception.failure());
        }
    }

    private static void check(String name, Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) failures.add(name + ": expected " + expected + ", got " + actual);
    }
}
