package tacho;

import org.springframework.amqp.core.Queue;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Receives the calls of peers. The first service has no PART and no queue. */
@Configuration
@ConditionalOnProperty("PART")
public class ChainListener {

    private final Chain chain;

    public ChainListener(Chain chain) {
        this.chain = chain;
    }

    @Bean
    public static Queue queue(@Value("${PART}") String part) {
        return new Queue(part);
    }

    @RabbitListener(queues = "${PART}")
    public Answer pass(Message message) {
        return chain.pass(message);
    }
}
