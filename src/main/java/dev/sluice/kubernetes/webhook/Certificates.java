package dev.sluice.kubernetes.webhook;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObjectGenerator;

/**
 * An authority of our own and the server certificate that it signed, all as PEM. The API server trusts {@code authorities}, which
 * during a change of the authority holds the old one too, so that replicas that have not changed yet are trusted meanwhile.
 *
 * @param authorities the certificate of the signing authority first
 */
record Certificates(String authorities, String authorityKey, String certificate, String key) {
    static final Duration AUTHORITY_LIFETIME = Duration.ofDays(5 * 365);
    static final Duration LIFETIME = Duration.ofDays(90);
    private static final Duration CLOCKS_DIFFER_BY = Duration.ofHours(1);
    private static final X500Name AUTHORITY = new X500Name("CN=Sluice webhook authority");

    /** @param hosts names or addresses under which the API server calls; the first becomes the subject */
    static Certificates issue(List<String> hosts, Instant now) {
        KeyPair authorityKeys = keys();
        X509Certificate authority = authority(authorityKeys, now);
        return signed(List.of(authority), authorityKeys.getPrivate(), hosts, now);
    }

    /** By the same authority, unless that one would end before the new certificate does. */
    Certificates renewed(List<String> hosts, Instant now) {
        List<X509Certificate> trusted = new ArrayList<>();
        for (X509Certificate each : all(authorities)) {
            if (each.getNotAfter().toInstant().isAfter(now)) {
                trusted.add(each);
            }
        }
        if (!trusted.isEmpty() && trusted.getFirst().getNotAfter().toInstant().isAfter(now.plus(LIFETIME))) {
            return signed(trusted, privateKey(authorityKey), hosts, now);
        }
        KeyPair authorityKeys = keys();
        trusted.addFirst(authority(authorityKeys, now));
        return signed(trusted, authorityKeys.getPrivate(), hosts, now);
    }

    /** Two thirds of its life are over, or it is for other hosts. */
    boolean wantsRenewal(List<String> hosts, Instant now) {
        X509Certificate current = all(certificate).getFirst();
        Instant end = current.getNotAfter().toInstant();
        return now.isAfter(end.minus(LIFETIME.dividedBy(3))) || !names(current).containsAll(hosts);
    }

    /** When the server certificate ends. */
    Instant end() {
        return all(certificate).getFirst().getNotAfter().toInstant();
    }

    private static Certificates signed(
            List<X509Certificate> authorities, PrivateKey authorityKey, List<String> hosts, Instant now) {
        try {
            KeyPair keys = keys();
            X500Name issuer = X500Name.getInstance(
                    authorities.getFirst().getSubjectX500Principal().getEncoded());
            X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                            issuer,
                            serial(),
                            Date.from(now.minus(CLOCKS_DIFFER_BY)),
                            Date.from(now.plus(LIFETIME)),
                            new X500Name("CN=" + hosts.getFirst()),
                            keys.getPublic())
                    .addExtension(
                            Extension.subjectAlternativeName,
                            false,
                            new GeneralNames(hosts.stream()
                                    .map(Certificates::generalName)
                                    .toArray(GeneralName[]::new)))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                    .addExtension(
                            Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
            X509Certificate certificate = certificate(builder, authorityKey);
            return new Certificates(
                    pem(authorities.toArray()),
                    pem(plain(authorityKey)),
                    pem(certificate),
                    pem(plain(keys.getPrivate())));
        } catch (IOException | GeneralSecurityException | OperatorCreationException impossible) {
            throw new IllegalStateException("cannot make a certificate", impossible);
        }
    }

    private static X509Certificate authority(KeyPair keys, Instant now) {
        try {
            X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                            AUTHORITY,
                            serial(),
                            Date.from(now.minus(CLOCKS_DIFFER_BY)),
                            Date.from(now.plus(AUTHORITY_LIFETIME)),
                            AUTHORITY,
                            keys.getPublic())
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign));
            return certificate(builder, keys.getPrivate());
        } catch (IOException | GeneralSecurityException | OperatorCreationException impossible) {
            throw new IllegalStateException("cannot make a certificate authority", impossible);
        }
    }

    private static X509Certificate certificate(X509v3CertificateBuilder builder, PrivateKey by)
            throws OperatorCreationException, GeneralSecurityException {
        ContentSigner signer = new JcaContentSignerBuilder("SHA256withECDSA").build(by);
        return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
    }

    private static GeneralName generalName(String host) {
        boolean address = host.matches("[0-9.]+") || host.contains(":");
        return new GeneralName(address ? GeneralName.iPAddress : GeneralName.dNSName, host);
    }

    private static List<String> names(X509Certificate certificate) {
        try {
            List<String> names = new ArrayList<>();
            certificate.getSubjectAlternativeNames().forEach(name -> names.add(String.valueOf(name.get(1))));
            return names;
        } catch (GeneralSecurityException unreadable) {
            throw new IllegalStateException("a certificate's names cannot be read", unreadable);
        }
    }

    private static KeyPair keys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("this Java cannot make keys", impossible);
        }
    }

    private static BigInteger serial() {
        return new BigInteger(127, new SecureRandom());
    }

    private static PemObjectGenerator plain(PrivateKey key) throws IOException {
        return new JcaPKCS8Generator(key, null);
    }

    private static String pem(Object... objects) {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            for (Object object : objects) {
                writer.writeObject(object);
            }
        } catch (IOException impossible) {
            throw new IllegalStateException("cannot write PEM", impossible);
        }
        return text.toString();
    }

    private static List<X509Certificate> all(String pem) {
        List<X509Certificate> certificates = new ArrayList<>();
        try (PEMParser parser = new PEMParser(new StringReader(pem))) {
            for (Object next = parser.readObject(); next != null; next = parser.readObject()) {
                certificates.add(new JcaX509CertificateConverter().getCertificate((X509CertificateHolder) next));
            }
        } catch (IOException | GeneralSecurityException | ClassCastException unreadable) {
            throw new IllegalArgumentException("it is no certificate in PEM", unreadable);
        }
        return certificates;
    }

    private static PrivateKey privateKey(String pem) {
        try (PEMParser parser = new PEMParser(new StringReader(pem))) {
            return new JcaPEMKeyConverter().getPrivateKey((PrivateKeyInfo) parser.readObject());
        } catch (IOException | ClassCastException unreadable) {
            throw new IllegalArgumentException("it is no private key in PEM", unreadable);
        }
    }

    @Override
    public String toString() {
        return "Certificates until " + end();
    }
}
