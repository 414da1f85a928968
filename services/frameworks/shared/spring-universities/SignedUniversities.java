package tacho;

import java.util.List;

public record SignedUniversities(long stamp, String signature, List<University> universities) {}
