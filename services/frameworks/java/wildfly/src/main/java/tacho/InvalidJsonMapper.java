package tacho;

import jakarta.json.JsonException;
import jakarta.json.bind.JsonbException;
import jakarta.ws.rs.ProcessingException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

/** RESTEasy answers 500 where JSON-B cannot read the request's body. */
@Provider
public class InvalidJsonMapper implements ExceptionMapper<ProcessingException> {

    @Override
    public Response toResponse(ProcessingException exception) {
        Throwable cause = exception.getCause();
        boolean isInvalidJson = cause instanceof JsonbException || cause instanceof JsonException;
        return Response.status(
                        isInvalidJson ? Response.Status.BAD_REQUEST : Response.Status.BAD_GATEWAY)
                .build();
    }
}
