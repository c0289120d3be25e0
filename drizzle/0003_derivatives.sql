CREATE TABLE `derivative_job` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` text NOT NULL,
	`action` text NOT NULL,
	`pool` text NOT NULL,
	`node_id` integer NOT NULL,
	`media_id` integer,
	`user_id` integer NOT NULL,
	`source_type` text NOT NULL,
	`event` text,
	`chain` text NOT NULL,
	`version` integer NOT NULL,
	`state` text NOT NULL,
	`waits_for` text,
	`attempts` integer NOT NULL,
	`available_at` real NOT NULL,
	`lease` text,
	`created_at` real NOT NULL,
	`started_at` real,
	`ended_at` real,
	`status` integer,
	`message` text,
	`stderr` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `derivative_job_open` ON `derivative_job` (`node_id`,`action`) WHERE "derivative_job"."ended_at" IS NULL;--> statement-breakpoint
CREATE INDEX `derivative_job_ready` ON `derivative_job` (`pool`,`available_at`) WHERE "derivative_job"."state" = 'queued';--> statement-breakpoint
CREATE INDEX `derivative_job_waiting` ON `derivative_job` (`waits_for`) WHERE "derivative_job"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX `derivative_job_ended` ON `derivative_job` (`ended_at`) WHERE "derivative_job"."ended_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `derivative_job_leased` ON `derivative_job` (`lease`) WHERE "derivative_job"."lease" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `derivative_job_failed` ON `derivative_job` (`node_id`) WHERE "derivative_job"."state" = 'failed';--> statement-breakpoint
CREATE TABLE `derivative_scan_count` (
	`scope` text NOT NULL,
	`node_id` integer NOT NULL,
	`action` text NOT NULL,
	PRIMARY KEY(`scope`, `node_id`, `action`)
);
--> statement-breakpoint
CREATE TABLE `derivative_scan` (
	`scope` text PRIMARY KEY NOT NULL,
	`position` integer NOT NULL,
	`last_id` integer NOT NULL,
	`scanned` integer NOT NULL,
	`queued` integer NOT NULL,
	`open` integer NOT NULL,
	`failed` integer NOT NULL
);
--> statement-breakpoint
DROP TABLE `guard`;--> statement-breakpoint
CREATE TABLE `guard` (
	`stale` integer,
	`missing` integer,
	`taken` integer,
	`lost` integer,
	CONSTRAINT "guard_stale" CHECK("guard"."stale" IS NULL),
	CONSTRAINT "guard_missing" CHECK("guard"."missing" IS NULL),
	CONSTRAINT "guard_taken" CHECK("guard"."taken" IS NULL),
	CONSTRAINT "guard_lost" CHECK("guard"."lost" IS NULL)
);
