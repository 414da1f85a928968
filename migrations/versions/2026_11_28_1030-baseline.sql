-- The schema of 28 November 2026, made with pg_dump from the migrations that led to it.
-- A constraint on one column is in the line of its column if it fits.

CREATE TABLE audit_event (
    id uuid CONSTRAINT pk_audit_event PRIMARY KEY,
    at timestamptz DEFAULT now() NOT NULL,
    workspace_id uuid,
    user_id uuid,
    token_id uuid,
    actor varchar NOT NULL,
    address varchar,
    action varchar NOT NULL,
    subject_type varchar NOT NULL,
    subject_id varchar NOT NULL,
    before jsonb,
    after jsonb
);

CREATE TABLE backup (
    id uuid CONSTRAINT pk_backup PRIMARY KEY,
    started_at timestamptz NOT NULL,
    ended_at timestamptz DEFAULT now() NOT NULL,
    file varchar,
    size_bytes bigint,
    error varchar,
    next_at timestamptz NOT NULL
);

CREATE TABLE database_shortage (
    id integer CONSTRAINT pk_database_shortage PRIMARY KEY,
    detail varchar NOT NULL,
    reported_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT ck_database_shortage_only_row CHECK (id = 1)
);

CREATE TABLE deleted_run (
    id uuid CONSTRAINT pk_deleted_run PRIMARY KEY
);

CREATE TABLE framework (
    id uuid CONSTRAINT pk_framework PRIMARY KEY,
    slug varchar NOT NULL CONSTRAINT uq_framework_slug UNIQUE,
    name varchar NOT NULL,
    language varchar NOT NULL,
    manifest jsonb NOT NULL,
    digest varchar NOT NULL,
    colour integer NOT NULL,
    present boolean DEFAULT true NOT NULL,
    updated_at timestamptz DEFAULT now() NOT NULL
);

CREATE TABLE host (
    id uuid CONSTRAINT pk_host PRIMARY KEY,
    name varchar NOT NULL CONSTRAINT uq_host_name UNIQUE,
    runtime varchar NOT NULL,
    fingerprint jsonb NOT NULL,
    fingerprint_digest varchar NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    seen_at timestamptz DEFAULT now() NOT NULL,
    harness jsonb DEFAULT '{}'::jsonb NOT NULL,
    example boolean DEFAULT false NOT NULL,
    runtime_reason varchar DEFAULT '' NOT NULL,
    reserved_for varchar[],
    queue varchar NOT NULL CONSTRAINT uq_host_queue UNIQUE,
    joined_at timestamptz,
    paused_at timestamptz,
    revoked_at timestamptz,
    service_address varchar DEFAULT '' NOT NULL,
    disk_shortage varchar DEFAULT '' NOT NULL,
    schema_revision varchar,
    leaving_at timestamptz,
    disks jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT ck_host_runtimekind CHECK (runtime IN ('docker', 'process'))
);

CREATE TABLE retention_setting (
    id integer CONSTRAINT pk_retention_setting PRIMARY KEY,
    seconds_days integer CONSTRAINT ck_retention_setting_seconds_days CHECK (seconds_days > 0),
    logs_days integer CONSTRAINT ck_retention_setting_logs_days CHECK (logs_days > 0),
    CONSTRAINT ck_retention_setting_only_row CHECK (id = 1)
);

CREATE TABLE scenario (
    id uuid CONSTRAINT pk_scenario PRIMARY KEY,
    slug varchar NOT NULL CONSTRAINT uq_scenario_slug UNIQUE,
    name varchar NOT NULL,
    manifest jsonb NOT NULL,
    digest varchar NOT NULL,
    present boolean DEFAULT true NOT NULL,
    updated_at timestamptz DEFAULT now() NOT NULL
);

CREATE TABLE study (
    id uuid CONSTRAINT pk_study PRIMARY KEY,
    slug varchar NOT NULL CONSTRAINT uq_study_slug UNIQUE,
    name varchar NOT NULL,
    "position" integer NOT NULL,
    manifest jsonb NOT NULL,
    present boolean DEFAULT true NOT NULL,
    updated_at timestamptz DEFAULT now() NOT NULL
);

CREATE TABLE "user" (
    id uuid CONSTRAINT pk_user PRIMARY KEY,
    email varchar NOT NULL CONSTRAINT uq_user_email UNIQUE,
    name varchar NOT NULL,
    password_hash varchar,
    is_operator boolean DEFAULT false NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    disabled_at timestamptz
);

CREATE TABLE workspace (
    id uuid CONSTRAINT pk_workspace PRIMARY KEY,
    slug varchar NOT NULL CONSTRAINT uq_workspace_slug UNIQUE,
    name varchar NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    max_queued_trials integer CONSTRAINT ck_workspace_queued_trials CHECK (max_queued_trials >= 0),
    max_bench_minutes integer CONSTRAINT ck_workspace_bench_minutes CHECK (max_bench_minutes >= 0),
    seconds_days integer CONSTRAINT ck_workspace_seconds_days CHECK (seconds_days > 0),
    logs_days integer CONSTRAINT ck_workspace_logs_days CHECK (logs_days > 0)
);

CREATE TABLE access_token (
    id uuid CONSTRAINT pk_access_token PRIMARY KEY,
    name varchar NOT NULL,
    prefix varchar NOT NULL,
    key_hash varchar NOT NULL CONSTRAINT uq_access_token_key_hash UNIQUE,
    workspace_id uuid NOT NULL CONSTRAINT fk_access_token_workspace_id_workspace REFERENCES
      workspace ON DELETE CASCADE,
    user_id uuid CONSTRAINT fk_access_token_user_id_user REFERENCES "user" ON DELETE CASCADE,
    created_by_id uuid CONSTRAINT fk_access_token_created_by_id_user REFERENCES "user" ON DELETE SET
      NULL,
    scope varchar NOT NULL,
    hosts varchar[],
    frameworks varchar[],
    created_at timestamptz DEFAULT now() NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    last_address varchar,
    CONSTRAINT ck_access_token_tokenscope CHECK (scope IN ('read', 'run', 'manage'))
);

