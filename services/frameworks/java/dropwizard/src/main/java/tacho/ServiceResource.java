package tacho;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.core.MediaType;

@Path("/")
@Produces(MediaType.TEXT_PLAIN)
public class ServiceResource {

    private final Client client;
    private final String upstreamUrl;

    public ServiceResource(Client client, String upstreamUrl) {
        this.client = client;
        this.upstreamUrl = upstreamUrl;
    }

    @GET
    public String forwardUpstream() {
        return client.target(upstreamUrl).request().get(String.class);
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
