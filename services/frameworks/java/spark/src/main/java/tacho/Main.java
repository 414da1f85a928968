package tacho;

import static spark.Spark.get;
import static spark.Spark.ipAddress;
import static spark.Spark.port;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import spark.Request;
import spark.Response;

public class Main {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final String UPSTREAM_URL = System.getenv("UPSTREAM_URL");

    public static void main(String[] args) {
        ipAddress(System.getenv().getOrDefault("HOST", "0.0.0.0"));
        port(Integer.parseInt(System.getenv("PORT")));

        get("/hello", (request, response) -> text(response, "Hello World!"));
        get("/", Main::forwardUpstream);
        get("/health", (request, response) -> text(response, "ok"));
    }

    private static String forwardUpstream(Request request, Response response)
            throws IOException, InterruptedException {
        HttpRequest call = HttpRequest.newBuilder(URI.create(UPSTREAM_URL)).build();
        return text(response, CLIENT.send(call, BodyHandlers.ofString()).body());
    }

    private static String text(Response response, String body) {
        response.type("text/plain");
        return body;
    }
}
