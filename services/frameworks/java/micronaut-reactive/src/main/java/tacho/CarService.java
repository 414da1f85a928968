package tacho;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Flux;

@Singleton
public class CarService {

    private static final List<String> MODELS = List.of(
            "e-tron", "TT Coupé", "Nova", "Uno", "Kuga", "Pinto", "Probe", "Vaneo", "iMIEV", "Opa",
            "Phaeton");
    private static final List<String> COMPANIES =
            List.of("Audi", "Toyota", "VW", "Ford", "Kia", "Fiat", "Chevrolet", "Mercedes");
    private static final int COUNT = 10;

    /** Creates ten cars, each after a tenth of the delay. */
    public Flux<Car> cars(int first, int delayMs) {
        Flux<Integer> ids = Flux.range(first, COUNT);
        if (delayMs > 0) {
            ids = ids.delayElements(Duration.ofMillis(delayMs / COUNT));
        }
        return ids.map(CarService::makeCar);
    }

    private static Car makeCar(int id) {
        String model = MODELS.get(id % MODELS.size());
        return new Car(id, model, COMPANIES.get(id % COMPANIES.size()));
    }
}
