package dev.sluice.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class KeyQueueTest {
    @Test
    void a_key_that_waits_is_looked_at_once_and_one_that_is_looked_at_comes_again_afterwards() {
        CountDownLatch open = new CountDownLatch(1);
        List<String> looked = new CopyOnWriteArrayList<>();
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger atOnceMax = new AtomicInteger();
        try (KeyQueue<String> queue = new KeyQueue<>("test", 4, key -> {
            atOnceMax.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            looked.add(key);
            awaitOpen(open);
            atOnce.decrementAndGet();
        })) {
            queue.add("a");
            queue.add("a");
            queue.start();
            await().until(() -> looked.contains("a"));
            queue.add("a");
            queue.add("a");
            open.countDown();

            await().untilAsserted(() -> assertThat(looked).containsExactly("a", "a"));
            assertThat(atOnceMax).hasValue(1);
        }
    }

    @Test
    void a_key_that_fails_comes_again_and_the_others_go_on() {
        AtomicInteger attempts = new AtomicInteger();
        List<String> looked = new CopyOnWriteArrayList<>();
        try (KeyQueue<String> queue = new KeyQueue<>("test", 1, key -> {
            if (key.equals("bad") && attempts.incrementAndGet() == 1) {
                throw new IllegalStateException("on purpose");
            }
            looked.add(key);
        })) {
            queue.add("bad");
            queue.add("good");
            queue.start();

            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(looked).containsExactly("good", "bad"));
        }
    }

    @Test
    void of_two_times_for_one_key_the_earlier_counts() {
        List<String> looked = new CopyOnWriteArrayList<>();
        try (KeyQueue<String> queue = new KeyQueue<>("test", 1, looked::add)) {
            queue.start();
            queue.addAfter("a", Duration.ofHours(1));
            queue.addAfter("a", Duration.ofMillis(1));
            queue.addAfter("a", Duration.ofHours(2));

            await().untilAsserted(() -> assertThat(looked).containsExactly("a"));
        }
    }

    private static void awaitOpen(CountDownLatch open) {
        try {
            open.await();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }
}
