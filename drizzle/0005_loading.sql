CREATE TABLE `import_item` (
	`run_id` integer NOT NULL,
	`row_id` text NOT NULL,
	`part` text NOT NULL,
	`entity_id` integer NOT NULL,
	`fingerprint` text NOT NULL,
	PRIMARY KEY(`run_id`, `row_id`, `part`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `import_run` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`sha256` text NOT NULL,
	`path` text NOT NULL,
	`rows` integer NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`lease` text,
	`lease_until` real
);
--> statement-breakpoint
CREATE INDEX `import_run_sha256` ON `import_run` (`sha256`);--> statement-breakpoint
CREATE INDEX `import_run_path` ON `import_run` (`path`);--> statement-breakpoint
CREATE TABLE `redirect` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`source_path` text NOT NULL,
	`source_query` text NOT NULL,
	`target_uri` text NOT NULL,
	`target_title` text,
	`status_code` integer NOT NULL,
	`langcode` text NOT NULL,
	`owner_id` integer NOT NULL,
	`created` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `redirect_uuid_unique` ON `redirect` (`uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `redirect_source` ON `redirect` (`source_path`,`source_query`);
