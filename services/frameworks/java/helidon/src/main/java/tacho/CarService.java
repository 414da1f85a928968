package tacho;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.helidon.common.media.type.MediaType;
import io.helidon.common.media.type.MediaTypes;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Iterator;
import java.util.stream.Stream;

class CarService implements HttpService {

    private static final MediaType[] TYPES = {
        MediaTypes.APPLICATION_JSON,
        MediaTypes.APPLICATION_STREAM_JSON,
        MediaTypes.APPLICATION_OCTET_STREAM,
    };

    private final ObjectMapper objectMapper = new ObjectMapper();

    @Override
    public void routing(HttpRules rules) {
        rules.get("/", this::sendCars);
    }

    private void sendCars(ServerRequest request, ServerResponse response) throws IOException {
        int first = request.query().first("first").asInt().orElse(0);
        int delayMs = request.query().first("delay_ms").asInt().orElse(0);
        Stream<Car> cars = Cars.emit(first, delayMs);
        MediaType type = request.headers().bestAccepted(TYPES).orElse(MediaTypes.APPLICATION_JSON);
        if (type.equals(MediaTypes.APPLICATION_JSON)) {
            response.send(cars.toList());
        } else {
            response.headers().contentType(type);
            streamCars(cars.iterator(), response);
        }
    }

    private void streamCars(Iterator<Car> cars, ServerResponse response) throws IOException {
        try (OutputStream out = response.outputStream()) {
            while (cars.hasNext()) {
                out.write(objectMapper.writeValueAsBytes(cars.next()));
                out.write('\n');
                out.flush();
            }
        }
    }
}
