package tacho;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.security.oauth2.server.resource.autoconfigure.web.reactive.ReactiveOAuth2ResourceServerWebSecurityAutoConfiguration;

// The excluded class requires a token on all other paths. It looks for a security chain of the
// servlet stack and does not find the existing one.
@SpringBootApplication(exclude = ReactiveOAuth2ResourceServerWebSecurityAutoConfiguration.class)
public class Application {

    public static void main(String[] args) {
        SpringApplication.run(Application.class, args);
    }
}
