package tacho;

import io.helidon.config.Config;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.http.media.jackson.JacksonRuntimeException;
import io.helidon.logging.common.LogConfig;
import io.helidon.webclient.api.WebClient;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.time.Duration;

public class Main {

    // The contract requires 60 s. Helidon's default is 30 s.
    private static final Duration UPSTREAM_TIMEOUT = Duration.ofSeconds(60);

    // The contract requires that connections stay open for the next call. Helidon keeps 256.
    private static final int KEPT_CONNECTIONS = 1000;

    private static final String UPSTREAM_URL = System.getenv("UPSTREAM_URL");
    private static final WebClient CLIENT =
            WebClient.builder()
                    .readTimeout(UPSTREAM_TIMEOUT)
                    .connectionCacheSize(KEPT_CONNECTIONS)
                    .build();

    public static void main(String[] args) {
        LogConfig.configureRuntime();
        WebServer.builder()
                .config(Config.create().get("server"))
                .host(System.getenv().getOrDefault("HOST", "0.0.0.0"))
                .port(Integer.parseInt(System.getenv("PORT")))
                .shutdownGracePeriod(Duration.ZERO) // SIGTERM stops at once
                .routing(Main::routing)
                .build()
                .start();
    }

    private static void routing(HttpRouting.Builder routing) {
        routing.get("/hello", (request, response) -> sendText(response, "Hello World!"))
                .get("/", Main::forwardUpstream)
                .register("/cars", new CarService())
                .register("/articles", new ArticleService())
                .get("/health", (request, response) -> sendText(response, "ok"))
                // The contract requires a 4xx status. Helidon's default is 500.
                .error(JacksonRuntimeException.class, Main::refuse);
    }

    private static void refuse(
            ServerRequest request, ServerResponse response, JacksonRuntimeException error) {
        response.status(Status.BAD_REQUEST_400).send(error.getMessage());
    }

    private static void forwardUpstream(ServerRequest request, ServerResponse response) {
        String nonce = request.query().first("nonce").orElse("");
        sendText(
                response,
                CLIENT.get(UPSTREAM_URL).queryParam("nonce", nonce).requestEntity(String.class));
    }

    private static void sendText(ServerResponse response, String text) {
        response.header(HeaderNames.CONTENT_TYPE, "text/plain").send(text);
    }
}
