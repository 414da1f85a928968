package tacho;

import io.micronaut.serde.annotation.Serdeable;
import java.util.List;

@Serdeable
public record ArticleList(List<Article> articles, int articlesCount) {}
