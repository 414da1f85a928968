package tacho;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Header;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.annotation.RouteCondition;
import io.micronaut.json.JsonMapper;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Flux;

@Controller("/cars")
@ExecuteOn(TaskExecutors.BLOCKING)
public class CarController {

    // A request that accepts every type would match both routes, which Micronaut refuses.
    private static final String ACCEPT_NAMES_TYPE =
            "#{not empty request.headers.accept() and request.headers.accept()[0].name != '*/*'}";

    private final CarService carService;
    private final JsonMapper jsonMapper;

    public CarController(CarService carService, JsonMapper jsonMapper) {
        this.carService = carService;
        this.jsonMapper = jsonMapper;
    }

    @Get
    public List<Car> getCars(
            @QueryValue(defaultValue = "0") int first,
            @QueryValue(value = "delay_ms", defaultValue = "0") int delayMs) {
        List<Car> cars = new ArrayList<>();
        carService.cars(first, delayMs).forEach(cars::add);
        return cars;
    }

    @RouteCondition(ACCEPT_NAMES_TYPE)
    @Get(produces = {"application/stream+json", MediaType.APPLICATION_OCTET_STREAM})
    public HttpResponse<Flux<byte[]>> streamCars(
            @Header("Accept") MediaType accept,
            @QueryValue(defaultValue = "0") int first,
            @QueryValue(value = "delay_ms", defaultValue = "0") int delayMs) {
        Flux<byte[]> lines = Flux.fromIterable(carService.cars(first, delayMs)).map(this::makeLine);
        return HttpResponse.ok(lines).contentType(accept);
    }

    private byte[] makeLine(Car car) {
        try {
            String line = jsonMapper.writeValueAsString(car) + "\n";
            return line.getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
