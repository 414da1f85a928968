package tacho;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Header;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.annotation.RouteCondition;
import io.micronaut.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import reactor.core.publisher.Flux;

@Controller("/cars")
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
    public Flux<Car> getCars(
            @QueryValue(defaultValue = "0") int first,
            @QueryValue(value = "delay_ms", defaultValue = "0") int delayMs) {
        return carService.cars(first, delayMs);
    }

    @RouteCondition(ACCEPT_NAMES_TYPE)
    @Get(produces = {"application/stream+json", MediaType.APPLICATION_OCTET_STREAM})
    public HttpResponse<Flux<byte[]>> streamCars(
            @Header("Accept") MediaType accept,
            @QueryValue(defaultValue = "0") int first,
            @QueryValue(value = "delay_ms", defaultValue = "0") int delayMs) {
        Flux<byte[]> lines = carService.cars(first, delayMs).map(this::makeLine);
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