CREATE TABLE build_source (
    digest varchar NOT NULL,
    program varchar NOT NULL,
    versions jsonb NOT NULL,
    files jsonb NOT NULL,
    recorded_at timestamptz DEFAULT now() NOT NULL,
    host_id uuid NOT NULL CONSTRAINT fk_build_source_host_id_host REFERENCES host ON DELETE CASCADE,
    CONSTRAINT pk_build_source PRIMARY KEY (host_id, digest)
);

CREATE TABLE host_credential (
    username varchar CONSTRAINT pk_host_credential PRIMARY KEY,
    host_id uuid CONSTRAINT uq_host_credential_host_id UNIQUE CONSTRAINT
      fk_host_credential_host_id_host REFERENCES host ON DELETE SET NULL,
    redis_password_sha256 varchar NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL
);

CREATE TABLE host_framework (
    id uuid CONSTRAINT pk_host_framework PRIMARY KEY,
    host_id uuid CONSTRAINT fk_host_framework_host_id_host REFERENCES host ON DELETE CASCADE,
    slug varchar NOT NULL,
    digest varchar NOT NULL,
    unavailable varchar,
    manifest jsonb NOT NULL,
    "position" integer NOT NULL,
    registered_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT uq_host_framework_host_id UNIQUE NULLS NOT DISTINCT (host_id, slug)
);

CREATE TABLE host_scenario (
    id uuid CONSTRAINT pk_host_scenario PRIMARY KEY,
    host_id uuid CONSTRAINT fk_host_scenario_host_id_host REFERENCES host ON DELETE CASCADE,
    slug varchar NOT NULL,
    digest varchar NOT NULL,
    manifest jsonb NOT NULL,
    "position" integer NOT NULL,
    registered_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT uq_host_scenario_host_id UNIQUE NULLS NOT DISTINCT (host_id, slug)
);

CREATE TABLE identity (
    issuer varchar NOT NULL,
    subject varchar NOT NULL,
    user_id uuid NOT NULL CONSTRAINT fk_identity_user_id_user REFERENCES "user" ON DELETE CASCADE,
    created_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT pk_identity PRIMARY KEY (issuer, subject)
);

CREATE TABLE incident (
    id uuid CONSTRAINT pk_incident PRIMARY KEY,
    kind varchar NOT NULL CONSTRAINT ck_incident_incidentkind CHECK (kind IN ('service', 'host')),
    host_id uuid NOT NULL CONSTRAINT fk_incident_host_id_host REFERENCES host ON DELETE CASCADE,
    framework varchar,
    at timestamptz NOT NULL,
    builds jsonb DEFAULT '{}'::jsonb NOT NULL,
    note varchar,
    announced_at timestamptz,
    found_at timestamptz DEFAULT now() NOT NULL,
    workspace_id uuid NOT NULL CONSTRAINT fk_incident_workspace_id_workspace REFERENCES workspace
);

CREATE TABLE membership (
    workspace_id uuid NOT NULL CONSTRAINT fk_membership_workspace_id_workspace REFERENCES workspace
      ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT fk_membership_user_id_user REFERENCES "user" ON DELETE CASCADE,
    role varchar NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT pk_membership PRIMARY KEY (workspace_id, user_id),
    CONSTRAINT ck_membership_role CHECK (role IN ('viewer', 'member', 'maintainer', 'owner'))
);

CREATE TABLE one_time_link (
    id uuid CONSTRAINT pk_one_time_link PRIMARY KEY,
    purpose varchar NOT NULL CONSTRAINT ck_one_time_link_linkpurpose CHECK (purpose IN
      ('first_operator', 'invitation', 'password_reset', 'bench_host')),
    key_hash varchar NOT NULL CONSTRAINT uq_one_time_link_key_hash UNIQUE,
    email varchar,
    workspace_id uuid CONSTRAINT fk_one_time_link_workspace_id_workspace REFERENCES workspace ON
      DELETE CASCADE,
    role varchar,
    user_id uuid CONSTRAINT fk_one_time_link_user_id_user REFERENCES "user" ON DELETE CASCADE,
    created_by_id uuid CONSTRAINT fk_one_time_link_created_by_id_user REFERENCES "user" ON DELETE
      SET NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    host_name varchar,
    CONSTRAINT ck_one_time_link_role CHECK (role IN ('viewer', 'member', 'maintainer', 'owner'))
);

CREATE TABLE run_group (
    slug varchar CONSTRAINT pk_run_group PRIMARY KEY,
    workspace_id uuid NOT NULL CONSTRAINT fk_run_group_workspace_id_workspace REFERENCES workspace
      ON DELETE CASCADE,
    idempotency_key varchar,
    request_digest varchar NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT uq_run_group_workspace_id UNIQUE (workspace_id, idempotency_key)
);

CREATE TABLE schedule (
    id uuid CONSTRAINT pk_schedule PRIMARY KEY,
    name varchar NOT NULL,
    cron varchar NOT NULL,
    time_zone varchar NOT NULL,
    request jsonb NOT NULL,
    next_at timestamptz,
    created_at timestamptz DEFAULT now() NOT NULL,
    workspace_id uuid NOT NULL CONSTRAINT fk_schedule_workspace_id_workspace REFERENCES workspace
);

CREATE TABLE slo (
    id uuid CONSTRAINT pk_slo PRIMARY KEY,
    framework varchar,
    scenario varchar NOT NULL,
    profile varchar,
    metric varchar NOT NULL,
    "limit" double precision NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    workspace_id uuid NOT NULL CONSTRAINT fk_slo_workspace_id_workspace REFERENCES workspace
);

CREATE TABLE snapshot (
    hash varchar CONSTRAINT pk_snapshot PRIMARY KEY,
    document varchar NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    run_ids uuid[] NOT NULL,
    workspace_id uuid NOT NULL CONSTRAINT fk_snapshot_workspace_id_workspace REFERENCES workspace,
    private_owners uuid[] DEFAULT '{}'::uuid[] NOT NULL
);

