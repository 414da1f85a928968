package tacho;

import java.util.concurrent.atomic.AtomicLong;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
public class HelloController {

    private final AtomicLong calls = new AtomicLong();
    private final Signer signer;

    public HelloController(Signer signer) {
        this.signer = signer;
    }

    @GetMapping(path = "/hello", produces = MediaType.TEXT_PLAIN_VALUE)
    public Mono<String> hello(@RequestParam String name) {
        long stamp = calls.incrementAndGet();
        return Mono.just("Hello " + name + "! " + stamp + " " + signer.sign(name + " " + stamp));
    }
}
