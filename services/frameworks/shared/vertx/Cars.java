package tacho;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.function.Function;

/** Creates ten cars, each after a tenth of the delay. */
class Cars {

    private static final List<String> MODELS = List.of(
            "e-tron", "TT Coupé", "Nova", "Uno", "Kuga", "Pinto", "Probe", "Vaneo", "iMIEV", "Opa",
            "Phaeton");
    private static final List<String> COMPANIES =
            List.of("Audi", "Toyota", "VW", "Ford", "Kia", "Fiat", "Chevrolet", "Mercedes");
    private static final int COUNT = 10;

    private final Vertx vertx;

    Cars(Vertx vertx) {
        this.vertx = vertx;
    }

    /** Passes each car to the listener, which must have taken the car before. */
    Future<Void> emit(int first, int delayMs, Function<Car, Future<Void>> listener) {
        return emit(first, first + COUNT, delayMs / COUNT, listener);
    }

    private Future<Void> emit(int id, int end, int pauseMs, Function<Car, Future<Void>> listener) {
        if (id == end) {
            return Future.succeededFuture();
        }
        return pause(pauseMs)
                .compose(waited -> listener.apply(makeCar(id)))
                .compose(taken -> emit(id + 1, end, pauseMs, listener));
    }

    private Future<Void> pause(int delayMs) {
        return delayMs == 0 ? Future.succeededFuture() : vertx.timer(delayMs);
    }

    private static Car makeCar(int id) {
        String model = MODELS.get(id % MODELS.size());
        return new Car(id, model, COMPANIES.get(id % COMPANIES.size()));
    }
}
