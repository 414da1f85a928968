package tacho;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

@RestController
public class ServiceController {

    private final RestClient restClient;
    private final String upstreamUrl;

    public ServiceController(
            RestClient.Builder restClientBuilder, @Value("${UPSTREAM_URL:}") String upstreamUrl) {
        this.restClient = restClientBuilder.build();
        this.upstreamUrl = upstreamUrl;
    }

    @GetMapping(path = "/hello", produces = MediaType.TEXT_PLAIN_VALUE)
    public String hello() {
        return "Hello World!";
    }

    @GetMapping(path = "/", produces = MediaType.TEXT_PLAIN_VALUE)
    public String forwardUpstream() {
        return restClient.get().uri(upstreamUrl).retrieve().body(String.class);
    }

    @GetMapping(path = "/health", produces = MediaType.TEXT_PLAIN_VALUE)
    public String health() {
        return "ok";
    }
}
