CREATE TABLE `authority_leftover` (
	`id` integer PRIMARY KEY NOT NULL,
	`list_id` integer NOT NULL,
	`subject` text NOT NULL,
	`facts` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `authority_leftover_subject` ON `authority_leftover` (`list_id`,`subject`);--> statement-breakpoint
CREATE TABLE `authority_list` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`source` text NOT NULL,
	`state` text NOT NULL,
	`file` text NOT NULL,
	`run_id` integer NOT NULL,
	`records` integer DEFAULT 0 NOT NULL,
	`names` integer DEFAULT 0 NOT NULL,
	`loaded_at` integer
);
--> statement-breakpoint
CREATE INDEX `authority_list_name` ON `authority_list` (`name`);--> statement-breakpoint
CREATE TABLE `authority_record` (
	`id` integer PRIMARY KEY NOT NULL,
	`list_id` integer NOT NULL,
	`uri` text NOT NULL,
	`kind` text NOT NULL,
	`label` text NOT NULL,
	`preferred` text NOT NULL,
	`variants` text NOT NULL,
	`date_begin` text,
	`date_end` text,
	`scope` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `authority_record_uri` ON `authority_record` (`list_id`,`uri`);