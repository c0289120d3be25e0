CREATE TABLE `bulk_item` (
	`id` integer PRIMARY KEY NOT NULL,
	`run_id` integer NOT NULL,
	`entity_id` integer NOT NULL,
	`state` text NOT NULL,
	`label` text,
	`reason` text,
	`revision_before` integer,
	`revision_after` integer,
	`before` text,
	`after` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `bulk_item_entity` ON `bulk_item` (`run_id`,`entity_id`);--> statement-breakpoint
CREATE INDEX `bulk_item_state` ON `bulk_item` (`run_id`,`state`,`id`);--> statement-breakpoint
CREATE TABLE `bulk_run` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`entity_type` text NOT NULL,
	`action` text NOT NULL,
	`parameters` text NOT NULL,
	`state` text NOT NULL,
	`message` text,
	`created_at` real NOT NULL,
	`ended_at` real,
	`worked` real DEFAULT 0 NOT NULL,
	`lease` text,
	`lease_until` real
);
--> statement-breakpoint
CREATE INDEX `bulk_run_open` ON `bulk_run` (`worked`,`id`) WHERE "bulk_run"."ended_at" IS NULL;--> statement-breakpoint
CREATE INDEX `bulk_run_user` ON `bulk_run` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `bulk_run_ended` ON `bulk_run` (`ended_at`) WHERE "bulk_run"."ended_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `media_without_text` ON `media` (`bundle`,`id`,substr("linked", 1, instr("linked", char(10)) - 1)) WHERE CASE WHEN coalesce("media"."document" ->> '$.thumbnail[0].alt', '') = '' OR coalesce("media"."document" ->> '$.thumbnail[0].alt', '') = "media"."label" OR (instr(coalesce("media"."document" ->> '$.thumbnail[0].alt', ''), ' ') = 0 AND instr(coalesce("media"."document" ->> '$.thumbnail[0].alt', ''), '.') BETWEEN 1 AND length(coalesce("media"."document" ->> '$.thumbnail[0].alt', '')) - 2) THEN 1 ELSE 0 END = 1;