CREATE TABLE `fixity_check` (
	`file_id` integer PRIMARY KEY NOT NULL,
	`run_id` integer NOT NULL,
	`storage_key` text NOT NULL,
	`at` integer NOT NULL,
	`outcome` text NOT NULL,
	`detail` text
);
--> statement-breakpoint
CREATE INDEX `fixity_check_outcome` ON `fixity_check` (`outcome`,`file_id`);--> statement-breakpoint
CREATE TABLE `fixity_run` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`scope` text NOT NULL,
	`position` integer NOT NULL,
	`last_id` integer NOT NULL,
	`total` integer NOT NULL,
	`checked` integer NOT NULL,
	`checked_bytes` integer NOT NULL,
	`damaged` integer NOT NULL,
	`missing` integer NOT NULL,
	`unreadable` integer NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`lease` text,
	`lease_until` real
);
--> statement-breakpoint
CREATE TABLE `object_hold` (
	`name` text PRIMARY KEY NOT NULL,
	`until` real NOT NULL
);
--> statement-breakpoint
CREATE TABLE `secret` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `file` ADD `stored_in` text;--> statement-breakpoint
CREATE INDEX `file_stored_in` ON `file` (`stored_in`) WHERE "file"."stored_in" IS NOT NULL;