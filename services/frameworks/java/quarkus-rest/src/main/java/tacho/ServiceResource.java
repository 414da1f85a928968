package tacho;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.rest.client.inject.RestClient;

@Path("/")
@Produces(MediaType.TEXT_PLAIN)
public class ServiceResource {

    @RestClient
    UpstreamService upstreamService;

    @GET
    @Path("/hello")
    public String hello() {
        return "Hello World!";
    }

    @GET
    public String forwardUpstream() {
        return upstreamService.getNumber();
    }

    @GET
    @Path("/health")
    public String health() {
        return "ok";
    }
}
