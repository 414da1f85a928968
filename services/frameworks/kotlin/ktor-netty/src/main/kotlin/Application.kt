import io.ktor.server.application.Application
import io.ktor.server.engine.connector
import io.ktor.server.engine.embeddedServer
import io.ktor.server.netty.Netty

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
