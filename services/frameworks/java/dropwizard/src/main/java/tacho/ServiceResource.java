package tacho;

import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.ServerErrorException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

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
    public String forwardUpstream(@DefaultValue("") @QueryParam("nonce") String nonce) {
        try {
            return client.target(upstreamUrl)
                    .queryParam("nonce", nonce)
                    .request()
                    .get(String.class);
        } catch (WebApplicationException e) {
            // Without this, the client would receive the upstream's own status.
            throw new ServerErrorException(Response.Status.BAD_GATEWAY, e);
        }
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
