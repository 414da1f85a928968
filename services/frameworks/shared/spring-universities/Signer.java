package tacho;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.util.HexFormat;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

@Component
public class Signer {

    private static final String ALGORITHM = "HmacSHA256";
    private static final int SIGNATURE_BYTES = 8;

    private final SecretKeySpec key;

    public Signer(@Value("${SIGNING_KEY}") String key) {
        this.key = new SecretKeySpec(key.getBytes(UTF_8), ALGORITHM);
    }

    /** Returns the first 16 hexadecimal digits of the text's HMAC-SHA256. */
    public String sign(String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(UTF_8)), 0, SIGNATURE_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
