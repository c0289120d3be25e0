CREATE TABLE `upload_part` (
	`upload_id` text NOT NULL,
	`first` integer NOT NULL,
	`bytes` integer NOT NULL,
	`storage_key` text NOT NULL,
	`scheme` text NOT NULL,
	PRIMARY KEY(`upload_id`, `first`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `upload_part_storage_key_unique` ON `upload_part` (`storage_key`);--> statement-breakpoint
CREATE TABLE `upload` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` integer NOT NULL,
	`filename` text NOT NULL,
	`filemime` text NOT NULL,
	`bytes` integer NOT NULL,
	`received` integer NOT NULL,
	`parts` integer NOT NULL,
	`created` integer NOT NULL,
	`expires` integer NOT NULL,
	`sha256` text,
	`node_uuid` text,
	`media_uuid` text,
	`file_id` integer
);
--> statement-breakpoint
CREATE INDEX `upload_owner` ON `upload` (`owner_id`);--> statement-breakpoint
CREATE INDEX `upload_expires` ON `upload` (`expires`);--> statement-breakpoint
CREATE INDEX `derivative_job_node` ON `derivative_job` (`node_id`);--> statement-breakpoint
CREATE INDEX `file_sha256` ON `file` (`sha256`);