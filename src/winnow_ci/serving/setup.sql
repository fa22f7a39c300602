-- Run this once with psql, in the database that will serve indexes of winnow-ci, as a user that may create roles.
-- It changes nothing that already exists.
BEGIN;
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'winnow_ci_publisher') THEN
    CREATE ROLE winnow_ci_publisher NOLOGIN;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'winnow_ci_reader') THEN
    CREATE ROLE winnow_ci_reader NOLOGIN;
  END IF;
END $$;
CREATE SCHEMA IF NOT EXISTS winnow_ci;
REVOKE ALL ON SCHEMA winnow_ci FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA winnow_ci TO winnow_ci_publisher;
GRANT USAGE ON SCHEMA winnow_ci TO winnow_ci_reader;
CREATE TABLE IF NOT EXISTS winnow_ci.version (
  name text NOT NULL,
  root text NOT NULL,
  key bytea NOT NULL,
  layout integer NOT NULL,
  published timestamp with time zone NOT NULL DEFAULT now(),
  suffix text NOT NULL UNIQUE,
  salt bytea NOT NULL,
  description bytea NOT NULL,
  seal bytea NOT NULL,
  PRIMARY KEY (name, root, key)
);
REVOKE ALL ON winnow_ci.version FROM PUBLIC;
GRANT SELECT, INSERT, DELETE ON winnow_ci.version TO winnow_ci_publisher;
GRANT SELECT ON winnow_ci.version TO winnow_ci_reader;
COMMIT;
-- Then say who publishes and who scans, for example:
--   GRANT winnow_ci_publisher TO nightly;
--   GRANT winnow_ci_reader TO alice, bob, ci;
