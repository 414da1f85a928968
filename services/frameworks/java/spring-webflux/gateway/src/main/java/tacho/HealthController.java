package tacho;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.cloud.client.discovery.ReactiveDiscoveryClient;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
public class HealthController {

    private final ReactiveDiscoveryClient discoveryClient;
    private final String peer;

    public HealthController(
            ReactiveDiscoveryClient discoveryClient, @Value("${PEER}") String peer) {
        this.discoveryClient = discoveryClient;
        this.peer = peer;
    }

    @GetMapping("/health")
    public Mono<ResponseEntity<String>> health() {
        return discoveryClient.getInstances(peer).hasElements().map(this::answer);
    }

    private ResponseEntity<String> answer(boolean isFound) {
        return isFound
                ? ResponseEntity.ok("ok")
                : ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE).body("no " + peer);
    }
}
