package tacho;

import java.util.Optional;

import io.quarkus.vertx.web.Param;
import io.quarkus.vertx.web.ReactiveRoutes;
import io.quarkus.vertx.web.Route;
import io.smallrye.mutiny.Multi;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.Json;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

@ApplicationScoped
public class CarRoutes {

    @Inject
    CarService carService;

    @Route(
            path = "/cars",
            methods = Route.HttpMethod.GET,
            produces = ReactiveRoutes.APPLICATION_JSON,
            order = 1)
    Multi<Car> getCars(@Param Optional<String> first, @Param("delay_ms") Optional<String> delayMs) {
        return cars(first, delayMs);
    }

    @Route(
            path = "/cars",
            methods = Route.HttpMethod.GET,
            produces = ReactiveRoutes.JSON_STREAM,
            order = 2)
    Multi<Car> streamCars(
            @Param Optional<String> first, @Param("delay_ms") Optional<String> delayMs) {
        return cars(first, delayMs);
    }

    @Route(
            path = "/cars",
            methods = Route.HttpMethod.GET,
            produces = "application/octet-stream",
            order = 3)
    Multi<Buffer> streamCarBytes(
            @Param Optional<String> first, @Param("delay_ms") Optional<String> delayMs) {
        return cars(first, delayMs).map(car -> Json.encodeToBuffer(car).appendString("\n"));
    }

    private Multi<Car> cars(Optional<String> first, Optional<String> delayMs) {
        return carService.cars(
                first.map(Integer::parseInt).orElse(0), delayMs.map(Integer::parseInt).orElse(0));
    }
}
