package tacho;

import java.util.Map;

import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.stereotype.Service;

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

    private final RabbitTemplate rabbitTemplate;
    private final String next;

    public NextService(RabbitTemplate rabbitTemplate, @Value("${PART:first}") String part) {
        this.rabbitTemplate = rabbitTemplate;
        this.next = NEXT.get(part);
    }

    public boolean exists() {
        return next != null;
    }

    public Answer pass(Message message) {
        Answer answer =
                rabbitTemplate.convertSendAndReceiveAsType(
                        next, message, new ParameterizedTypeReference<Answer>() {});
        if (answer == null) {
            throw new IllegalStateException(next + " did not reply in time");
        }
        return answer;
    }
}
