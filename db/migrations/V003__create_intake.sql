-- Committed wishes that the leader has not processed yet. Read whole, never by id > cursor: ids are given before the commit.
create table command (
    id bigint generated always as identity primary key,
    kind text not null,
    workload_id text collate "C" not null,
    body jsonb,
    caller text not null,
    enqueued_at timestamptz not null
);
comment on column command.body is 'null for SUBMIT: the workload''s own rows say it';

create index command_of_workload on command (workload_id);

-- What became of commands other than submissions (whose workload tells), kept for a stated time.
create table command_outcome (
    command_id bigint primary key,
    workload_id text collate "C" not null,
    refusal text,
    at timestamptz not null
);
comment on column command_outcome.refusal is 'null = done';

create index command_outcome_by_age on command_outcome (at);

create table idempotency_key (
    caller text collate "C" not null,
    key text collate "C" not null,
    body_hash text not null,
    workload_id text collate "C" not null,
    expires_at timestamptz not null,
    primary key (caller, key)
);

create index idempotency_key_by_expiry on idempotency_key (expires_at);
