package tacho;

import jakarta.enterprise.context.ApplicationScoped;

@ApplicationScoped
public class ArticleService extends ArticleLists {
}
