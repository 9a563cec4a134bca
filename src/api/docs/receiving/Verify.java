import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Verify {
    /** Returns the JSON text of the event, or throws when the delivery is not genuine. */
    static String verify(byte[] body, String privateKey) throws GeneralSecurityException {
        String raw = new String(body, StandardCharsets.UTF_8);
        int start = "{\"event\":".length();
        int end = raw.lastIndexOf(",\"signature\":");
        if (end < start) throw new SecurityException("not a delivery of Waypost");
        String signed = raw.substring(start, end);
        String expected = hmac(privateKey.getBytes(StandardCharsets.UTF_8), signed.getBytes(StandardCharsets.UTF_8));
        if (!same(",\"signature\":\"" + expected + "\"}", raw.substring(end)))
            throw new SecurityException("not a delivery of Waypost");
        return signed;
    }

    /** The same by the headers and the secret of the webhook. Also compare webhook-timestamp with the time. */
    static void verifyHeaders(byte[] body, String id, String timestamp, String signatures, String secret)
            throws GeneralSecurityException {
        byte[] key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
        byte[] prefix = (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8);
        byte[] signed = Arrays.copyOf(prefix, prefix.length + body.length);
        System.arraycopy(body, 0, signed, prefix.length, body.length);
        String expected = "v1," + hmac(key, signed);
        if (signatures == null || Arrays.stream(signatures.split(" ")).noneMatch(one -> same(expected, one)))
            throw new SecurityException("not a delivery of Waypost");
    }

    static String hmac(byte[] key, byte[] text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return Base64.getEncoder().encodeToString(mac.doFinal(text));
    }

    static boolean same(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    public static void main(String[] arguments) throws Exception {
        byte[] body = System.in.readAllBytes();
        verifyHeaders(body, System.getenv("WEBHOOK_ID"), System.getenv("WEBHOOK_TIMESTAMP"),
                System.getenv("WEBHOOK_SIGNATURE"), System.getenv("SECRET"));
        String event = verify(body, System.getenv("PRIVATE_KEY"));
        System.out.println(event.replaceAll(".*\"type\":\"(\\w+)\".*", "$1") + " "
                + event.replaceAll(".*\"id\":(\\d+).*", "$1"));
    }
}
