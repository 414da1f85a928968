package tacho;

import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;

@Controller("/articles")
public class ArticleController {

    private final ArticleService articleService;

    public ArticleController(ArticleService articleService) {
        this.articleService = articleService;
    }

    @Get("/{size}")
    public ArticleList getArticles(int size) {
        return articleService.getList(size);
    }

    @Post
    public ArticleList answerArticles(@Body ArticleList articles) {
        return articles;
    }
}
