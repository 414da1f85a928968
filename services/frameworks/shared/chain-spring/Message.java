package tacho;

public record Message(Long number, String text) {

    private static final int MOST_CHARACTERS = 1_000_000;

    public boolean isValid() {
        return number != null
                && number >= 0
                && number < Step.MODULUS
                && text != null
                && !text.isEmpty()
                && text.length() <= MOST_CHARACTERS;
    }
}
