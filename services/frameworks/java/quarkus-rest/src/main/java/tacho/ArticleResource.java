package tacho;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

@Path("/articles")
public class ArticleResource {

    @Inject
    ArticleService articleService;

    @GET
    @Path("/{size}")
    public ArticleList getArticles(int size) {
        return articleService.getList(size);
    }

    @POST
    public ArticleList answerArticles(ArticleList articles) {
        return articles;
    }
}
