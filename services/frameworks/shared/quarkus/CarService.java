package tacho;

import java.time.Duration;
import java.util.List;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;

@ApplicationScoped
public class CarService {

    private static final List<String> MODELS = List.of(
            "e-tron", "TT Coupé", "Nova", "Uno", "Kuga", "Pinto", "Probe", "Vaneo", "iMIEV", "Opa",
            "Phaeton");
    private static final List<String> COMPANIES =
            List.of("Audi", "Toyota", "VW", "Ford", "Kia", "Fiat", "Chevrolet", "Mercedes");
    private static final int COUNT = 10;

    /** Creates ten cars, each after a tenth of the delay. */
    public Multi<Car> cars(int first, int delayMs) {
        Multi<Integer> ids = Multi.createFrom().range(first, first + COUNT);
        if (delayMs > 0) {
            Duration pause = Duration.ofMillis(delayMs / COUNT);
            ids = ids.onItem().call(() -> Uni.createFrom().nullItem().onItem().delayIt().by(pause));
        }
        return ids.map(CarService::makeCar);
    }

    private static Car makeCar(int id) {
        String model = MODELS.get(id % MODELS.size());
        return new Car(id, model, COMPANIES.get(id % COMPANIES.size()));
    }
}
