package tacho;

import org.springframework.cloud.netflix.eureka.server.event.EurekaServerStartedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class HealthController {

    private volatile boolean started;

    @EventListener(EurekaServerStartedEvent.class)
    public void onStarted() {
        started = true;
    }

    @GetMapping("/health")
    public ResponseEntity<String> health() {
        return started ? ResponseEntity.ok("ok") : ResponseEntity.status(503).body("starting");
    }
}
