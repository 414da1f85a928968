package tacho;

import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.ServerErrorException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.jboss.resteasy.client.jaxrs.ResteasyClientBuilder;

@Path("/")
@Produces(MediaType.TEXT_PLAIN)
public class ServiceResource {

    private static final String UPSTREAM_URL = System.getenv("UPSTREAM_URL");
    // The contract requires 1,000 connections. RESTEasy's default is 50.
    private static final int UPSTREAM_CONNECTIONS = 1000;
    private static final Client CLIENT = ((ResteasyClientBuilder) ClientBuilder.newBuilder())
            .connectionPoolSize(UPSTREAM_CONNECTIONS)
            .build();

    @GET
    public String forwardUpstream(@DefaultValue("") @QueryParam("nonce") String nonce) {
        try {
            return CLIENT.target(UPSTREAM_URL)
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
