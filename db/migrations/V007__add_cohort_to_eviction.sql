-- At which level of the tree a preemptor had the right to a victim.
alter table eviction add column cohort text;
comment on column eviction.cohort is 'lowest cohort above both queues; null = they are one queue, or it is no preemption';
