import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import waypost.receiver.Receiver;
import waypost.receiver.VerificationException;
import waypost.receiver.WaypostEvent;
import waypost.receiver.WaypostEvent.LocationStatusChangedEvent;

public final class Example {
    private static final Receiver RECEIVER = Receiver.builder()
            .privateKey(System.getenv("WAYPOST_PRIVATE_KEY"))
            .secret(System.getenv("WAYPOST_SECRET"))
            .build();

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "3000"));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/", Example::receive);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.start();
    }

    private static void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readNBytes(1024 * 1024);
            try {
                store(RECEIVER.verify(body, exchange.getRequestHeaders()::getFirst));
                exchange.sendResponseHeaders(204, -1);
            } catch (VerificationException exception) {
                byte[] message = exception.getMessage().getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(401, message.length);
                exchange.getResponseBody().write(message);
            }
        }
    }

    /** Store the event here. Process it after the response. */
    private static void store(WaypostEvent event) {
        System.out.println(event.type() + " " + event.id());
        if (event instanceof LocationStatusChangedEvent change) {
            System.out.println("location " + change.location() + ": " + change.from() + " -> " + change.to());
        }
    }
}
