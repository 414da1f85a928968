package tacho;

import io.micronaut.context.annotation.Value;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.client.HttpClient;
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
    public Mono<String> forwardUpstream() {
        return Mono.from(httpClient.retrieve(upstreamUrl));
    }

    @Get(uri = "/health", produces = MediaType.TEXT_PLAIN)
    public Mono<String> health() {
        return Mono.just("ok");
    }
}
