package tacho;

public class Author {

    public String username;
    public String bio;
    public String image;
    public boolean following;
}
