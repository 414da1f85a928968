package tacho;

import jakarta.inject.Singleton;

@Singleton
public class ArticleService extends ArticleLists {
}
