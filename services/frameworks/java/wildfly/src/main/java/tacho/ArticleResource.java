package tacho;

import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

@Path("/articles")
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public class ArticleResource {

    private static final ArticleLists ARTICLE_LISTS = new ArticleLists();

    @GET
    @Path("/{size}")
    public ArticleList getArticles(@PathParam("size") int size) {
        return ARTICLE_LISTS.getList(size);
    }

    @POST
    public ArticleList answerArticles(ArticleList articles) {
        return articles;
    }
}
