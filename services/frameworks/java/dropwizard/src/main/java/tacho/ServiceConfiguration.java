package tacho;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.dropwizard.client.JerseyClientConfiguration;
import io.dropwizard.core.Configuration;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;

public class ServiceConfiguration extends Configuration {

    @JsonProperty
    public String upstreamUrl;

    @Valid
    @NotNull
    @JsonProperty
    public JerseyClientConfiguration client = new JerseyClientConfiguration();
}
