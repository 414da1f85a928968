package tacho;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

@RestController
public class ServiceController {

    private final WebClient webClient;
    private final String upstreamUrl;

    public ServiceController(
            WebClient.Builder webClientBuilder, @Value("${UPSTREAM_URL:}") String upstreamUrl) {
        this.webClient = webClientBuilder.build();
        this.upstreamUrl = upstreamUrl;
    }

    @GetMapping(path = "/hello", produces = MediaType.TEXT_PLAIN_VALUE)
    public Mono<String> hello() {
        return Mono.just("Hello World!");
    }

    @GetMapping(path = "/", produces = MediaType.TEXT_PLAIN_VALUE)
    public Mono<String> forwardUpstream() {
        return webClient.get().uri(upstreamUrl).retrieve().bodyToMono(String.class);
    }

    @GetMapping(path = "/health", produces = MediaType.TEXT_PLAIN_VALUE)
    public Mono<String> health() {
        return Mono.just("ok");
    }
}
