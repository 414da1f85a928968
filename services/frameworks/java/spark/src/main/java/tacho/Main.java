package tacho;

import static java.nio.charset.StandardCharsets.UTF_8;
import static spark.Spark.exception;
import static spark.Spark.get;
import static spark.Spark.halt;
import static spark.Spark.ipAddress;
import static spark.Spark.port;
import static spark.Spark.post;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import spark.Request;
import spark.Response;

public class Main {

    private static final List<String> STREAM_TYPES =
            List.of("application/stream+json", "application/octet-stream");

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final String UPSTREAM_URL = System.getenv("UPSTREAM_URL");
    private static final Gson GSON = new Gson();
    private static final ArticleLists ARTICLE_LISTS = new ArticleLists();

    public static void main(String[] args) {
        ipAddress(System.getenv().getOrDefault("HOST", "0.0.0.0"));
        port(Integer.parseInt(System.getenv("PORT")));

        get("/hello", (request, response) -> text(response, "Hello World!"));
        get("/", Main::forwardUpstream);
        get("/cars", Main::sendCars);
        get("/articles/:size", Main::sendArticles);
        post("/articles", Main::answerArticles);
        exception(JsonParseException.class, Main::refuse);
        get("/health", (request, response) -> text(response, "ok"));
    }

    private static String forwardUpstream(Request request, Response response)
            throws IOException, InterruptedException {
        String nonce = URLEncoder.encode(request.queryParamOrDefault("nonce", ""), UTF_8);
        URI uri = URI.create(UPSTREAM_URL + "/?nonce=" + nonce);
        HttpResponse<String> answer =
                CLIENT.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw halt(502);
        }
        return text(response, answer.body());
    }

    private static Object sendCars(Request request, Response response) throws IOException {
        int first = Integer.parseInt(request.queryParamOrDefault("first", "0"));
        int delayMs = Integer.parseInt(request.queryParamOrDefault("delay_ms", "0"));
        Stream<Car> cars = Cars.emit(first, delayMs);
        String accept = request.headers("Accept");
        if (accept == null || !STREAM_TYPES.contains(accept)) {
            return json(response, cars.toList());
        }
        response.type(accept);
        streamCars(cars.iterator(), response.raw().getOutputStream());
        return response.raw();
    }

    private static void streamCars(Iterator<Car> cars, OutputStream out) throws IOException {
        while (cars.hasNext()) {
            String line = GSON.toJson(cars.next()) + "\n";
            out.write(line.getBytes(UTF_8));
            out.flush();
        }
    }

    private static String sendArticles(Request request, Response response) {
        int size = Integer.parseInt(request.params(":size"));
        return json(response, ARTICLE_LISTS.getList(size));
    }

    private static String answerArticles(Request request, Response response) {
        ArticleList articles = GSON.fromJson(request.body(), ArticleList.class);
        if (articles == null) {
            throw halt(400);
        }
        return json(response, articles);
    }

    private static void refuse(JsonParseException error, Request request, Response response) {
        response.status(400);
        response.body(error.getMessage());
    }

    private static String json(Response response, Object value) {
        response.type("application/json");
        return GSON.toJson(value);
    }

    private static String text(Response response, String body) {
        response.type("text/plain");
        return body;
    }
}
