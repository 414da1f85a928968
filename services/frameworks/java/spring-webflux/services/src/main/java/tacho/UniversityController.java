package tacho;

import java.util.concurrent.atomic.AtomicLong;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
public class UniversityController {

    private final AtomicLong calls = new AtomicLong();
    private final UniversityService universityService;
    private final Signer signer;

    public UniversityController(UniversityService universityService, Signer signer) {
        this.universityService = universityService;
        this.signer = signer;
    }

    @GetMapping(path = "/universities", produces = MediaType.APPLICATION_JSON_VALUE)
    public Mono<SignedUniversities> getUniversities(
            @RequestParam String country, @RequestParam String nonce) {
        long stamp = calls.incrementAndGet();
        String signature = signer.sign(nonce + " " + stamp);
        return universityService
                .findByCountry(country)
                .map(universities -> new SignedUniversities(stamp, signature, universities));
    }
}