CREATE TABLE trial (
    id uuid CONSTRAINT pk_trial PRIMARY KEY,
    run_id uuid NOT NULL,
    cell_id uuid NOT NULL,
    host_id uuid NOT NULL CONSTRAINT fk_trial_host_id_host REFERENCES host,
    repetition integer NOT NULL,
    "position" integer NOT NULL,
    status varchar NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    lease_until timestamptz,
    started_at timestamptz,
    finished_at timestamptz,
    stage_seconds jsonb DEFAULT '{}'::jsonb NOT NULL,
    runtime varchar CONSTRAINT ck_trial_runtimekind CHECK (runtime IN ('docker', 'process')),
    image_digest varchar,
    environment jsonb DEFAULT '{}'::jsonb NOT NULL,
    conformance jsonb DEFAULT '[]'::jsonb NOT NULL,
    verdicts jsonb DEFAULT '[]'::jsonb NOT NULL,
    failure jsonb,
    requests_total bigint,
    k6_summary jsonb,
    warm_up jsonb,
    generator jsonb,
    retried_failures jsonb DEFAULT '[]'::jsonb NOT NULL,
    checks jsonb,
    conformance_after jsonb DEFAULT '[]'::jsonb NOT NULL,
    second_reading jsonb,
    CONSTRAINT ck_trial_trialstatus CHECK (status IN ('queued', 'building', 'starting', 'verifying',
      'warming_up', 'measuring', 'collecting', 'succeeded', 'failed', 'cancelled'))
);

