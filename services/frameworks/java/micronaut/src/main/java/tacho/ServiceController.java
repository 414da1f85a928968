package tacho;

import io.micronaut.context.annotation.Value;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.client.HttpClient;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;

@Controller
public class ServiceController {

    private final HttpClient httpClient;
    private final String upstreamUrl;

    public ServiceController(HttpClient httpClient, @Value("${UPSTREAM_URL:}") String upstreamUrl) {
        this.httpClient = httpClient;
        this.upstreamUrl = upstreamUrl;
    }

    @Get(uri = "/hello", produces = MediaType.TEXT_PLAIN)
    public String hello() {
        return "Hello World!";
    }

    @Get(produces = MediaType.TEXT_PLAIN)
    @ExecuteOn(TaskExecutors.BLOCKING)
    public String forwardUpstream() {
        return httpClient.toBlocking().retrieve(upstreamUrl);
    }

    @Get(uri = "/health", produces = MediaType.TEXT_PLAIN)
    public String health() {
        return "ok";
    }
}
