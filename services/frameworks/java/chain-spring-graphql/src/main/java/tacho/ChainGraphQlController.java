package tacho;

import org.springframework.graphql.data.method.annotation.Argument;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.stereotype.Controller;

@Controller
public class ChainGraphQlController {

    private final Chain chain;

    public ChainGraphQlController(Chain chain) {
        this.chain = chain;
    }

    @QueryMapping
    public Answer pass(@Argument long number, @Argument String text) {
        return chain.pass(new Message(number, text));
    }
}
