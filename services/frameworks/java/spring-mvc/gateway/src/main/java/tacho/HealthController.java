package tacho;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class HealthController {

    private final DiscoveryClient discoveryClient;
    private final String peer;

    public HealthController(DiscoveryClient discoveryClient, @Value("${PEER}") String peer) {
        this.discoveryClient = discoveryClient;
        this.peer = peer;
    }

    @GetMapping("/health")
    public ResponseEntity<String> health() {
        if (discoveryClient.getInstances(peer).isEmpty()) {
            return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE).body("no " + peer);
        }
        return ResponseEntity.ok("ok");
    }
}
