package tacho;

import io.vertx.core.Deployable;
import io.vertx.launcher.application.HookContext;
import io.vertx.launcher.application.VertxApplication;
import io.vertx.launcher.application.VertxApplicationHooks;
import java.util.function.Supplier;

public class Main {

    public static void main(String[] args) {
        new VertxApplication(args, new InstancePerCpu()).launch();
    }

    private static class InstancePerCpu implements VertxApplicationHooks {

        @Override
        public Supplier<? extends Deployable> verticleSupplier() {
            return MainVerticle::new;
        }

        @Override
        public void beforeDeployingVerticle(HookContext context) {
            context.deploymentOptions().setInstances(Runtime.getRuntime().availableProcessors());
        }
    }
}
