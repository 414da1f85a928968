package tacho;

import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
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
    public String forwardUpstream(@DefaultValue("") @QueryParam("nonce") String nonce) {
        return upstreamService.getAnswer(nonce);
    }

    @GET
    @Path("/health")
    public String health() {
        return "ok";
    }
}
