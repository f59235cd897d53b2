package dev.sluice.kubernetes.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

class CertificatesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final List<String> HOSTS = List.of("sluice-webhook.sluice.svc", "127.0.0.1");

    private final Certificates first = Certificates.issue(HOSTS, NOW);

    @Test
    void the_certificate_is_signed_by_its_authority_and_made_out_to_every_host() throws GeneralSecurityException {
        X509Certificate certificate = all(first.certificate()).getFirst();

        certificate.verify(all(first.authorities()).getFirst().getPublicKey());
        assertThat(certificate.getSubjectAlternativeNames())
                .extracting(name -> String.valueOf(name.get(1)))
                .containsExactlyElementsOf(HOSTS);
    }

    @Test
    void it_wants_renewal_when_two_thirds_of_its_life_are_over_or_hosts_are_new() {
        assertThat(first.wantsRenewal(HOSTS, NOW.plus(Duration.ofDays(59)))).isFalse();
        assertThat(first.wantsRenewal(HOSTS, NOW.plus(Duration.ofDays(61)))).isTrue();
        assertThat(first.wantsRenewal(List.of("other.svc"), NOW)).isTrue();
    }

    @Test
    void a_renewed_one_is_of_the_same_authority_so_that_no_bundle_changes() throws GeneralSecurityException {
        Certificates renewed = first.renewed(HOSTS, NOW.plus(Duration.ofDays(61)));

        assertThat(renewed.authorities()).isEqualTo(first.authorities());
        assertThat(renewed.end()).isAfter(first.end());
        all(renewed.certificate())
                .getFirst()
                .verify(all(first.authorities()).getFirst().getPublicKey());
    }

    @Test
    void an_authority_near_its_end_is_followed_by_another_and_both_are_trusted_meanwhile()
            throws GeneralSecurityException {
        Instant late = NOW.plus(Certificates.AUTHORITY_LIFETIME).minus(Duration.ofDays(30));

        Certificates renewed = first.renewed(HOSTS, late);
        Certificates later = renewed.renewed(HOSTS, late.plus(Duration.ofDays(61)));

        assertThat(all(renewed.authorities()))
                .hasSize(2)
                .contains(all(first.authorities()).getFirst());
        all(renewed.certificate())
                .getFirst()
                .verify(all(renewed.authorities()).getFirst().getPublicKey());
        assertThat(all(later.authorities()))
                .containsExactly(all(renewed.authorities()).getFirst());
    }

    private static List<X509Certificate> all(String pem) throws GeneralSecurityException {
        Collection<? extends java.security.cert.Certificate> found = CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.UTF_8)));
        return found.stream().map(X509Certificate.class::cast).toList();
    }
}
