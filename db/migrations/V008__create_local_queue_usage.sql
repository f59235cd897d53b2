-- What LocalQueues used of late, where a ClusterQueue goes by it. Written with the decision that changed it.
create table local_queue_usage (
    local_queue text collate "C" primary key,
    consumed json not null,
    at timestamptz not null
) with (fillfactor = 50);
comment on column local_queue_usage.local_queue is 'namespace/name';
comment on column local_queue_usage.consumed is 'by resource, in cores, bytes, devices; exact to the last digit';
comment on column local_queue_usage.at is 'engine time as of which it is; it decays from then on';
