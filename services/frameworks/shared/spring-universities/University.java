package tacho;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonProperty;

public record University(
        @JsonProperty("web_pages") List<String> webPages,
        String name,
        List<String> domains,
        @JsonProperty("alpha_two_code") String alphaTwoCode,
        String country,
        @JsonProperty("state-province") String stateProvince) {}
