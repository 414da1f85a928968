package tacho;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Creates ten cars, each after a tenth of the delay. */
class Cars {

    private static final List<String> MODELS = List.of(
            "e-tron", "TT Coupé", "Nova", "Uno", "Kuga", "Pinto", "Probe", "Vaneo", "iMIEV", "Opa",
            "Phaeton");
    private static final List<String> COMPANIES =
            List.of("Audi", "Toyota", "VW", "Ford", "Kia", "Fiat", "Chevrolet", "Mercedes");
    private static final int COUNT = 10;

    static Stream<Car> emit(int first, int delayMs) {
        return IntStream.range(first, first + COUNT).mapToObj(id -> {
            waitFor(delayMs / COUNT);
            return makeCar(id);
        });
    }

    private static Car makeCar(int id) {
        String model = MODELS.get(id % MODELS.size());
        return new Car(id, model, COMPANIES.get(id % COMPANIES.size()));
    }

    private static void waitFor(int pauseMs) {
        try {
            Thread.sleep(pauseMs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
