package tacho;

import io.quarkus.vertx.web.Param;
import io.quarkus.vertx.web.Route;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.client.WebClientOptions;
import io.vertx.mutiny.core.Vertx;
import io.vertx.mutiny.ext.web.client.HttpResponse;
import io.vertx.mutiny.ext.web.client.WebClient;
import io.vertx.mutiny.ext.web.client.predicate.ResponsePredicate;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;

@ApplicationScoped
public class ServiceRoutes {

    // The contract requires 1,000. Vert.x's default is 5.
    private static final int UPSTREAM_CONNECTIONS = 1000;

    private final WebClient client;
    private final String upstreamUrl = System.getenv("UPSTREAM_URL");

    public ServiceRoutes(Vertx vertx) {
        client = WebClient.create(
                vertx, new WebClientOptions().setMaxPoolSize(UPSTREAM_CONNECTIONS));
    }

    @Route(path = "/hello", methods = Route.HttpMethod.GET, produces = "text/plain")
    String hello() {
        return "Hello World!";
    }

    @Route(path = "/", methods = Route.HttpMethod.GET, produces = "text/plain")
    Uni<String> forwardUpstream(@Param Optional<String> nonce) {
        return client.getAbs(upstreamUrl + "/")
                .addQueryParam("nonce", nonce.orElse(""))
                .expect(ResponsePredicate.SC_SUCCESS)
                .send()
                .map(HttpResponse::bodyAsString);
    }

    @Route(path = "/health", methods = Route.HttpMethod.GET, produces = "text/plain")
    String health() {
        return "ok";
    }
}
