package tacho;

import io.quarkus.vertx.web.Body;
import io.quarkus.vertx.web.Param;
import io.quarkus.vertx.web.Route;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.DecodeException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

@ApplicationScoped
public class ArticleRoutes {

    @Inject
    ArticleService articleService;

    @Route(path = "/articles/:size", methods = Route.HttpMethod.GET)
    ArticleList getArticles(@Param String size) {
        return articleService.getList(Integer.parseInt(size));
    }

    @Route(path = "/articles", methods = Route.HttpMethod.POST)
    ArticleList answerArticles(@Body ArticleList articles) {
        return articles;
    }

    @Route(type = Route.HandlerType.FAILURE)
    void refuse(DecodeException noJson, HttpServerResponse response) {
        response.setStatusCode(400).end(noJson.getMessage());
    }

    @Route(type = Route.HandlerType.FAILURE)
    void refuse(IllegalArgumentException wrongValue, HttpServerResponse response) {
        response.setStatusCode(400).end(wrongValue.getMessage());
    }
}
