package tacho;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
public class ChainController {

    private final Step step;
    private final NextService nextService;

    public ChainController(Step step, NextService nextService) {
        this.step = step;
        this.nextService = nextService;
    }

    @PostMapping(path = "/chain", produces = MediaType.APPLICATION_JSON_VALUE)
    public Answer pass(@RequestBody Message message) {
        if (!message.isValid()) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST);
        }
        int stamp = step.nextStamp();
        Message stepped = step.apply(message, stamp);
        Answer answer = nextService.exists() ? nextService.pass(stepped) : step.cut(stepped);
        return answer.stampedFirst(stamp);
    }

    @GetMapping(path = "/health", produces = MediaType.TEXT_PLAIN_VALUE)
    public String health() {
        return "ok";
    }
}
