package tacho;

import java.util.List;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
public class UniversityController {

    private final UniversityService universityService;

    public UniversityController(UniversityService universityService) {
        this.universityService = universityService;
    }

    @GetMapping(path = "/universities", produces = MediaType.APPLICATION_JSON_VALUE)
    public Mono<List<University>> getUniversities(@RequestParam String country) {
        return universityService.findByCountry(country);
    }
}
