-- One row: who leads, and how far the log goes. A batch is written by whoever holds holder and epoch, and in no other way.
create table leadership (
    singleton boolean primary key default true check (singleton),
    holder text,
    epoch bigint not null,
    expires_at timestamptz not null,
    batch bigint not null,
    position bigint not null,
    decided_at timestamptz,
    decided_on bigint not null default 0
) with (fillfactor = 20);
comment on column leadership.holder is 'null = nobody ever led';
comment on column leadership.batch is 'number of the last batch; 0 = none';
comment on column leadership.position is 'position of the last log entry; 0 = none';
comment on column leadership.decided_on is 'configuration version of the last batch; 0 = none';
comment on column leadership.decided_at is 'engine time of the last batch';

insert into leadership (holder, epoch, expires_at, batch, position)
values (null, 0, '-infinity', 0, 0);

-- Everything that influenced a decision, and the decisions, in commit order. It is the outbox too: readers keep a position.
-- Not partitioned: rows come in order of position and leave from its front in bounded deletes, so index and heap stay local; a
-- partition that is not there in time would stop every commit.
create table event_log (
    position bigint primary key,
    batch bigint not null,
    at timestamptz not null,
    kind text not null,
    workload_id text collate "C",
    body json not null
);
comment on column event_log.at is 'engine time of its batch';

create index event_log_of_workload on event_log (workload_id, position) where workload_id is not null;

create table eviction (
    id bigint generated always as identity primary key,
    victim_id text collate "C" not null,
    victim_name text not null,
    victim_namespace text not null,
    victim_queue text not null,
    reason text not null,
    preemptor_id text collate "C",
    preemptor_name text,
    preemptor_namespace text,
    preemptor_queue text,
    at timestamptz not null
);
comment on table eviction is 'Names are copied, so that the record outlives the workloads.';

create index eviction_of_victim on eviction (victim_id, id);
create index eviction_by_preemptor on eviction (preemptor_id, id) where preemptor_id is not null;
create index eviction_by_victim_queue on eviction (victim_queue, id);
create index eviction_by_preemptor_queue on eviction (preemptor_queue, id) where preemptor_queue is not null;

create table reader_position (
    reader text primary key,
    position bigint not null check (position >= 0),
    moved_at timestamptz not null
);
comment on table reader_position is 'How far each reader of the log has come; everything up to it was delivered.';
