import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.serialization.Serializable

@Serializable
data class Car(val id: Int, val model: String, val company: String)

private val MODELS = listOf(
    "e-tron", "TT Coupé", "Nova", "Uno", "Kuga", "Pinto", "Probe", "Vaneo", "iMIEV", "Opa",
    "Phaeton",
)
private val COMPANIES =
    listOf("Audi", "Toyota", "VW", "Ford", "Kia", "Fiat", "Chevrolet", "Mercedes")
private const val COUNT = 10

/** Creates ten cars, each after a tenth of the delay. */
fun cars(first: Int, delayMs: Long): Flow<Car> = flow {
    for (id in first until first + COUNT) {
        delay(delayMs / COUNT)
        emit(Car(id, MODELS[id % MODELS.size], COMPANIES[id % COMPANIES.size]))
    }
}
