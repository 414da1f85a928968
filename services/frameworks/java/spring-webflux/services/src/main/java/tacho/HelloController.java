package tacho;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
public class HelloController {

    private final String greeting;

    public HelloController(@Value("${GREETING:}") String greeting) {
        this.greeting = greeting;
    }

    @GetMapping(path = "/hello", produces = MediaType.TEXT_PLAIN_VALUE)
    public Mono<String> hello(@RequestParam String name) {
        return Mono.just(greeting + " " + name + "!");
    }
}
