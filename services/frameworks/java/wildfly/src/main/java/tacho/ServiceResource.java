package tacho;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.core.MediaType;

@Path("/")
@Produces(MediaType.TEXT_PLAIN)
public class ServiceResource {

    private static final String UPSTREAM_URL = System.getenv("UPSTREAM_URL");
    private static final Client CLIENT = ClientBuilder.newClient();

    @GET
    public String forwardUpstream() {
        return CLIENT.target(UPSTREAM_URL).request().get(String.class);
    }

    @GET
    @Path("/hello")
    public String hello() {
        return "Hello World!";
    }

    @GET
    @Path("/health")
    public String health() {
        return "ok";
    }
}
