package tacho;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import tools.jackson.databind.json.JsonMapper;

@RestController
public class CarController {

    private final CarService carService;
    private final JsonMapper jsonMapper;
    private final AsyncTaskExecutor taskExecutor;

    public CarController(
            CarService carService, JsonMapper jsonMapper, AsyncTaskExecutor taskExecutor) {
        this.carService = carService;
        this.jsonMapper = jsonMapper;
        this.taskExecutor = taskExecutor;
    }

    @GetMapping(path = "/cars", produces = MediaType.APPLICATION_JSON_VALUE)
    public List<Car> getCars(
            @RequestParam(defaultValue = "0") int first,
            @RequestParam(name = "delay_ms", defaultValue = "0") int delayMs) {
        List<Car> cars = new ArrayList<>();
        carService.cars(first, delayMs).forEach(cars::add);
        return cars;
    }

    @GetMapping(
            path = "/cars",
            produces = {"application/stream+json", MediaType.APPLICATION_OCTET_STREAM_VALUE})
    public ResponseEntity<ResponseBodyEmitter> streamCars(
            @RequestHeader("Accept") MediaType accept,
            @RequestParam(defaultValue = "0") int first,
            @RequestParam(name = "delay_ms", defaultValue = "0") int delayMs) {
        ResponseBodyEmitter emitter = new ResponseBodyEmitter();
        taskExecutor.execute(() -> sendCars(emitter, first, delayMs));
        return ResponseEntity.ok().contentType(accept).body(emitter);
    }

    private void sendCars(ResponseBodyEmitter emitter, int first, int delayMs) {
        try {
            for (Car car : carService.cars(first, delayMs)) {
                emitter.send(jsonMapper.writeValueAsString(car) + "\n");
            }
            emitter.complete();
        } catch (IOException e) {
            emitter.completeWithError(e);
        }
    }
}
