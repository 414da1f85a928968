package tacho;

public record Car(int id, String model, String company) {}
