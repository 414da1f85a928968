package tacho;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
public class HealthController {

    @GetMapping(path = "/health", produces = MediaType.TEXT_PLAIN_VALUE)
    public Mono<String> health() {
        return Mono.just("ok");
    }
}
