package tacho;

import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.StreamingOutput;
import java.nio.charset.StandardCharsets;
import java.util.List;

@Path("/cars")
public class CarResource {

    private static final Jsonb JSONB = JsonbBuilder.create();

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public List<Car> getCars(
            @QueryParam("first") @DefaultValue("0") int first,
            @QueryParam("delay_ms") @DefaultValue("0") int delayMs) {
        return Cars.emit(first, delayMs).toList();
    }

    @GET
    @Produces({"application/stream+json;qs=0.5", "application/octet-stream;qs=0.5"})
    public StreamingOutput streamCars(
            @QueryParam("first") @DefaultValue("0") int first,
            @QueryParam("delay_ms") @DefaultValue("0") int delayMs) {
        return output -> {
            Iterable<Car> cars = Cars.emit(first, delayMs)::iterator;
            for (Car car : cars) {
                String line = JSONB.toJson(car) + "\n";
                output.write(line.getBytes(StandardCharsets.UTF_8));
                output.flush();
            }
        };
    }
}
