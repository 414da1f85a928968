package tacho;

import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;

class ArticleService implements HttpService {

    private final ArticleLists articleLists = new ArticleLists();

    @Override
    public void routing(HttpRules rules) {
        rules.get("/{size}", this::sendArticles).post("/", this::answerArticles);
    }

    private void sendArticles(ServerRequest request, ServerResponse response) {
        int size = request.path().pathParameters().first("size").asInt().get();
        response.send(articleLists.getList(size));
    }

    private void answerArticles(ServerRequest request, ServerResponse response) {
        response.send(request.content().as(ArticleList.class));
    }
}
