package tacho;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;

@Path("/")
@RegisterRestClient(configKey = "upstream")
public interface UpstreamService {

    // A path on the interface alone would leave the request line without a path.
    @GET
    @Path("/")
    String getAnswer(@QueryParam("nonce") String nonce);
}
