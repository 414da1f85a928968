package tacho;

import io.grpc.stub.StreamObserver;
import org.springframework.grpc.server.service.GrpcService;
import tacho.chain.ChainGrpc;
import tacho.chain.ChainProto;

@GrpcService
public class ChainGrpcService extends ChainGrpc.ChainImplBase {

    private final Chain chain;

    public ChainGrpcService(Chain chain) {
        this.chain = chain;
    }

    @Override
    public void pass(ChainProto.Message message, StreamObserver<ChainProto.Answer> observer) {
        Answer answer = chain.pass(new Message(message.getNumber(), message.getText()));
        observer.onNext(
                ChainProto.Answer.newBuilder()
                        .setNumber(answer.number())
                        .addAllStamps(answer.stamps())
                        .setText(answer.text())
                        .build());
        observer.onCompleted();
    }
}
