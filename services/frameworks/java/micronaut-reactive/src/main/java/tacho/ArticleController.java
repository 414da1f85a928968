package tacho;

import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import reactor.core.publisher.Mono;

@Controller("/articles")
public class ArticleController {

    private final ArticleService articleService;

    public ArticleController(ArticleService articleService) {
        this.articleService = articleService;
    }

    @Get("/{size}")
    public Mono<ArticleList> getArticles(int size) {
        return Mono.just(articleService.getList(size));
    }

    @Post
    public Mono<ArticleList> answerArticles(@Body Mono<ArticleList> articles) {
        return articles;
    }
}