CREATE TABLE user_session (
    id uuid CONSTRAINT pk_user_session PRIMARY KEY,
    key_hash varchar NOT NULL CONSTRAINT uq_user_session_key_hash UNIQUE,
    user_id uuid CONSTRAINT fk_user_session_user_id_user REFERENCES "user" ON DELETE CASCADE,
    token_hash varchar,
    workspace_id uuid CONSTRAINT fk_user_session_workspace_id_workspace REFERENCES workspace ON
      DELETE SET NULL,
    address varchar NOT NULL,
    user_agent varchar NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    last_seen_at timestamptz DEFAULT now() NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE TABLE webhook (
    id uuid CONSTRAINT pk_webhook PRIMARY KEY,
    url varchar NOT NULL,
    description varchar NOT NULL,
    events jsonb NOT NULL,
    secret varchar NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    disabled_reason varchar,
    failures_in_a_row integer DEFAULT 0 NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    workspace_id uuid NOT NULL CONSTRAINT fk_webhook_workspace_id_workspace REFERENCES workspace
);

CREATE TABLE histogram (
    trial_id uuid CONSTRAINT pk_histogram PRIMARY KEY CONSTRAINT fk_histogram_trial_id_trial
      REFERENCES trial ON DELETE CASCADE,
    latency bytea NOT NULL,
    latency_failed bytea NOT NULL,
    latency_sum_ns bigint NOT NULL,
    latency_max_ns bigint NOT NULL,
    service_time bytea
);

CREATE TABLE metric_value (
    trial_id uuid NOT NULL CONSTRAINT fk_metric_value_trial_id_trial REFERENCES trial ON DELETE
      CASCADE,
    metric varchar NOT NULL,
    value double precision NOT NULL,
    CONSTRAINT pk_metric_value PRIMARY KEY (trial_id, metric)
);

CREATE TABLE run (
    id uuid CONSTRAINT pk_run PRIMARY KEY,
    slug varchar NOT NULL CONSTRAINT uq_run_slug UNIQUE,
    title varchar NOT NULL,
    status varchar NOT NULL CONSTRAINT ck_run_runstatus CHECK (status IN ('queued', 'running',
      'succeeded', 'failed', 'cancelled')),
    visibility varchar NOT NULL,
    host_id uuid NOT NULL CONSTRAINT fk_run_host_id_host REFERENCES host,
    trials_per_cell integer NOT NULL,
    seed bigint NOT NULL,
    idempotency_key varchar,
    request_digest varchar NOT NULL,
    rerun_of_id uuid CONSTRAINT fk_run_rerun_of_id_run REFERENCES run,
    cancel_requested_at timestamptz,
    created_at timestamptz DEFAULT now() NOT NULL,
    started_at timestamptz,
    finished_at timestamptz,
    purpose varchar DEFAULT 'comparison' NOT NULL,
    finalized_at timestamptz,
    study varchar,
    study_variant varchar CONSTRAINT ck_run_studyvariant CHECK (study_variant IN ('quick', 'full')),
    example boolean DEFAULT false NOT NULL,
    finalization_attempts integer DEFAULT 0 NOT NULL,
    finalization_error varchar,
    finalize_after timestamptz,
    goal jsonb,
    goal_judgement jsonb,
    outcome varchar CONSTRAINT ck_run_runoutcome CHECK (outcome IN ('usable',
      'usable_with_warnings', 'not_usable')),
    summary varchar,
    outcome_version integer DEFAULT 0 NOT NULL,
    workspace_id uuid NOT NULL CONSTRAINT fk_run_workspace_id_workspace REFERENCES workspace,
    group_slug varchar CONSTRAINT fk_run_group_slug_run_group REFERENCES run_group(slug) ON DELETE
      SET NULL,
    requested_by varchar,
    load_hosts varchar[] DEFAULT '{}' NOT NULL,
    seconds_removed_at timestamptz,
    logs_removed_at timestamptz,
    removal_reason varchar,
    has_removed_rows boolean DEFAULT false NOT NULL,
    traceparent varchar,
    is_scheduled boolean DEFAULT false NOT NULL,
    request_id varchar,
    CONSTRAINT uq_run_workspace_id UNIQUE (workspace_id, idempotency_key),
    CONSTRAINT ck_run_purpose CHECK (purpose IN ('comparison', 'calibration', 'confirmation')),
    CONSTRAINT ck_run_removalreason CHECK (removal_reason IN ('archived', 'retention')),
    CONSTRAINT ck_run_visibility CHECK (visibility IN ('private', 'unlisted', 'public'))
);

CREATE TABLE sample (
    trial_id uuid NOT NULL CONSTRAINT fk_sample_trial_id_trial REFERENCES trial ON DELETE CASCADE,
    phase varchar NOT NULL CONSTRAINT ck_sample_phase CHECK (phase IN ('warm_up', 'measure')),
    second integer NOT NULL,
    requests integer NOT NULL,
    failed integer NOT NULL,
    errors jsonb NOT NULL,
    bytes_sent bigint NOT NULL,
    bytes_received bigint NOT NULL,
    dropped integer NOT NULL,
    vus integer NOT NULL,
    in_flight double precision NOT NULL,
    latency_p50_ms double precision,
    latency_p90_ms double precision,
    latency_p95_ms double precision,
    latency_p99_ms double precision,
    latency_max_ms double precision,
    latency bytea NOT NULL,
    cpu_service_seconds double precision,
    cpu_backing_seconds double precision,
    cpu_load_seconds double precision,
    cpu_other_seconds double precision,
    throttled_seconds double precision,
    memory_bytes bigint,
    memory_anon_bytes bigint,
    memory_file_bytes bigint,
    memory_sock_bytes bigint,
    threads integer,
    cpu_steal_seconds double precision,
    thermal_throttles integer,
    cpu_mhz double precision,
    page_faults double precision,
    connections_opened integer,
    CONSTRAINT pk_sample PRIMARY KEY (trial_id, phase, second)
)
PARTITION BY RANGE (trial_id);

CREATE TABLE sample_default (
    LIKE sample INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
    CONSTRAINT pk_sample_default PRIMARY KEY (trial_id, phase, second)
);
ALTER TABLE sample ATTACH PARTITION sample_default DEFAULT;

CREATE TABLE trial_log (
    trial_id uuid NOT NULL CONSTRAINT fk_trial_log_trial_id_trial REFERENCES trial ON DELETE
      CASCADE,
    name varchar NOT NULL,
    content varchar NOT NULL,
    CONSTRAINT pk_trial_log PRIMARY KEY (trial_id, name)
);

CREATE TABLE webhook_delivery (
    id uuid CONSTRAINT pk_webhook_delivery PRIMARY KEY,
    webhook_id uuid NOT NULL CONSTRAINT fk_webhook_delivery_webhook_id_webhook REFERENCES webhook ON
      DELETE CASCADE,
    event varchar NOT NULL,
    body varchar NOT NULL,
    status varchar NOT NULL CONSTRAINT ck_webhook_delivery_deliverystatus CHECK (status IN
      ('pending', 'delivered', 'failed')),
    due_at timestamptz DEFAULT now() NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    log jsonb DEFAULT '[]'::jsonb NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL
);

CREATE TABLE cell (
    id uuid CONSTRAINT pk_cell PRIMARY KEY,
    run_id uuid NOT NULL CONSTRAINT fk_cell_run_id_run REFERENCES run ON DELETE CASCADE,
    "position" integer NOT NULL,
    framework_id uuid NOT NULL CONSTRAINT fk_cell_framework_id_framework REFERENCES framework,
    scenario_id uuid NOT NULL CONSTRAINT fk_cell_scenario_id_scenario REFERENCES scenario,
    framework_digest varchar NOT NULL,
    scenario_digest varchar NOT NULL,
    profile varchar NOT NULL,
    kind varchar NOT NULL,
    parameters jsonb NOT NULL,
    builds jsonb,
    CONSTRAINT ck_cell_profilekind CHECK (kind IN ('rate', 'users', 'saturate', 'steps', 'count'))
);

CREATE TABLE host_event (
    id uuid CONSTRAINT pk_host_event PRIMARY KEY,
    host_id uuid NOT NULL CONSTRAINT fk_host_event_host_id_host REFERENCES host ON DELETE CASCADE,
    run_id uuid NOT NULL CONSTRAINT fk_host_event_run_id_run REFERENCES run ON DELETE CASCADE,
    metric varchar NOT NULL,
    at timestamptz NOT NULL,
    ratio double precision NOT NULL,
    series_shifted integer NOT NULL,
    series_total integer NOT NULL,
    found_at timestamptz DEFAULT now() NOT NULL,
    workspace_id uuid NOT NULL CONSTRAINT fk_host_event_workspace_id_workspace REFERENCES workspace
);

CREATE TABLE scheduled_run (
    id uuid CONSTRAINT pk_scheduled_run PRIMARY KEY,
    schedule_id uuid NOT NULL CONSTRAINT fk_scheduled_run_schedule_id_schedule REFERENCES schedule
      ON DELETE CASCADE,
    due_at timestamptz NOT NULL,
    run_id uuid CONSTRAINT fk_scheduled_run_run_id_run REFERENCES run ON DELETE CASCADE,
    status varchar NOT NULL CONSTRAINT ck_scheduled_run_scheduledrunstatus CHECK (status IN
      ('waiting', 'arrived', 'late', 'missed', 'cancelled')),
    reason varchar CONSTRAINT ck_scheduled_run_missreason CHECK (reason IN ('refused',
      'previous_unfinished', 'tacho_down', 'host_offline', 'overdue', 'run_failed')),
    detail varchar DEFAULT '' NOT NULL,
    skipped integer DEFAULT 0 NOT NULL,
    expected_by timestamptz,
    is_watched boolean NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    host_id uuid CONSTRAINT fk_scheduled_run_host_id_host REFERENCES host ON DELETE CASCADE,
    CONSTRAINT uq_scheduled_run_schedule_id UNIQUE NULLS NOT DISTINCT (schedule_id, due_at, host_id)
);

CREATE TABLE cell_summary (
    cell_id uuid CONSTRAINT pk_cell_summary PRIMARY KEY CONSTRAINT fk_cell_summary_cell_id_cell
      REFERENCES cell ON DELETE CASCADE,
    run_id uuid NOT NULL CONSTRAINT fk_cell_summary_run_id_run REFERENCES run ON DELETE CASCADE,
    host_id uuid NOT NULL CONSTRAINT fk_cell_summary_host_id_host REFERENCES host,
    at timestamptz NOT NULL,
    framework varchar NOT NULL,
    scenario varchar NOT NULL,
    profile varchar NOT NULL,
    kind varchar NOT NULL CONSTRAINT ck_cell_summary_profilekind CHECK (kind IN ('rate', 'users',
      'saturate', 'steps', 'count')),
    parameters jsonb NOT NULL,
    runtime varchar NOT NULL,
    host_digest varchar NOT NULL,
    harness_digest varchar NOT NULL,
    framework_digest varchar NOT NULL,
    scenario_digest varchar NOT NULL,
    image_digest varchar,
    board varchar NOT NULL,
    trials_succeeded integer NOT NULL,
    trials_failed integer NOT NULL,
    verdicts jsonb NOT NULL,
    excluded boolean NOT NULL,
    workspace_id uuid NOT NULL CONSTRAINT fk_cell_summary_workspace_id_workspace REFERENCES
      workspace,
    CONSTRAINT ck_cell_summary_runtimekind CHECK (runtime IN ('docker', 'process'))
);

CREATE TABLE change (
    id uuid CONSTRAINT pk_change PRIMARY KEY,
    series_digest varchar NOT NULL,
    framework varchar NOT NULL,
    scenario varchar NOT NULL,
    profile varchar NOT NULL,
    kind varchar NOT NULL CONSTRAINT ck_change_profilekind CHECK (kind IN ('rate', 'users',
      'saturate', 'steps', 'count')),
    parameters jsonb NOT NULL,
    metric varchar NOT NULL,
    runtime varchar NOT NULL,
    host_id uuid NOT NULL CONSTRAINT fk_change_host_id_host REFERENCES host,
    host_digest varchar NOT NULL,
    harness_digest varchar NOT NULL,
    scenario_digest varchar NOT NULL,
    at timestamptz NOT NULL,
    before_cell_id uuid NOT NULL CONSTRAINT fk_change_before_cell_id_cell REFERENCES cell ON DELETE
      CASCADE,
    after_cell_id uuid NOT NULL CONSTRAINT fk_change_after_cell_id_cell REFERENCES cell ON DELETE
      CASCADE,
    ratio double precision NOT NULL,
    low double precision NOT NULL,
    high double precision NOT NULL,
    p_value double precision NOT NULL,
    status varchar NOT NULL CONSTRAINT ck_change_changestatus CHECK (status IN ('suspected',
      'testing', 'confirmed', 'dismissed', 'host_drift')),
    reason varchar NOT NULL,
    note varchar,
    is_by_hand boolean DEFAULT false NOT NULL,
    host_event_id uuid CONSTRAINT fk_change_host_event_id_host_event REFERENCES host_event ON DELETE
      SET NULL,
    confirmation_run_id uuid CONSTRAINT fk_change_confirmation_run_id_run REFERENCES run ON DELETE
      SET NULL,
    confirmation_ratio double precision,
    confirmation_low double precision,
    confirmation_high double precision,
    confirmation_pairs integer,
    found_at timestamptz DEFAULT now() NOT NULL,
    changed_at timestamptz DEFAULT now() NOT NULL,
    is_adjusted boolean DEFAULT false NOT NULL,
    acknowledged_at timestamptz,
    incident_id uuid NOT NULL CONSTRAINT fk_change_incident_id_incident REFERENCES incident ON
      DELETE CASCADE,
    workspace_id uuid NOT NULL CONSTRAINT fk_change_workspace_id_workspace REFERENCES workspace,
    CONSTRAINT ck_change_runtimekind CHECK (runtime IN ('docker', 'process'))
);

CREATE TABLE cell_chart (
    cell_id uuid CONSTRAINT pk_cell_chart PRIMARY KEY CONSTRAINT fk_cell_chart_cell_id_cell_summary
      REFERENCES cell_summary(cell_id) ON DELETE CASCADE,
    version integer NOT NULL,
    latency bytea NOT NULL,
    bands bytea NOT NULL,
    steps jsonb NOT NULL
);

CREATE TABLE cell_metric (
    cell_id uuid NOT NULL CONSTRAINT fk_cell_metric_cell_id_cell_summary REFERENCES
      cell_summary(cell_id) ON DELETE CASCADE,
    metric varchar NOT NULL,
    estimate double precision NOT NULL,
    low double precision,
    high double precision,
    n integer NOT NULL,
    mean_log double precision,
    sd_log double precision,
    framework varchar NOT NULL,
    scenario varchar NOT NULL,
    at timestamptz NOT NULL,
    CONSTRAINT pk_cell_metric PRIMARY KEY (cell_id, metric)
);

CREATE INDEX ix_access_token_user_id ON access_token (user_id);
CREATE INDEX ix_access_token_workspace_id ON access_token (workspace_id);
CREATE INDEX ix_audit_event_at_id ON audit_event (at, id);
CREATE INDEX ix_audit_event_workspace_id_at_id ON audit_event (workspace_id, at, id);
CREATE INDEX ix_backup_ended_at ON backup (ended_at);
CREATE INDEX ix_cell_framework_id_run_id ON cell (framework_id, run_id);
CREATE INDEX ix_cell_metric_history ON cell_metric (framework, scenario, metric, at DESC, cell_id
  DESC) INCLUDE (estimate, low, high, n, mean_log);
CREATE INDEX ix_cell_run_id ON cell (run_id);
CREATE INDEX ix_cell_scenario_id_run_id ON cell (scenario_id, run_id);
CREATE INDEX ix_cell_summary_at_cell_id ON cell_summary (at, cell_id);
CREATE INDEX ix_cell_summary_framework_at_cell_id ON cell_summary (framework, at, cell_id);
CREATE INDEX ix_cell_summary_history ON cell_summary (framework, scenario, at, cell_id) INCLUDE
  (run_id, workspace_id, host_id, profile, kind, parameters, board, excluded);
CREATE INDEX ix_cell_summary_latest ON cell_summary (scenario, host_id, profile, framework,
  excluded, board, at DESC, cell_id DESC) INCLUDE (run_id, runtime, workspace_id);
CREATE INDEX ix_cell_summary_run_id ON cell_summary (run_id);
CREATE INDEX ix_cell_summary_scenario_at ON cell_summary (scenario, at);
CREATE INDEX ix_cell_summary_scenario_host_id_at ON cell_summary (scenario, host_id, at);
CREATE INDEX ix_cell_summary_series ON cell_summary (framework, scenario, profile, host_id, at,
  cell_id) INCLUDE (run_id);
CREATE INDEX ix_cell_summary_workspace_id ON cell_summary (workspace_id);
CREATE INDEX ix_change_at_id ON change (at, id);
CREATE INDEX ix_change_confirmation_run_id ON change (confirmation_run_id);
CREATE INDEX ix_change_host_event_id ON change (host_event_id);
CREATE INDEX ix_change_incident_id ON change (incident_id);
CREATE INDEX ix_change_open ON change (incident_id) WHERE ((status IN ('suspected', 'testing')) OR
  ((status = 'confirmed') AND (acknowledged_at IS NULL)));
CREATE INDEX ix_change_series_digest_at ON change (series_digest, at);
CREATE INDEX ix_change_status_at ON change (status, at);
CREATE INDEX ix_change_workspace_id_at_id ON change (workspace_id, at, id);
CREATE INDEX ix_host_event_host_id ON host_event (host_id);
CREATE INDEX ix_host_event_workspace_id ON host_event (workspace_id);
CREATE INDEX ix_identity_user_id ON identity (user_id);
CREATE INDEX ix_incident_at_id ON incident (at, id);
CREATE INDEX ix_incident_host_id_framework_at ON incident (host_id, framework, at);
CREATE INDEX ix_incident_workspace_id_at_id ON incident (workspace_id, at, id);
CREATE INDEX ix_membership_user_id ON membership (user_id);
CREATE INDEX ix_one_time_link_workspace_id ON one_time_link (workspace_id);
CREATE INDEX ix_run_apart ON run (id) WHERE (((purpose) <> 'comparison') OR ((visibility) <>
  'public'));
CREATE INDEX ix_run_calibration ON run (host_id, created_at) WHERE (purpose = 'calibration');
CREATE INDEX ix_run_created_at_id ON run (created_at, id);
CREATE INDEX ix_run_finished_at ON run (finished_at);
CREATE INDEX ix_run_group_slug ON run (group_slug);
CREATE INDEX ix_run_has_removed_rows ON run (id) WHERE has_removed_rows;
CREATE INDEX ix_run_host_id ON run (host_id);
CREATE INDEX ix_run_logs_removed_at_is_null ON run (workspace_id, finished_at) WHERE
  (logs_removed_at IS NULL);
CREATE INDEX ix_run_not_comparison ON run (purpose, created_at, id) WHERE ((purpose) <>
  'comparison');
CREATE INDEX ix_run_not_scheduled ON run (created_at, id) WHERE (NOT is_scheduled);
CREATE INDEX ix_run_outcome_version ON run (outcome_version);
CREATE INDEX ix_run_seconds_removed_at_is_null ON run (workspace_id, finished_at) WHERE
  (seconds_removed_at IS NULL);
CREATE INDEX ix_run_slugs ON run (id) INCLUDE (slug);
CREATE INDEX ix_run_status ON run (status);
CREATE INDEX ix_run_study ON run (study);
CREATE INDEX ix_run_unfinalized ON run (finished_at) WHERE ((finished_at IS NOT NULL) AND
  (finalized_at IS NULL));
CREATE INDEX ix_run_unfinished ON run (host_id, created_at, id) WHERE (status NOT IN ('succeeded',
  'failed', 'cancelled'));
CREATE INDEX ix_run_workspace_id_created_at_id ON run (workspace_id, created_at, id);
CREATE INDEX ix_schedule_due ON schedule (next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX ix_schedule_workspace_id ON schedule (workspace_id);
CREATE INDEX ix_scheduled_run_missed ON scheduled_run (due_at) WHERE (status = 'missed');
CREATE INDEX ix_scheduled_run_run_id ON scheduled_run (run_id);
CREATE INDEX ix_scheduled_run_schedule_id_host_id_due_at ON scheduled_run (schedule_id, host_id,
  due_at);
CREATE INDEX ix_scheduled_run_watched ON scheduled_run (due_at) WHERE is_watched;
CREATE INDEX ix_slo_scenario ON slo (scenario);
CREATE INDEX ix_slo_workspace_id ON slo (workspace_id);
CREATE INDEX ix_snapshot_workspace_id ON snapshot (workspace_id);
CREATE INDEX ix_trial_cell_id ON trial (cell_id);
CREATE INDEX ix_trial_run_id_position ON trial (run_id, "position");
CREATE INDEX ix_trial_second_reading ON trial (run_id) WHERE (second_reading IS NOT NULL);
CREATE INDEX ix_trial_unfinished ON trial (host_id, status) WHERE (status NOT IN ('succeeded',
  'failed', 'cancelled'));
CREATE INDEX ix_user_session_expires_at ON user_session (expires_at);
CREATE INDEX ix_user_session_user_id ON user_session (user_id);
CREATE INDEX ix_webhook_delivery_due ON webhook_delivery (due_at) WHERE (status = 'pending');
CREATE INDEX ix_webhook_delivery_webhook_id_created_at ON webhook_delivery (webhook_id, created_at);
CREATE INDEX ix_webhook_workspace_id ON webhook (workspace_id);

CREATE FUNCTION public.audit_event_is_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.at < now() - interval '30 days' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'Entries of the audit log cannot be changed, or deleted within 30 days.'
        USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE FUNCTION public.create_host_role(name text, verifier text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $_$
BEGIN
    IF name !~ '^tacho_host_[0-9a-f]{16}$' OR verifier !~ '^SCRAM-SHA-256[$]' THEN
        RAISE EXCEPTION 'This is not a role of a bench host: %', name;
    END IF;
    EXECUTE format(
        'CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION '
        'CONNECTION LIMIT 30 IN ROLE tacho_host PASSWORD %L', name, verifier
    );
    -- Only members of a role may end its connections.
    EXECUTE format('GRANT %I TO CURRENT_USER', name);
    PERFORM public.limit_host_role(name);
END $_$;

CREATE FUNCTION public.create_sample_partition(first_day date) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $$
DECLARE
    begins timestamp := date_trunc('month', first_day::timestamp);
    partition_name text := 'sample_' || to_char(begins, 'YYYY_MM');
    lower_id uuid := public.first_id_at(begins AT TIME ZONE 'UTC');
    upper_id uuid := public.first_id_at((begins + interval '1 month') AT TIME ZONE 'UTC');
BEGIN
    IF to_regclass('public.' || partition_name) IS NOT NULL THEN
        RETURN false;
    END IF;
    -- Rows of this month that came before the partition move into it.
    LOCK TABLE public.sample_default IN ACCESS EXCLUSIVE MODE;
    EXECUTE format(
        'CREATE TABLE public.%I (LIKE public.sample INCLUDING DEFAULTS INCLUDING CONSTRAINTS)',
        partition_name
    );
    EXECUTE format(
        'WITH moved AS (DELETE FROM public.sample_default WHERE trial_id >= %L AND trial_id < %L '
        'RETURNING *) INSERT INTO public.%I SELECT * FROM moved', lower_id, upper_id, partition_name
    );
    EXECUTE format(
        'ALTER TABLE public.%I ADD CONSTRAINT %I PRIMARY KEY (trial_id, phase, second)',
        partition_name, 'pk_' || partition_name
    );
    EXECUTE format(
        'ALTER TABLE public.sample ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
        partition_name, lower_id, upper_id
    );
    RETURN true;
END $$;

CREATE FUNCTION public.current_bench_host() RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $$
        SELECT host_id FROM public.host_credential WHERE username = session_user
    $$;

CREATE FUNCTION public.delete_host_framework(source_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $_$
    BEGIN
        IF session_user ~ '^tacho_host_[0-9a-f]{16}$' AND NOT EXISTS (
            SELECT FROM public.host_framework
            WHERE id = source_id AND host_id = public.current_bench_host()
        ) THEN
            RAISE EXCEPTION 'A bench host deletes only its own sources.'
            USING ERRCODE = 'insufficient_privilege';
        END IF;
        DELETE FROM public.host_framework WHERE id = source_id;
    END $_$;

CREATE FUNCTION public.delete_host_scenario(source_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $_$
    BEGIN
        IF session_user ~ '^tacho_host_[0-9a-f]{16}$' AND NOT EXISTS (
            SELECT FROM public.host_scenario
            WHERE id = source_id AND host_id = public.current_bench_host()
        ) THEN
            RAISE EXCEPTION 'A bench host deletes only its own sources.'
            USING ERRCODE = 'insufficient_privilege';
        END IF;
        DELETE FROM public.host_scenario WHERE id = source_id;
    END $_$;

CREATE FUNCTION public.delete_measurements(of_trial uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $_$
    BEGIN
        IF session_user ~ '^tacho_host_[0-9a-f]{16}$' AND NOT EXISTS (
            SELECT FROM public.trial
            WHERE id = of_trial AND host_id = public.current_bench_host()
            AND status NOT IN ('succeeded', 'failed', 'cancelled')
        ) THEN
            RAISE EXCEPTION 'A bench host deletes only measurements of its unfinished trials.'
            USING ERRCODE = 'insufficient_privilege';
        END IF;
        DELETE FROM public.sample WHERE trial_id = of_trial;
        DELETE FROM public.histogram WHERE trial_id = of_trial;
        DELETE FROM public.metric_value WHERE trial_id = of_trial;
    END $_$;

CREATE FUNCTION public.drop_host_role(name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $$
    BEGIN
        PERFORM public.lock_host_role(name);
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('DROP OWNED BY %I', name);
            EXECUTE format('DROP ROLE %I', name);
        END IF;
        DELETE FROM public.host_credential WHERE username = name;
    END $$;

CREATE FUNCTION public.drop_sample_partition(first_day date) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $$
DECLARE
    begins timestamp := date_trunc('month', first_day::timestamp);
    ends timestamp := begins + interval '1 month';
    partition_name text := 'sample_' || to_char(begins, 'YYYY_MM');
    lower_id uuid := public.first_id_at(begins AT TIME ZONE 'UTC');
    upper_id uuid := public.first_id_at(ends AT TIME ZONE 'UTC');
BEGIN
    IF ends > now() AT TIME ZONE 'UTC' OR to_regclass('public.' || partition_name) IS NULL THEN
        RETURN false;
    END IF;
    IF EXISTS (
        SELECT FROM public.trial JOIN public.run ON run.id = trial.run_id
        WHERE trial.id >= lower_id AND trial.id < upper_id AND run.seconds_removed_at IS NULL
    ) THEN
        RETURN false;
    END IF;
    EXECUTE format('DROP TABLE public.%I', partition_name);
    RETURN true;
END $$;

CREATE FUNCTION public.end_long_transactions_of_hosts(seconds integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $_$
    BEGIN
        RETURN (
            SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = current_database() AND usename ~ '^tacho_host_[0-9a-f]{16}$'
            AND xact_start < now() - make_interval(secs => seconds)
        );
    END $_$;

CREATE FUNCTION public.first_id_at(moment timestamp with time zone) RETURNS uuid
    LANGUAGE sql IMMUTABLE SET search_path TO 'pg_catalog', 'pg_temp' AS $$
    SELECT (
        lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20)
    )::uuid
$$;

CREATE FUNCTION public.limit_host_role(name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $_$
BEGIN
    IF name !~ '^tacho_host_[0-9a-f]{16}$' THEN
        RAISE EXCEPTION 'This is not a role of a bench host: %', name;
    END IF;
    BEGIN
        EXECUTE format('ALTER ROLE %I SET statement_timeout = ''120s''', name);
        EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = ''120s''', name);
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
    -- On its own: an exception undoes what its block did.
    BEGIN
        EXECUTE format('ALTER ROLE %I SET temp_file_limit = ''256MB''', name);
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
END $_$;

CREATE FUNCTION public.list_comparable_builds(of_host uuid, of_frameworks text[], newest integer) RETURNS SETOF jsonb
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $_$
        WITH aged AS (
            SELECT cell.id, row_number() OVER (
                PARTITION BY run.workspace_id, run.load_hosts, cell.framework_id, cell.scenario_id,
                    cell.profile, cell.parameters
                ORDER BY run.created_at DESC, run.id DESC
            ) AS age
            FROM public.cell
            JOIN public.run ON run.id = cell.run_id
            JOIN public.framework ON framework.id = cell.framework_id
            WHERE run.host_id = of_host AND run.purpose = 'comparison'
            AND run.status IN ('succeeded', 'failed', 'cancelled')
            AND framework.slug = ANY (of_frameworks)
        ), wanted AS (
            SELECT id FROM aged WHERE age <= newest
            UNION
            SELECT unnest(ARRAY[before_cell_id, after_cell_id]) FROM public.change
            WHERE host_id = of_host AND (
                status IN ('suspected', 'testing')
                OR status = 'confirmed' AND acknowledged_at IS NULL
            )
        )
        SELECT DISTINCT trial.environment -> 'builds' FROM public.trial
        WHERE trial.cell_id IN (SELECT id FROM wanted) AND trial.status = 'succeeded'
        AND (NOT session_user ~ '^tacho_host_[0-9a-f]{16}$' OR of_host = public.current_bench_host())
    $_$;

CREATE FUNCTION public.list_own_trials(ids uuid[]) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $_$
        SELECT id FROM public.trial
        WHERE id = ANY (ids) AND (NOT session_user ~ '^tacho_host_[0-9a-f]{16}$' OR host_id = public.current_bench_host())
    $_$;

CREATE FUNCTION public.lock_host_role(name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $$
    BEGIN
        IF NOT EXISTS (
            SELECT FROM public.host_credential WHERE username = name AND host_id IS NULL
        ) THEN
            RAISE EXCEPTION 'The credentials of % are not revoked.', name;
        END IF;
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('ALTER ROLE %I NOLOGIN PASSWORD NULL', name);
        END IF;
        PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = name;
    END $$;

CREATE FUNCTION public.note_owners_of_deleted_runs() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'pg_catalog', 'public', 'pg_temp' AS $$
    BEGIN
        UPDATE snapshot SET private_owners = array(
            SELECT unnest(snapshot.private_owners) UNION SELECT deleted.workspace_id FROM deleted
            WHERE deleted.visibility = 'private' AND deleted.id = ANY(snapshot.run_ids))
        WHERE EXISTS (SELECT FROM deleted
            WHERE deleted.visibility = 'private' AND deleted.id = ANY(snapshot.run_ids));
        RETURN NULL;
    END $$;

CREATE FUNCTION public.refuse_change_of_ended_trial() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $$
    BEGIN
        IF public.current_bench_host() IS NOT NULL THEN
            RAISE EXCEPTION 'A bench host cannot change a trial that has ended.'
            USING ERRCODE = 'insufficient_privilege';
        END IF;
        RETURN NEW;
    END $$;

CREATE FUNCTION public.try_busy_lock(queue_name text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $_$
    BEGIN
        IF session_user ~ '^tacho_host_[0-9a-f]{16}$' AND NOT EXISTS (
            SELECT FROM public.host
            WHERE id = public.current_bench_host() AND queue = queue_name
            UNION ALL
            SELECT FROM public.run
            WHERE host_id = public.current_bench_host() AND finished_at IS NULL
            AND finalized_at IS NULL AND queue_name = ANY (load_hosts)) THEN
            RAISE EXCEPTION 'A bench host cannot take the lock of the host %.', queue_name
            USING ERRCODE = 'insufficient_privilege';
        END IF;
        RETURN pg_try_advisory_lock(hashtextextended('tacho.busy.' || queue_name, 0));
    END $_$;

CREATE FUNCTION public.try_claim_lock() RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $$
    BEGIN
        RETURN pg_try_advisory_xact_lock_shared(hashtextextended('tacho.drain', 0));
    END $$;

CREATE FUNCTION public.try_host_lock(queue_name text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'pg_catalog', 'pg_temp' AS $_$
    BEGIN
        IF session_user ~ '^tacho_host_[0-9a-f]{16}$' AND NOT EXISTS (
            SELECT FROM public.host
            WHERE id = public.current_bench_host() AND queue = queue_name) THEN
            RAISE EXCEPTION 'A bench host cannot take the lock of the host %.', queue_name
            USING ERRCODE = 'insufficient_privilege';
        END IF;
        RETURN pg_try_advisory_lock(hashtextextended('tacho.host.' || queue_name, 0));
    END $_$;

REVOKE EXECUTE ON FUNCTION create_host_role(name text, verifier text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION create_sample_partition(first_day date) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION delete_host_framework(source_id uuid) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION delete_host_scenario(source_id uuid) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION delete_measurements(of_trial uuid) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION drop_host_role(name text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION drop_sample_partition(first_day date) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION end_long_transactions_of_hosts(seconds integer) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION limit_host_role(name text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION list_comparable_builds(of_host uuid, of_frameworks text[], newest
  integer) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION list_own_trials(ids uuid[]) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION lock_host_role(name text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION note_owners_of_deleted_runs() FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION try_busy_lock(queue_name text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION try_claim_lock() FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION try_host_lock(queue_name text) FROM PUBLIC;

CREATE TRIGGER audit_event_is_append_only BEFORE DELETE OR UPDATE ON audit_event FOR EACH ROW
  EXECUTE FUNCTION audit_event_is_append_only();
CREATE TRIGGER audit_event_is_not_truncated BEFORE TRUNCATE ON audit_event FOR EACH STATEMENT
  EXECUTE FUNCTION audit_event_is_append_only();
CREATE TRIGGER note_owners_of_deleted AFTER DELETE ON run REFERENCING OLD TABLE AS deleted FOR EACH
  STATEMENT EXECUTE FUNCTION note_owners_of_deleted_runs();
CREATE TRIGGER refuse_change_of_ended BEFORE UPDATE ON trial FOR EACH ROW WHEN (old.status IN
  ('succeeded', 'failed', 'cancelled')) EXECUTE FUNCTION refuse_change_of_ended_trial();

INSERT INTO workspace (id, slug, name) VALUES (gen_random_uuid(), 'main', 'Main');
INSERT INTO retention_setting (id) VALUES (1);
