CREATE TABLE `paragraph_revision` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`entity_id` integer NOT NULL,
	`created` integer NOT NULL,
	`user_id` integer,
	`log` text,
	`snapshot` text
);
--> statement-breakpoint
CREATE INDEX `paragraph_revision_entity` ON `paragraph_revision` (`entity_id`);--> statement-breakpoint
CREATE TABLE `paragraph` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`revision_id` integer,
	`bundle` text NOT NULL,
	`label` text NOT NULL,
	`owner_id` integer NOT NULL,
	`status` integer NOT NULL,
	`changed` integer NOT NULL,
	`version` integer NOT NULL,
	`layout` integer NOT NULL,
	`is_dangling` integer NOT NULL,
	`alias_id` integer,
	`alias` text,
	`revision_log` text,
	`document` text NOT NULL,
	`folded_label` text,
	`host_type` text,
	`host_id` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `paragraph_uuid_unique` ON `paragraph` (`uuid`);--> statement-breakpoint
CREATE INDEX `paragraph_host` ON `paragraph` (`host_type`,`host_id`);