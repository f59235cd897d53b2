-- What people configure. One table per kind, all of one shape: the specification as it was written (quantities are strings and
-- come back unchanged), and the version of the configuration that wrote it last.

create table configuration (
    singleton boolean primary key default true check (singleton),
    version bigint not null check (version >= 0)
);
comment on table configuration is 'One row. Whoever edits the configuration holds it; whoever commits a batch shares it.';

insert into configuration (version) values (0);

create table cohort (
    key text collate "C" primary key,
    spec jsonb not null,
    generation bigint not null check (generation > 0),
    created_at timestamptz not null,
    changed_at timestamptz not null,
    changed_by text not null
);
comment on column cohort.generation is
    'Version of the configuration that changed it last: grows with every change, also across a deletion.';

create table cluster_queue (like cohort including all);
create table local_queue (like cohort including all);
create table resource_flavor (like cohort including all);
create table workload_priority_class (like cohort including all);
create table team (like cohort including all);
create table device_class (like cohort including all);

comment on column local_queue.key is 'namespace/name';

-- Every version can be built again from here: per object the latest row that is not newer.
create table configuration_history (
    version bigint not null check (version > 0),
    kind text not null,
    key text collate "C" not null,
    spec jsonb,
    author text not null,
    at timestamptz not null,
    primary key (version, kind, key)
);
comment on column configuration_history.spec is 'null = deleted';

create index configuration_history_object on configuration_history (kind, key, version);
