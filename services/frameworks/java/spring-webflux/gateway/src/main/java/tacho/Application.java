package tacho;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.security.oauth2.server.resource.autoconfigure.web.reactive.ReactiveOAuth2ResourceServerWebSecurityAutoConfiguration;

// The excluded one asks for a token on all other paths: it does not see that a chain is there,
// because it looks for one of the servlet stack.
@SpringBootApplication(exclude = ReactiveOAuth2ResourceServerWebSecurityAutoConfiguration.class)
public class Application {

    public static void main(String[] args) {
        SpringApplication.run(Application.class, args);
    }
}
