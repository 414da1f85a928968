package tacho;

import java.util.List;

public class ArticleList {

    public List<Article> articles;
    public int articlesCount;
}
