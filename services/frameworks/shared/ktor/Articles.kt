import java.util.concurrent.ConcurrentHashMap
import kotlinx.serialization.Serializable

@Serializable
data class ArticleList(val articles: List<Article>, val articlesCount: Int)

@Serializable
data class Article(
    val slug: String? = null,
    val title: String,
    val description: String? = null,
    val body: String? = null,
    val tagList: List<String>? = null,
    val createdAt: String? = null,
    val updatedAt: String? = null,
    val favorited: Boolean? = null,
    val favoritesCount: Int? = null,
    val author: Author? = null,
)

@Serializable
data class Author(
    val username: String,
    val bio: String,
    val image: String,
    val following: Boolean,
)

private const val SENTENCE = "lorem ipsum dolor sit amet "

/** Lists of articles, created at the first request and cached. */
class ArticleLists {
    private val lists = ConcurrentHashMap<Int, ArticleList>()

    operator fun get(size: Int): ArticleList = lists.computeIfAbsent(size, ::makeList)
}

private fun makeList(size: Int): ArticleList {
    val articles = makeArticles(size)
    return ArticleList(articles, articles.size)
}

private fun makeArticles(size: Int): List<Article> {
    if (size < 1000) {
        return listOf(Article(title = text(size - 45)))
    }
    val count = size / 1000
    val bodies = size - 31 - count.toString().length - count * 356
    return List(count) { index ->
        val length = bodies / count + if (index < bodies % count) 1 else 0
        makeArticle(index + 1, text(length))
    }
}

private fun makeArticle(number: Int, body: String): Article {
    val padded = number.toString().padStart(6, '0')
    val isEven = number % 2 == 0
    return Article(
        slug = "article-$padded",
        title = "Article $padded",
        description = "What article $padded is about",
        body = body,
        tagList = listOf("training", "dragons"),
        createdAt = "2026-01-01T00:00:00.000Z",
        updatedAt = "2026-01-02T00:00:00.000Z",
        favorited = isEven,
        favoritesCount = 100 + number % 900,
        author = Author("author-$padded", "Writes articles", "author.png", !isEven),
    )
}

private fun text(length: Int): String =
    SENTENCE.repeat(length / SENTENCE.length + 1).substring(0, length)
