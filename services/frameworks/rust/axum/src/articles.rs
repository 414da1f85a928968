//! Lists of articles, from objects in memory and back to them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use axum::{
    Json,
    extract::{Path, State},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};

use crate::AppState;

const SENTENCE: &str = "lorem ipsum dolor sit amet ";

/// Size to list.
pub type Lists = Arc<Mutex<HashMap<usize, Arc<ArticleList>>>>;

#[derive(Serialize, Deserialize)]
struct Author {
    username: String,
    bio: String,
    image: String,
    following: bool,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Article {
    #[serde(skip_serializing_if = "Option::is_none")]
    slug: Option<String>,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag_list: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    favorited: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    favorites_count: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<Author>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArticleList {
    articles: Vec<Article>,
    articles_count: usize,
}

fn text(length: usize) -> String {
    SENTENCE.chars().cycle().take(length).collect()
}

fn make_article(number: usize, body: String) -> Article {
    let is_even = number % 2 == 0;
    Article {
        slug: Some(format!("article-{number:06}")),
        title: format!("Article {number:06}"),
        description: Some(format!("What article {number:06} is about")),
        body: Some(body),
        tag_list: Some(vec!["training".into(), "dragons".into()]),
        created_at: Some("2026-01-01T00:00:00.000Z".into()),
        updated_at: Some("2026-01-02T00:00:00.000Z".into()),
        favorited: Some(is_even),
        favorites_count: Some((100 + number % 900) as i32),
        author: Some(Author {
            username: format!("author-{number:06}"),
            bio: "Writes articles".into(),
            image: "author.png".into(),
            following: !is_even,
        }),
    }
}

fn make_articles(size: usize) -> Vec<Article> {
    if size < 1000 {
        let title = text(size.saturating_sub(45));
        return vec![Article {
            title,
            ..Article::default()
        }];
    }
    let count = size / 1000;
    let bodies = size - 31 - count.to_string().len() - count * 356;
    (0..count)
        .map(|index| {
            let length = bodies / count + usize::from(index < bodies % count);
            make_article(index + 1, text(length))
        })
        .collect()
}

fn make_list(size: usize) -> Arc<ArticleList> {
    let articles = make_articles(size);
    Arc::new(ArticleList {
        articles_count: articles.len(),
        articles,
    })
}

pub async fn get_articles(State(state): State<AppState>, Path(size): Path<usize>) -> Response {
    let list = state
        .lists
        .lock()
        .unwrap()
        .entry(size)
        .or_insert_with(|| make_list(size))
        .clone();
    Json(list.as_ref()).into_response()
}

pub async fn answer_articles(Json(list): Json<ArticleList>) -> Json<ArticleList> {
    Json(list)
}
