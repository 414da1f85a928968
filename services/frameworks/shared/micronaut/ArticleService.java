package tacho;

import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

@Singleton
public class ArticleService {

    private static final String SENTENCE = "lorem ipsum dolor sit amet ";

    private final Map<Integer, ArticleList> lists = new ConcurrentHashMap<>();

    public ArticleList getList(int size) {
        return lists.computeIfAbsent(size, ArticleService::makeList);
    }

    private static ArticleList makeList(int size) {
        List<Article> articles = makeArticles(size);
        return new ArticleList(articles, articles.size());
    }

    private static List<Article> makeArticles(int size) {
        if (size < 1000) {
            String title = text(size - 45);
            return List.of(
                    new Article(null, title, null, null, null, null, null, null, null, null));
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
        return new Article(
                "article-" + padded,
                "Article " + padded,
                "What article " + padded + " is about",
                body,
                List.of("training", "dragons"),
                "2026-01-01T00:00:00.000Z",
                "2026-01-02T00:00:00.000Z",
                isEven,
                100 + number % 900,
                new Author("author-" + padded, "Writes articles", "author.png", !isEven));
    }

    private static String text(int length) {
        return SENTENCE.repeat(length / SENTENCE.length() + 1).substring(0, length);
    }
}
