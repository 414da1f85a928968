package tacho;

import java.util.List;

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
