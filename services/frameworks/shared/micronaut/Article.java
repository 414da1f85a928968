package tacho;

import io.micronaut.serde.annotation.Serdeable;
import java.util.List;

@Serdeable
public record Article(
        String slug,
        String title,
        String description,
        String body,
        List<String> tagList,
        String createdAt,
        String updatedAt,
        Boolean favorited,
        Integer favoritesCount,
        Author author) {}
