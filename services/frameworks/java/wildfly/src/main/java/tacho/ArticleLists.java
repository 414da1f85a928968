package tacho;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/** Lists of articles, created at the first request and cached. */
class ArticleLists {

    private static final String SENTENCE = "lorem ipsum dolor sit amet ";

    private final Map<Integer, ArticleList> lists = new ConcurrentHashMap<>();

    ArticleList getList(int size) {
        return lists.computeIfAbsent(size, ArticleLists::makeList);
    }

    private static ArticleList makeList(int size) {
        List<Article> articles = makeArticles(size);
        ArticleList list = new ArticleList();
        list.articles = articles;
        list.articlesCount = articles.size();
        return list;
    }

    private static List<Article> makeArticles(int size) {
        if (size < 1000) {
            Article article = new Article();
            article.title = text(size - 45);
            return List.of(article);
        }
        int count = size / 1000;
        int bodies = size - 31 - String.valueOf(count).length() - count * 356;
        return IntStream.range(0, count)
                .mapToObj(index -> {
                    int length = bodies / count + (index < bodies % count ? 1 : 0);
                    return makeArticle(index + 1, text(length));
                })
                .toList();
    }

    private static Article makeArticle(int number, String body) {
        String padded = String.format("%06d", number);
        boolean isEven = number % 2 == 0;
        Author author = new Author();
        author.username = "author-" + padded;
        author.bio = "Writes articles";
        author.image = "author.png";
        author.following = !isEven;

        Article article = new Article();
        article.slug = "article-" + padded;
        article.title = "Article " + padded;
        article.description = "What article " + padded + " is about";
        article.body = body;
        article.tagList = List.of("training", "dragons");
        article.createdAt = "2026-01-01T00:00:00.000Z";
        article.updatedAt = "2026-01-02T00:00:00.000Z";
        article.favorited = isEven;
        article.favoritesCount = 100 + number % 900;
        article.author = author;
        return article;
    }

    private static String text(int length) {
        return SENTENCE.repeat(length / SENTENCE.length() + 1).substring(0, length);
    }
}
