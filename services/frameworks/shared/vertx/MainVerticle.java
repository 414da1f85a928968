package tacho;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpResponseExpectation;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import io.vertx.ext.web.handler.BodyHandler;
import java.util.ArrayList;
import java.util.List;

public class MainVerticle extends VerticleBase {

    // Per instance: requests that can wait for a slow upstream, as the contract requires.
    // Vert.x's default is 5.
    private static final int UPSTREAM_CONNECTIONS = 1000;

    private static final List<String> STREAM_TYPES =
            List.of("application/stream+json", "application/octet-stream");

    private static final ArticleLists ARTICLE_LISTS = new ArticleLists();

    private final String upstreamUrl = System.getenv("UPSTREAM_URL");
    private WebClient client;
    private Cars cars;

    @Override
    public Future<HttpServer> start() {
        client = WebClient.create(
                vertx,
                new WebClientOptions(),
                new PoolOptions().setHttp1MaxSize(UPSTREAM_CONNECTIONS));
        cars = new Cars(vertx);

        Router router = Router.router(vertx);
        router.get("/hello").handler(context -> sendText(context, "Hello World!"));
        router.get("/").handler(this::forwardUpstream);
        router.get("/cars").handler(this::sendCars);
        router.get("/articles/:size").handler(this::sendArticles);
        router.post("/articles").handler(BodyHandler.create(false)).handler(this::answerArticles);
        router.get("/health").handler(context -> sendText(context, "ok"));

        return vertx.createHttpServer()
                .requestHandler(router)
                .listen(
                        Integer.parseInt(System.getenv("PORT")),
                        System.getenv().getOrDefault("HOST", "0.0.0.0"));
    }

    private void forwardUpstream(RoutingContext context) {
        client.getAbs(upstreamUrl + "/")
                .addQueryParam("nonce", context.request().getParam("nonce", ""))
                .send()
                .expecting(HttpResponseExpectation.SC_SUCCESS)
                .onSuccess(answer -> sendText(context, answer.bodyAsString()))
                .onFailure(context::fail);
    }

    private void sendCars(RoutingContext context) {
        int first = intParameter(context, "first");
        int delayMs = intParameter(context, "delay_ms");
        String accept = context.request().getHeader("Accept");
        if (accept != null && STREAM_TYPES.contains(accept)) {
            HttpServerResponse response =
                    context.response().putHeader("Content-Type", accept).setChunked(true);
            cars.emit(first, delayMs, car -> response.write(Json.encode(car) + "\n"))
                    .onSuccess(emitted -> response.end());
        } else {
            List<Car> all = new ArrayList<>();
            cars.emit(first, delayMs, car -> {
                        all.add(car);
                        return Future.succeededFuture();
                    })
                    .onSuccess(emitted -> context.json(all));
        }
    }

    private void sendArticles(RoutingContext context) {
        try {
            context.json(ARTICLE_LISTS.getList(Integer.parseInt(context.pathParam("size"))));
        } catch (NumberFormatException e) {
            context.fail(400, e);
        }
    }

    private void answerArticles(RoutingContext context) {
        try {
            context.json(context.body().asPojo(ArticleList.class));
        } catch (DecodeException e) {
            context.fail(400, e);
        }
    }

    private static int intParameter(RoutingContext context, String name) {
        return Integer.parseInt(context.request().getParam(name, "0"));
    }

    private static void sendText(RoutingContext context, String text) {
        context.response().putHeader("Content-Type", "text/plain").end(text);
    }
}
