CREATE TABLE `usage_click` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`visitor` text NOT NULL,
	`node_id` integer NOT NULL,
	`file_id` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `usage_day` (
	`kind` integer NOT NULL,
	`id` integer NOT NULL,
	`day` integer NOT NULL,
	`total_investigations` integer NOT NULL,
	`unique_investigations` integer NOT NULL,
	`total_requests` integer NOT NULL,
	`unique_requests` integer NOT NULL,
	PRIMARY KEY(`kind`, `id`, `day`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `usage_day_day` ON `usage_day` (`kind`,`day`);--> statement-breakpoint
CREATE TABLE `usage_salt` (
	`day` integer PRIMARY KEY NOT NULL,
	`salt` text NOT NULL
);
