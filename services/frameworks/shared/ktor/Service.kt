import io.ktor.client.HttpClient
import io.ktor.client.engine.cio.CIO
import io.ktor.client.engine.cio.endpoint
import io.ktor.client.request.get
import io.ktor.client.request.parameter
import io.ktor.client.statement.bodyAsText
import io.ktor.http.ContentType
import io.ktor.serialization.kotlinx.json.json
import io.ktor.server.application.Application
import io.ktor.server.application.install
import io.ktor.server.plugins.contentnegotiation.ContentNegotiation
import io.ktor.server.request.accept
import io.ktor.server.request.receive
import io.ktor.server.response.respond
import io.ktor.server.response.respondBytesWriter
import io.ktor.server.response.respondText
import io.ktor.server.routing.RoutingContext
import io.ktor.server.routing.get
import io.ktor.server.routing.post
import io.ktor.server.routing.routing
import io.ktor.server.util.getOrFail
import io.ktor.utils.io.writeStringUtf8
import kotlinx.coroutines.flow.toList
import kotlinx.serialization.json.Json

// The contract requires 60 s. Ktor's default is 15 s.
const val UPSTREAM_TIMEOUT_MS = 60_000L

// The contract requires 1,000. Ktor's default is 100.
const val UPSTREAM_CONNECTIONS = 1000

val STREAM_TYPES =
    listOf(ContentType("application", "stream+json"), ContentType.Application.OctetStream)

fun Application.module() {
    val upstreamUrl = System.getenv("UPSTREAM_URL")
    val client = HttpClient(CIO) {
        expectSuccess = true
        engine {
            requestTimeout = UPSTREAM_TIMEOUT_MS
            endpoint { maxConnectionsPerRoute = UPSTREAM_CONNECTIONS }
        }
    }
    val articleLists = ArticleLists()

    install(ContentNegotiation) {
        // As the contract requires: ignore unknown fields, and do not add missing fields.
        json(Json { ignoreUnknownKeys = true })
    }

    routing {
        get("/hello") {
            call.respondText("Hello World!")
        }
        get("/") {
            val answer = client.get(upstreamUrl) {
                parameter("nonce", call.queryParameters["nonce"].orEmpty())
            }
            call.respondText(answer.bodyAsText())
        }
        get("/cars") {
            val accept = call.request.accept()?.let(ContentType::parse)
            if (accept in STREAM_TYPES) streamCars(accept) else call.respond(askedCars().toList())
        }
        get("/articles/{size}") {
            call.respond(articleLists[call.parameters.getOrFail<Int>("size")])
        }
        post("/articles") {
            call.respond(call.receive<ArticleList>())
        }
        get("/health") {
            call.respondText("ok")
        }
    }
}

private fun RoutingContext.askedCars() = cars(
    first = call.queryParameters["first"]?.toInt() ?: 0,
    delayMs = call.queryParameters["delay_ms"]?.toLong() ?: 0,
)

private suspend fun RoutingContext.streamCars(contentType: ContentType?) {
    call.respondBytesWriter(contentType) {
        askedCars().collect { car ->
            writeStringUtf8(Json.encodeToString(car) + "\n")
            flush()
        }
    }
}
