package tacho;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

@RestController
public class CarController {

    private static final byte[] LINE_END = {'\n'};

    private final CarService carService;
    private final JsonMapper jsonMapper;

    public CarController(CarService carService, JsonMapper jsonMapper) {
        this.carService = carService;
        this.jsonMapper = jsonMapper;
    }

    @GetMapping(path = "/cars", produces = MediaType.APPLICATION_JSON_VALUE)
    public Flux<Car> getCars(
            @RequestParam(defaultValue = "0") int first,
            @RequestParam(name = "delay_ms", defaultValue = "0") int delayMs) {
        return carService.cars(first, delayMs);
    }

    @GetMapping(
            path = "/cars",
            produces = {"application/stream+json", MediaType.APPLICATION_OCTET_STREAM_VALUE})
    public Mono<Void> streamCars(
            @RequestHeader("Accept") MediaType accept,
            @RequestParam(defaultValue = "0") int first,
            @RequestParam(name = "delay_ms", defaultValue = "0") int delayMs,
            ServerHttpResponse response) {
        response.getHeaders().setContentType(accept);
        DataBufferFactory buffers = response.bufferFactory();
        return response.writeAndFlushWith(
                carService.cars(first, delayMs).map(car -> Mono.just(makeLine(car, buffers))));
    }

    private DataBuffer makeLine(Car car, DataBufferFactory buffers) {
        return buffers.allocateBuffer(64).write(jsonMapper.writeValueAsBytes(car)).write(LINE_END);
    }
}
