//! A service under test on axum, with reqwest for the upstream.

mod articles;
mod cars;

use std::{env, error::Error};

use articles::Lists;
use axum::{
    Router,
    extract::{Query, State},
    http::StatusCode,
    routing::{get, post},
};
use reqwest::Client;
use serde::{Deserialize, Serialize};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};

#[derive(Clone, Default)]
struct AppState {
    client: Client,
    lists: Lists,
}

#[derive(Deserialize, Serialize)]
struct UpstreamQuery {
    #[serde(default)]
    nonce: String,
}

#[tokio::main]
async fn main() {
    let app = Router::new()
        .route("/hello", get(async || "Hello World!"))
        .route("/", get(forward_upstream))
        .route("/cars", get(cars::get_cars))
        .route("/articles/{size}", get(articles::get_articles))
        .route("/articles", post(articles::answer_articles))
        .route("/health", get(async || "ok"))
        .with_state(AppState::default());

    let host = env::var("HOST").unwrap_or("0.0.0.0".into());
    let port = env::var("PORT").expect("PORT is not set");
    let listener = TcpListener::bind(format!("{host}:{port}")).await.unwrap();
    let mut terminate = signal(SignalKind::terminate()).unwrap();
    tokio::select! {
        served = axum::serve(listener, app) => served.unwrap(),
        _ = terminate.recv() => {}
    }
}

async fn forward_upstream(
    State(state): State<AppState>,
    Query(query): Query<UpstreamQuery>,
) -> Result<String, StatusCode> {
    call_upstream(state.client, query).await.map_err(|error| {
        eprintln!("{error}");
        StatusCode::BAD_GATEWAY
    })
}

async fn call_upstream(
    client: Client,
    query: UpstreamQuery,
) -> Result<String, Box<dyn Error + Send + Sync>> {
    let url = env::var("UPSTREAM_URL")?;
    let answer = client.get(url).query(&query).send().await?;
    if !answer.status().is_success() {
        return Err(format!("the upstream answered {}", answer.status()).into());
    }
    Ok(answer.text().await?)
}
