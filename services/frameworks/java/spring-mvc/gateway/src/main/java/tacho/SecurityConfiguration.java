package tacho;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.springframework.security.config.Customizer.withDefaults;

import javax.crypto.spec.SecretKeySpec;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.SupplierJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;

@Configuration
@EnableWebSecurity
public class SecurityConfiguration {

    @Bean
    public SecurityFilterChain universitiesFilterChain(HttpSecurity http) {
        return http.securityMatcher("/universities/**")
                .authorizeHttpRequests(authorize -> authorize.anyRequest().authenticated())
                .oauth2ResourceServer(oauth2 -> oauth2.jwt(withDefaults()))
                .build();
    }

    // Created when first needed, because hello-gateway has no JWT_SECRET.
    @Bean
    public JwtDecoder jwtDecoder(@Value("${JWT_SECRET:}") String secret) {
        return new SupplierJwtDecoder(
                () ->
                        NimbusJwtDecoder.withSecretKey(
                                        new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"))
                                .build());
    }
}
