package tacho;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.springframework.security.config.Customizer.withDefaults;
import static org.springframework.security.web.server.util.matcher.ServerWebExchangeMatchers.pathMatchers;

import javax.crypto.spec.SecretKeySpec;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.oauth2.jwt.NimbusReactiveJwtDecoder;
import org.springframework.security.oauth2.jwt.ReactiveJwtDecoder;
import org.springframework.security.oauth2.jwt.SupplierReactiveJwtDecoder;
import org.springframework.security.web.server.SecurityWebFilterChain;

@Configuration
@EnableWebFluxSecurity
public class SecurityConfiguration {

    @Bean
    public SecurityWebFilterChain universitiesFilterChain(ServerHttpSecurity http) {
        return http.securityMatcher(pathMatchers("/universities/**"))
                .authorizeExchange(exchanges -> exchanges.anyExchange().authenticated())
                .oauth2ResourceServer(oauth2 -> oauth2.jwt(withDefaults()))
                .build();
    }

    // Created when first needed, because hello-gateway has no JWT_SECRET.
    @Bean
    public ReactiveJwtDecoder jwtDecoder(@Value("${JWT_SECRET:}") String secret) {
        return new SupplierReactiveJwtDecoder(
                () ->
                        NimbusReactiveJwtDecoder.withSecretKey(
                                        new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"))
                                .build());
    }
}
