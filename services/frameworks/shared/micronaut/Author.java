package tacho;

import io.micronaut.serde.annotation.Serdeable;

@Serdeable
public record Author(String username, String bio, String image, boolean following) {}
