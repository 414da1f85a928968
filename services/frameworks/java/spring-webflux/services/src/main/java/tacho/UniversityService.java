package tacho;

import java.nio.file.Path;
import java.util.List;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

@Service
public class UniversityService {

    private final JsonMapper jsonMapper;
    private final Path file;

    public UniversityService(JsonMapper jsonMapper, @Value("${DATA_DIR:}") String dataDir) {
        this.jsonMapper = jsonMapper;
        this.file = Path.of(dataDir, "universities.json");
    }

    public Mono<List<University>> findByCountry(String country) {
        return Mono.fromCallable(() -> readByCountry(country))
                .subscribeOn(Schedulers.boundedElastic());
    }

    private List<University> readByCountry(String country) {
        List<University> universities = jsonMapper.readValue(file, new TypeReference<>() {});
        return universities.stream()
                .filter(university -> university.country().equals(country))
                .toList();
    }
}
