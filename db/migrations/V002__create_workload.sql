-- A workload in three parts: what was submitted (never changes), its pod sets (never change), and where it stands (one narrow
-- row that the leader updates). The three are inserted by one statement and deleted by one; foreign keys between them would
-- double the cost of a submission to say no more than that.

create sequence workload_sequence;

create table workload (
    id text collate "C" primary key,
    sequence bigint not null unique,
    name text collate "C" not null,
    namespace text collate "C" not null,
    state text collate "C" not null default 'PENDING',
    final_state text collate "C" generated always as
        (case when state in ('SUCCEEDED', 'FAILED', 'CANCELLED') then state end) stored,
    local_queue text not null,
    cluster_queue text,
    priority_class text,
    priority integer not null,
    active boolean not null default true,
    created_at timestamptz not null,
    queued_at timestamptz not null,
    admitted_at timestamptz,
    started_at timestamptz,
    finished_at timestamptz,
    requeue_at timestamptz,
    changed_at timestamptz not null,
    ended_at timestamptz,
    admission_sequence bigint not null default 0,
    charged boolean not null default false,
    eviction_count integer not null default 0,
    after_eviction text,
    fence bigint not null default 0,
    job_uid text,
    assignment json,
    awaited_victims json,
    scan_memory text,
    failure text,
    device_classes text[] not null default '{}',
    constraint workload_state_known check (state in ('PENDING', 'RESERVED', 'ADMITTED', 'RUNNING', 'EVICTING',
        'SUCCEEDED', 'FAILED', 'INACTIVE', 'CANCELLED')),
    constraint workload_charge_has_assignment check (assignment is not null or not charged)
) with (fillfactor = 35);
comment on column workload.sequence is 'order of submission, the tie-break after priority and queue time';
comment on column workload.final_state is 'its state once that is final; null = it has not ended';
comment on column workload.changed_at is 'when this row was last written, by the database''s clock';
comment on column workload.ended_at is 'when its state became final, by the database''s clock';
comment on column workload.device_classes is 'device classes that its pod sets ask for, as submitted';

-- No index contains the state, only the final one: admission, start and eviction then touch no index at all (heap-only
-- updates, for which pages keep room), and they are what happens most. Lists of live work by state read the live rows in order.
create unique index workload_name_taken on workload (namespace, name) where final_state is null;
create index workload_live on workload (sequence) where final_state is null;
create index workload_ended on workload (final_state, sequence) where final_state is not null;
create index workload_ended_by_age on workload (ended_at) where final_state is not null;
create index workload_by_cluster_queue on workload (cluster_queue, sequence);
create index workload_by_namespace on workload (namespace, sequence);
-- Sorted lists are of live work, in front of which the ended of many months must not lie.
create index workload_live_by_priority on workload (priority desc, sequence) where final_state is null;
create index workload_live_by_name on workload (name, sequence) where final_state is null;

create table submission (
    workload_id text collate "C" primary key,
    local_queue text not null,
    priority_class text,
    priority integer not null,
    expected_duration_ms bigint,
    max_duration_ms bigint,
    manifest text,
    caller text not null
);
comment on table submission is 'As submitted. Queue and priority in force stand in workload.';

create table pod_set (
    workload_id text collate "C" not null,
    ordinal integer not null,
    name text not null,
    count integer not null check (count >= 0),
    spec json not null,
    primary key (workload_id, ordinal)
);

-- Mirrors WorkloadState.canBecome; a test keeps the two equal. Plain enough to be inlined where it is asked.
create function workload_can_become(old_state text, new_state text) returns boolean
    language sql immutable parallel safe
as $$
    select case old_state
        when 'PENDING' then new_state in ('RESERVED', 'ADMITTED', 'INACTIVE', 'CANCELLED', 'FAILED')
        when 'RESERVED' then new_state in ('ADMITTED', 'PENDING', 'INACTIVE', 'CANCELLED')
        when 'ADMITTED' then new_state in ('RUNNING', 'EVICTING', 'SUCCEEDED', 'FAILED')
        when 'RUNNING' then new_state in ('EVICTING', 'SUCCEEDED', 'FAILED')
        when 'EVICTING' then new_state in ('PENDING', 'INACTIVE', 'SUCCEEDED', 'FAILED', 'CANCELLED')
        when 'INACTIVE' then new_state in ('PENDING', 'CANCELLED')
        else false
    end
$$;

create function workload_state_guard() returns trigger
    language plpgsql
as $$
begin
    raise exception 'workload % cannot become % from %', old.id, new.state, old.state
        using errcode = 'integrity_constraint_violation', constraint = 'workload_state_guard';
end
$$;

-- The condition stands outside the function: a legal change, and there are many, costs no call.
create trigger workload_state_guard before update of state on workload
    for each row when (old.state <> new.state and not workload_can_become(old.state, new.state))
    execute function workload_state_guard();

create function workload_birth_guard() returns trigger
    language plpgsql
as $$
begin
    raise exception 'workload % cannot be born %', new.id, new.state
        using errcode = 'integrity_constraint_violation', constraint = 'workload_birth_guard';
end
$$;

create trigger workload_birth_guard before insert on workload
    for each row when (new.state <> 'PENDING')
    execute function workload_birth_guard();
