package tacho;

import java.util.ArrayList;
import java.util.List;

public record Answer(long number, List<Long> stamps, String text) {

    public Answer stampedFirst(long stamp) {
        List<Long> all = new ArrayList<>();
        all.add(stamp);
        all.addAll(stamps);
        return new Answer(number, all, text);
    }
}
