-- What a workload went through and the engine goes by, such as pods that are done: few have any of it, and what it holds grows.
alter table workload add column particulars json;
comment on column workload.particulars is 'null = there is nothing particular about it';
