package tacho;

import org.springframework.stereotype.Service;

@Service
public class ArticleService extends ArticleLists {
}
