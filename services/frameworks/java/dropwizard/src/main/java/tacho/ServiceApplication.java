package tacho;

import io.dropwizard.client.JerseyClientBuilder;
import io.dropwizard.configuration.EnvironmentVariableSubstitutor;
import io.dropwizard.configuration.SubstitutingSourceProvider;
import io.dropwizard.core.Application;
import io.dropwizard.core.setup.Bootstrap;
import io.dropwizard.core.setup.Environment;
import jakarta.ws.rs.client.Client;

public class ServiceApplication extends Application<ServiceConfiguration> {

    public static void main(String[] args) throws Exception {
        new ServiceApplication().run(args);
    }

    @Override
    public void initialize(Bootstrap<ServiceConfiguration> bootstrap) {
        bootstrap.setConfigurationSourceProvider(new SubstitutingSourceProvider(
                bootstrap.getConfigurationSourceProvider(),
                new EnvironmentVariableSubstitutor(false)));
    }

    @Override
    public void run(ServiceConfiguration configuration, Environment environment) {
        Client client =
                new JerseyClientBuilder(environment).using(configuration.client).build("upstream");
        environment.jersey().register(new ServiceResource(client, configuration.upstreamUrl));
        environment.jersey().register(new CarResource(environment.getObjectMapper()));
        environment.jersey().register(new ArticleResource());
        // SIGTERM stops at once
        environment.lifecycle().addServerLifecycleListener(server -> server.setStopAtShutdown(false));
    }
}
