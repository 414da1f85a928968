package tacho;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Handles the messages of the load, which uses HTTP. */
@RestController
public class LoadController {

    private final Chain chain;

    public LoadController(Chain chain) {
        this.chain = chain;
    }

    @PostMapping(path = "/chain", produces = MediaType.APPLICATION_JSON_VALUE)
    public Answer pass(@RequestBody Message message) {
        if (!message.isValid()) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST);
        }
        return chain.pass(message);
    }
}
