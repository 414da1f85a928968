package tacho;

import java.nio.charset.StandardCharsets;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.unchecked.Unchecked;
import jakarta.inject.Inject;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.jboss.resteasy.reactive.RestQuery;
import org.jboss.resteasy.reactive.common.util.RestMediaType;

@Path("/cars")
public class CarResource {

    @Inject
    CarService carService;

    @Inject
    ObjectMapper objectMapper;

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public Multi<Car> getCars(
            @RestQuery @DefaultValue("0") int first,
            @RestQuery("delay_ms") @DefaultValue("0") int delayMs) {
        return carService.cars(first, delayMs);
    }

    @GET
    @Produces(RestMediaType.APPLICATION_STREAM_JSON)
    public Multi<Car> streamCars(
            @RestQuery @DefaultValue("0") int first,
            @RestQuery("delay_ms") @DefaultValue("0") int delayMs) {
        return carService.cars(first, delayMs);
    }

    @GET
    @Produces(MediaType.APPLICATION_OCTET_STREAM)
    public Multi<byte[]> streamCarBytes(
            @RestQuery @DefaultValue("0") int first,
            @RestQuery("delay_ms") @DefaultValue("0") int delayMs) {
        return carService.cars(first, delayMs).map(Unchecked.function(this::makeLine));
    }

    private byte[] makeLine(Car car) throws JsonProcessingException {
        return (objectMapper.writeValueAsString(car) + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
