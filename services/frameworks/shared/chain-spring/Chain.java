package tacho;

import org.springframework.stereotype.Service;

@Service
public class Chain {

    private final Step step;
    private final NextService nextService;

    public Chain(Step step, NextService nextService) {
        this.step = step;
        this.nextService = nextService;
    }

    public Answer pass(Message message) {
        long stamp = step.nextStamp();
        Message stepped = step.apply(message, stamp);
        Answer answer = nextService.exists() ? nextService.pass(stepped) : step.cut(stepped);
        return answer.stampedFirst(stamp);
    }
}
