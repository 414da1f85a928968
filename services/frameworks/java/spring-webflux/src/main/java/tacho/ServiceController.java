package tacho;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

@RestController
public class ServiceController {

    private final WebClient webClient;

    public ServiceController(
            WebClient.Builder webClientBuilder, @Value("${UPSTREAM_URL:}") String upstreamUrl) {
        this.webClient = webClientBuilder.baseUrl(upstreamUrl).build();
    }

    @GetMapping(path = "/hello", produces = MediaType.TEXT_PLAIN_VALUE)
    public Mono<String> hello() {
        return Mono.just("Hello World!");
    }

    @GetMapping(path = "/", produces = MediaType.TEXT_PLAIN_VALUE)
    public Mono<String> forwardUpstream(@RequestParam(defaultValue = "") String nonce) {
        return webClient
                .get()
                .uri("/?nonce={nonce}", nonce)
                .retrieve()
                .onStatus(HttpStatusCode::is3xxRedirection, ClientResponse::createException)
                .bodyToMono(String.class);
    }

    @GetMapping(path = "/health", produces = MediaType.TEXT_PLAIN_VALUE)
    public Mono<String> health() {
        return Mono.just("ok");
    }
}
