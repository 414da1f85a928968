package tacho;

import java.util.ArrayList;
import java.util.List;

public record Answer(long number, List<Integer> stamps, String text) {

    public Answer stampedFirst(int stamp) {
        List<Integer> all = new ArrayList<>();
        all.add(stamp);
        all.addAll(stamps);
        return new Answer(number, all, text);
    }
}
