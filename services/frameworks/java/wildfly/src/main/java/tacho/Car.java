package tacho;

public class Car {

    public int id;
    public String model;
    public String company;

    public Car(int id, String model, String company) {
        this.id = id;
        this.model = model;
        this.company = company;
    }
}
