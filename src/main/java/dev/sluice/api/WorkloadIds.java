package dev.sluice.api;

import dev.sluice.workload.WorkloadId;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Makes ids that grow with time (UUID version 7), so that rows made together lie together. */
final class WorkloadIds {
    private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789";

    private WorkloadIds() {}

    static WorkloadId next() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long high = (System.currentTimeMillis() << 16) | 0x7000 | random.nextInt(0x1000);
        long low = (random.nextLong() & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L;
        return new WorkloadId(new UUID(high, low).toString());
    }

    /** Five random letters and digits, as Kubernetes completes a {@code generateName}. */
    static String nameSuffix() {
        StringBuilder suffix = new StringBuilder();
        for (int count = 0; count < 5; count++) {
            suffix.append(LETTERS.charAt(ThreadLocalRandom.current().nextInt(LETTERS.length())));
        }
        return suffix.toString();
    }
}
