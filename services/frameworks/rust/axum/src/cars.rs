//! A stream of ten cars, each after a tenth of the delay.

use std::time::Duration;

use axum::{
    Json,
    body::Body,
    extract::Query,
    http::{
        HeaderMap,
        header::{ACCEPT, CONTENT_TYPE},
    },
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;
use tokio_stream::{Stream, StreamExt};

const MODELS: [&str; 11] = [
    "e-tron",
    "TT Coupé",
    "Nova",
    "Uno",
    "Kuga",
    "Pinto",
    "Probe",
    "Vaneo",
    "iMIEV",
    "Opa",
    "Phaeton",
];
const COMPANIES: [&str; 8] = [
    "Audi",
    "Toyota",
    "VW",
    "Ford",
    "Kia",
    "Fiat",
    "Chevrolet",
    "Mercedes",
];
const COUNT: u32 = 10;

#[derive(Serialize)]
struct Car {
    id: u32,
    model: &'static str,
    company: &'static str,
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
pub struct Wanted {
    first: u32,
    delay_ms: u32,
}

fn cars(wanted: Wanted) -> impl Stream<Item = Car> {
    let pause = Duration::from_millis(wanted.delay_ms.into()) / COUNT;
    tokio_stream::iter(wanted.first..wanted.first + COUNT).then(move |id| async move {
        if !pause.is_zero() {
            sleep(pause).await;
        }
        Car {
            id,
            model: MODELS[id as usize % MODELS.len()],
            company: COMPANIES[id as usize % COMPANIES.len()],
        }
    })
}

fn car_line(car: Car) -> serde_json::Result<String> {
    Ok(serde_json::to_string(&car)? + "\n")
}

pub async fn get_cars(headers: HeaderMap, Query(wanted): Query<Wanted>) -> Response {
    match headers.get(ACCEPT) {
        Some(accept)
            if accept == "application/stream+json" || accept == "application/octet-stream" =>
        {
            let lines = Body::from_stream(cars(wanted).map(car_line));
            ([(CONTENT_TYPE, accept.clone())], lines).into_response()
        }
        _ => Json(cars(wanted).collect::<Vec<_>>().await).into_response(),
    }
}
