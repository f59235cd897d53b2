package dev.sluice.platform.demo;

import dev.sluice.overview.Announcement;
import dev.sluice.overview.EngineReader;
import dev.sluice.overview.WorkloadReader;
import dev.sluice.overview.WorkloadReader.Filter;
import dev.sluice.overview.WorkloadReader.Sort;
import dev.sluice.scheduling.CommandAnswer;
import dev.sluice.scheduling.ConfigurationCommands;
import dev.sluice.scheduling.Submission;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.scheduling.WorkloadCommands;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import org.jboss.logging.Logger;

/**
 * Plays the three teams, round after round, and announces the step that it plays. Safe to stop and start at any moment: it puts the same
 * configuration again and first ends what an earlier run left.
 */
final class DemoPlayer {
    private static final Logger LOG = Logger.getLogger(DemoPlayer.class);
    private static final Duration LOOK_INTERVAL = Duration.ofMillis(50);
    /** A step whose outcome does not come, since somebody else works in the same queues, is shown all the same. */
    private static final Duration OUTCOME_PATIENCE = Duration.ofSeconds(60);

    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);
    private static final List<WorkloadState> ALIVE =
            List.of(WorkloadState.PENDING, WorkloadState.ADMITTED, WorkloadState.RUNNING, WorkloadState.INACTIVE);
    /** Rounds are told apart by four digits to the base of 36, from the time at which each begins. */
    private static final long ROUND_TAGS = 36L * 36 * 36 * 36;

    private final ConfigurationCommands configuration;
    private final WorkloadCommands commands;
    private final EngineReader engine;
    private final WorkloadReader workloads;
    private final Announcement announcement;
    private final Clock clock;
    private final Duration hold;
    private final Duration runsFor;

    /**
     * @param hold how long a step stays
     * @param runsFor declared duration of every workload; longer than a round, so that only the player ends them
     */
    DemoPlayer(
            ConfigurationCommands configuration,
            WorkloadCommands commands,
            EngineReader engine,
            WorkloadReader workloads,
            Announcement announcement,
            Clock clock,
            Duration hold,
            Duration runsFor) {
        this.configuration = configuration;
        this.commands = commands;
        this.engine = engine;
        this.workloads = workloads;
        this.announcement = announcement;
        this.clock = clock;
        this.hold = hold;
        this.runsFor = runsFor;
    }

    /** Until the thread is interrupted. */
    void play() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                prepare();
                round();
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException failed) {
                // Outermost frame of the demo's thread: whatever went wrong, another round may go right.
                LOG.warnf("the demo begins again: %s", failed);
                announcement.say("Demo: interrupted, and begins again by itself.");
                pause();
            }
        }
        announcement.say("");
    }

    void prepare() throws InterruptedException {
        configuration.edit(ThreeTeams.CALLER, stored -> ThreeTeams.configuration());
        end(leftovers());
    }

    private void round() throws InterruptedException {
        String round = tag();
        List<WorkloadId> sweeps = borrow(round);
        Thread.sleep(hold);
        List<WorkloadId> evaluations = keep(round);
        Thread.sleep(hold);
        List<WorkloadId> chats = callBack(round);
        Thread.sleep(hold);
        giveBack(chats);
        Thread.sleep(hold);
        announcement.say("Demo: the round is over, everything is stopped and begins again.");
        List<WorkloadId> all = new ArrayList<>(evaluations);
        all.addAll(sweeps);
        end(all);
    }

    List<WorkloadId> borrow(String round) throws InterruptedException {
        announcement.say(
                "Demo, step 1 of 4: research asks for ten 2-GPU jobs. All ten run, 12 of their 20 GPUs borrowed.");
        List<WorkloadId> sweeps = submit(ThreeTeams.sweeps(round, runsFor));
        await(() -> count(sweeps, WorkloadState.RUNNING) == 10);
        return sweeps;
    }

    List<WorkloadId> keep(String round) throws InterruptedException {
        announcement.say(
                "Demo, step 2 of 4: batch asks for ten 2-GPU jobs. Six run on its own 12 GPUs, four wait, since"
                        + " serving keeps 8 to itself.");
        List<WorkloadId> evaluations = submit(ThreeTeams.evaluations(round, runsFor));
        await(() -> count(evaluations, WorkloadState.RUNNING) == 6);
        return evaluations;
    }

    List<WorkloadId> callBack(String round) throws InterruptedException {
        announcement.say("Demo, step 3 of 4: serving asks for five 4-GPU groups. Two start at once; for the other three"
                + " the six newest research jobs give back 12 GPUs.");
        List<WorkloadId> chats = submit(ThreeTeams.chats(round, runsFor));
        await(() -> count(chats, WorkloadState.RUNNING) == 5);
        return chats;
    }

    void giveBack(List<WorkloadId> chats) throws InterruptedException {
        announcement.say("Demo, step 4 of 4: serving ends. Batch grows to 18 and research to 14 GPUs, 8 stay free for"
                + " serving.");
        end(chats);
    }

    /** Cancels them and waits until none holds anything. */
    void end(List<WorkloadId> all) throws InterruptedException {
        for (WorkloadId workload : all) {
            switch (commands.cancel(workload, ThreeTeams.CALLER)) {
                case CommandAnswer.Done ignored -> {}
                case CommandAnswer.Pending ignored -> {}
                case CommandAnswer.Refused refused -> LOG.debugf("%s was not cancelled: %s", workload, refused.why());
            }
        }
        await(() -> engine.ask((asked, at) -> all.stream()
                .allMatch(id -> asked.status(id)
                        .map(status -> !status.charged() && status.state().isFinal())
                        .orElse(true))));
    }

    private List<WorkloadId> submit(List<Submission> submissions) {
        List<WorkloadId> accepted = new ArrayList<>();
        for (SubmissionResult result : commands.submit(submissions)) {
            switch (result) {
                case SubmissionResult.Accepted now ->
                    accepted.add(now.workload().id());
                case SubmissionResult.AlreadySubmitted before -> accepted.add(before.existing());
                case SubmissionResult.NameTaken taken ->
                    LOG.debugf("a name of the demo is taken by %s", taken.holder());
                case SubmissionResult.KeyReused reused ->
                    throw new IllegalStateException("no key was given: " + reused);
            }
        }
        return accepted;
    }

    private long count(List<WorkloadId> all, WorkloadState state) {
        return engine.ask((asked, at) -> all.stream()
                .filter(id ->
                        asked.status(id).map(status -> status.state() == state).orElse(false))
                .count());
    }

    /** What a run before this one submitted and did not end. */
    private List<WorkloadId> leftovers() {
        List<WorkloadId> leftovers = new ArrayList<>();
        for (String team : ThreeTeams.TEAMS) {
            String after = null;
            do {
                WorkloadReader.Page<dev.sluice.overview.WorkloadRow> page = workloads.page(
                        new Filter(null, null, team, ALIVE, null, null, null), Sort.CREATED_DESCENDING, 100, after);
                page.items().stream()
                        .map(row -> row.workload())
                        .filter(workload -> workload.name().matches("(sweep|eval|chat)-[0-9a-z]{4}-[0-9]{2}"))
                        .forEach(workload -> leftovers.add(workload.id()));
                after = page.next();
            } while (after != null);
        }
        return leftovers;
    }

    String tag() {
        String digits = Long.toString(clock.instant().getEpochSecond() % ROUND_TAGS, 36);
        return "0".repeat(4 - digits.length()) + digits.toLowerCase(Locale.ROOT);
    }

    private void await(BooleanSupplier outcome) throws InterruptedException {
        long patience = System.nanoTime() + OUTCOME_PATIENCE.toNanos();
        while (!outcome.getAsBoolean() && System.nanoTime() < patience) {
            Thread.sleep(LOOK_INTERVAL);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(RETRY_AFTER);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }
}
