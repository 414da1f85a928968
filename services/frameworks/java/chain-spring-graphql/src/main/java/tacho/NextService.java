package tacho;

import java.util.Map;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.env.Environment;
import org.springframework.graphql.client.HttpSyncGraphQlClient;
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

    private final HttpSyncGraphQlClient graphQlClient;

    public NextService(
            RestClient.Builder restClientBuilder,
            Environment environment,
            @Value("${PART:first}") String part) {
        this.graphQlClient =
                NEXT.containsKey(part)
                        ? newClient(restClientBuilder, environment, NEXT.get(part))
                        : null;
    }

    private static HttpSyncGraphQlClient newClient(
            RestClient.Builder restClientBuilder, Environment environment, String next) {
        String url = environment.getRequiredProperty(next.toUpperCase() + "_URL");
        return HttpSyncGraphQlClient.create(restClientBuilder.baseUrl(url + "/graphql").build());
    }

    public boolean exists() {
        return graphQlClient != null;
    }

    public Answer pass(Message message) {
        return graphQlClient
                .documentName("pass")
                .variable("number", message.number())
                .variable("text", message.text())
                .retrieveSync("pass")
                .toEntity(Answer.class);
    }
}
