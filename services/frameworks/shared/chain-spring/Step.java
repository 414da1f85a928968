package tacho;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** Processes a message with a key that no other service has. */
@Component
public class Step {

    public static final long MODULUS = 2_147_483_647L;

    private static final int KEY_DIGITS = 7;

    private final long key;
    private final AtomicLong taken = new AtomicLong();

    public Step(@Value("${STEP_KEY}") String stepKey) {
        this.key = Long.parseLong(stepKey.substring(0, KEY_DIGITS), 16);
    }

    public long nextStamp() {
        return taken.incrementAndGet();
    }

    public Message apply(Message message, long stamp) {
        long number = message.number();
        String text = message.text();
        char character = text.charAt((int) (number % text.length()));
        return new Message((number * number + key + stamp + character) % MODULUS, text);
    }

    /** Returns the answer of the sixth service: the two pieces of the text, swapped. */
    public Answer cut(Message message) {
        String text = message.text();
        int index = (int) ((message.number() + key) % text.length());
        return new Answer(
                message.number(), List.of(), text.substring(index) + text.substring(0, index));
    }
}
