-- What must agree between quota and start; of the shape of every configured kind.
create table admission_check (like cohort including all);
