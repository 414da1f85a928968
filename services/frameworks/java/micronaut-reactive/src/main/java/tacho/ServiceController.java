package tacho;

import io.micronaut.context.annotation.Value;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.client.HttpClient;
import io.micronaut.http.exceptions.HttpStatusException;
import io.micronaut.http.uri.UriBuilder;
import reactor.core.publisher.Mono;

@Controller
public class ServiceController {

    private final HttpClient httpClient;
    private final String upstreamUrl;

    public ServiceController(HttpClient httpClient, @Value("${UPSTREAM_URL:}") String upstreamUrl) {
        this.httpClient = httpClient;
        this.upstreamUrl = upstreamUrl;
    }

    @Get(uri = "/hello", produces = MediaType.TEXT_PLAIN)
    public Mono<String> hello() {
        return Mono.just("Hello World!");
    }

    @Get(produces = MediaType.TEXT_PLAIN)
    public Mono<String> forwardUpstream(@QueryValue(defaultValue = "") String nonce) {
        return Mono.from(httpClient.exchange(upstreamUri(nonce), String.class))
                .map(ServiceController::readBody);
    }

    private String upstreamUri(String nonce) {
        return UriBuilder.of(upstreamUrl).path("/").queryParam("nonce", nonce).toString();
    }

    // The client throws for the statuses from 400 on.
    private static String readBody(HttpResponse<String> answer) {
        if (answer.code() >= 300) {
            throw new HttpStatusException(HttpStatus.BAD_GATEWAY, "upstream: " + answer.status());
        }
        return answer.body();
    }

    @Get(uri = "/health", produces = MediaType.TEXT_PLAIN)
    public Mono<String> health() {
        return Mono.just("ok");
    }
}
