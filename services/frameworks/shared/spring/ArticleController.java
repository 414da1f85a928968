package tacho;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class ArticleController {

    private final ArticleService articleService;

    public ArticleController(ArticleService articleService) {
        this.articleService = articleService;
    }

    @GetMapping("/articles/{size}")
    public ArticleList getArticles(@PathVariable int size) {
        return articleService.getList(size);
    }

    @PostMapping("/articles")
    public ArticleList answerArticles(@RequestBody ArticleList articles) {
        return articles;
    }
}
