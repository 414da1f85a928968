import io.ktor.client.HttpClient
import io.ktor.client.engine.cio.CIO
import io.ktor.client.request.get
import io.ktor.client.statement.bodyAsText
import io.ktor.server.application.Application
import io.ktor.server.engine.connector
import io.ktor.server.engine.embeddedServer
import io.ktor.server.netty.Netty
import io.ktor.server.response.respondText
import io.ktor.server.routing.get
import io.ktor.server.routing.routing

// The contract's; Ktor's own is 15 s.
const val UPSTREAM_TIMEOUT_MS = 60_000L

fun main() {
    embeddedServer(
        Netty,
        configure = {
            connector {
                host = System.getenv("HOST") ?: "0.0.0.0"
                port = System.getenv("PORT").toInt()
            }
            // SIGTERM stops at once
            shutdownGracePeriod = 0
            shutdownTimeout = 0
        },
        module = Application::module,
    ).start(wait = true)
}

fun Application.module() {
    val upstreamUrl = System.getenv("UPSTREAM_URL")
    val client = HttpClient(CIO) {
        engine { requestTimeout = UPSTREAM_TIMEOUT_MS }
    }

    routing {
        get("/hello") {
            call.respondText("Hello World!")
        }
        get("/") {
            call.respondText(client.get(upstreamUrl).bodyAsText())
        }
        get("/health") {
            call.respondText("ok")
        }
    }
}
