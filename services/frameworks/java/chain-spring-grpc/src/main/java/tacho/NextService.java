package tacho;

import java.util.Map;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.env.Environment;
import org.springframework.grpc.client.GrpcChannelFactory;
import org.springframework.stereotype.Service;
import tacho.chain.ChainGrpc;
import tacho.chain.ChainProto;

/** The next service of the chain, which the sixth service does not have. */
@Service
public class NextService {

    private static final Map<String, String> NEXT =
            Map.of(
                    "first", "second",
                    "second", "third",
                    "third", "fourth",
                    "fourth", "fifth",
                    "fifth", "sixth");

    private final ChainGrpc.ChainBlockingStub stub;

    public NextService(
            GrpcChannelFactory channels,
            Environment environment,
            @Value("${PART:first}") String part) {
        this.stub = NEXT.containsKey(part) ? newStub(channels, environment, NEXT.get(part)) : null;
    }

    private static ChainGrpc.ChainBlockingStub newStub(
            GrpcChannelFactory channels, Environment environment, String next) {
        String port = environment.getRequiredProperty(next.toUpperCase() + "_RPC_PORT");
        return ChainGrpc.newBlockingStub(channels.createChannel("static://127.0.0.1:" + port));
    }

    public boolean exists() {
        return stub != null;
    }

    public Answer pass(Message message) {
        ChainProto.Answer answer =
                stub.pass(
                        ChainProto.Message.newBuilder()
                                .setNumber(message.number())
                                .setText(message.text())
                                .build());
        return new Answer(answer.getNumber(), answer.getStampsList(), answer.getText());
    }
}
