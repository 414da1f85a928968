package tacho;

import java.io.IOException;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

@RestController
public class ServiceController {

    private final RestClient restClient;

    public ServiceController(
            RestClient.Builder restClientBuilder, @Value("${UPSTREAM_URL:}") String upstreamUrl) {
        this.restClient = restClientBuilder.baseUrl(upstreamUrl).build();
    }

    @GetMapping(path = "/hello", produces = MediaType.TEXT_PLAIN_VALUE)
    public String hello() {
        return "Hello World!";
    }

    @GetMapping(path = "/", produces = MediaType.TEXT_PLAIN_VALUE)
    public String forwardUpstream(@RequestParam(defaultValue = "") String nonce) {
        return restClient
                .get()
                .uri("/?nonce={nonce}", nonce)
                .retrieve()
                .onStatus(HttpStatusCode::is3xxRedirection, (request, response) -> {
                    throw new IOException("the upstream answered " + response.getStatusCode());
                })
                .body(String.class);
    }

    @GetMapping(path = "/health", produces = MediaType.TEXT_PLAIN_VALUE)
    public String health() {
        return "ok";
    }
}
