CREATE TABLE `access_anchor` (
	`nid` integer PRIMARY KEY NOT NULL,
	`is_whole` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `access_rule` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`rule` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `access_rule_rule_unique` ON `access_rule` (`rule`);--> statement-breakpoint
CREATE TABLE `access_set` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`parts` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `access_set_parts_unique` ON `access_set` (`parts`);--> statement-breakpoint
CREATE TABLE `media_access` (
	`mid` integer PRIMARY KEY NOT NULL,
	`set_id` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `node_access` (
	`nid` integer PRIMARY KEY NOT NULL,
	`set_id` integer NOT NULL,
	`rule_id` integer,
	`terms_rule_id` integer,
	`is_granted` integer DEFAULT false NOT NULL,
	`changed` integer NOT NULL,
	`sequence` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `node_access_sequence` ON `node_access` (`sequence`);--> statement-breakpoint
CREATE INDEX `node_access_rule` ON `node_access` (`rule_id`);--> statement-breakpoint
DROP TABLE `guard`;--> statement-breakpoint
CREATE TABLE `guard` (
	`stale` integer,
	`missing` integer,
	`taken` integer,
	`lost` integer,
	`unanchored` integer,
	CONSTRAINT "guard_stale" CHECK("guard"."stale" IS NULL),
	CONSTRAINT "guard_missing" CHECK("guard"."missing" IS NULL),
	CONSTRAINT "guard_taken" CHECK("guard"."taken" IS NULL),
	CONSTRAINT "guard_lost" CHECK("guard"."lost" IS NULL),
	CONSTRAINT "guard_unanchored" CHECK("guard"."unanchored" IS NULL)
);
--> statement-breakpoint
ALTER TABLE `generation` ADD `access` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE TRIGGER `generation_access_set` AFTER INSERT ON `access_set`
BEGIN UPDATE `generation` SET `value` = `value` + 1, `access` = `access` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `generation_access_anchor` AFTER INSERT ON `access_anchor`
BEGIN UPDATE `generation` SET `value` = `value` + 1, `access` = `access` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `generation_node_access_insert` AFTER INSERT ON `node_access`
WHEN EXISTS (SELECT 1 FROM `access_anchor` WHERE `nid` = NEW.`nid`)
BEGIN UPDATE `generation` SET `value` = `value` + 1, `access` = `access` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `generation_node_access_update` AFTER UPDATE OF `set_id` ON `node_access`
WHEN OLD.`set_id` <> NEW.`set_id` AND EXISTS (SELECT 1 FROM `access_anchor` WHERE `nid` = NEW.`nid`)
BEGIN UPDATE `generation` SET `value` = `value` + 1, `access` = `access` + 1; END;
