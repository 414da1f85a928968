package tacho;

public record Author(String username, String bio, String image, boolean following) {}
