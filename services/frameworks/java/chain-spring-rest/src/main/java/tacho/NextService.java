package tacho;

import java.util.Map;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.env.Environment;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Service;
import org.springframework.web.client.RestClient;

/** The next service of the chain, which the sixth service does not have. */
@Service
public class NextService {

    private static final Map<String, String> NEXT =
            Map.of(
                    "first", "second",
                    "second", "third",
                    "third", "fourth",
                    "fourth", "fifth",
                    "fifth", "sixth");

    private final RestClient restClient;
    private final String next;

    public NextService(
            RestClient.Builder restClientBuilder,
            Environment environment,
            @Value("${PART:first}") String part) {
        this.next = NEXT.get(part);
        this.restClient =
                next == null
                        ? null
                        : restClientBuilder
                                .baseUrl(environment.getRequiredProperty(next.toUpperCase() + "_URL"))
                                .build();
    }

    public boolean exists() {
        return next != null;
    }

    public Answer pass(Message message) {
        return restClient
                .post()
                .uri("/chain")
                .contentType(MediaType.APPLICATION_JSON)
                .body(message)
                .retrieve()
                .body(Answer.class);
    }
}
