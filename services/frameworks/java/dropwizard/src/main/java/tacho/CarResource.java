package tacho;

import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.io.IOException;
import java.util.List;
import org.glassfish.jersey.server.ChunkedOutput;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Streams as ChunkedOutput. A StreamingOutput waits for 8 kB even if it is flushed. */
@Path("/cars")
public class CarResource {

    private static final Logger LOG = LoggerFactory.getLogger(CarResource.class);

    private final ObjectMapper objectMapper;

    public CarResource(ObjectMapper objectMapper) {
        this.objectMapper = objectMapper;
    }

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public List<Car> getCars(
            @QueryParam("first") @DefaultValue("0") int first,
            @QueryParam("delay_ms") @DefaultValue("0") int delayMs) {
        return Cars.emit(first, delayMs).toList();
    }

    @GET
    @Produces({"application/stream+json;qs=0.5", "application/octet-stream;qs=0.5"})
    public ChunkedOutput<String> streamCars(
            @QueryParam("first") @DefaultValue("0") int first,
            @QueryParam("delay_ms") @DefaultValue("0") int delayMs) {
        ChunkedOutput<String> output = new ChunkedOutput<>(String.class, "\n");
        new Thread(() -> sendCars(output, first, delayMs)).start();
        return output;
    }

    private void sendCars(ChunkedOutput<String> output, int first, int delayMs) {
        try (output) {
            Iterable<Car> cars = Cars.emit(first, delayMs)::iterator;
            for (Car car : cars) {
                output.write(objectMapper.writeValueAsString(car));
            }
        } catch (IOException e) {
            LOG.warn("Stream broken off", e);
        }
    }
}
