package tacho;

import io.micronaut.serde.annotation.Serdeable;

@Serdeable
public record Car(int id, String model, String company) {}
