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
CREATE TABLE `access_upgrade` AS SELECT `source_type`, `source_id`, '{"access_terms":[' || group_concat(`target_id`) || ']}' AS `rule`
	FROM (SELECT DISTINCT `source_type`, `source_id`, `target_id` FROM `reference`
		WHERE `field` = 'field_access_terms' AND `source_type` IN ('node', 'media') AND `target_type` = 'taxonomy_term'
		ORDER BY `source_type`, `source_id`, `target_id`)
	GROUP BY `source_type`, `source_id`;
--> statement-breakpoint
INSERT INTO `access_rule` (`rule`) SELECT DISTINCT `rule` FROM `access_upgrade`;
--> statement-breakpoint
INSERT INTO `access_set` (`parts`) SELECT 'r' || `id` FROM `access_rule`;
--> statement-breakpoint
INSERT INTO `node_access` (`nid`, `set_id`, `terms_rule_id`, `changed`, `sequence`)
	SELECT `node`.`id`, `access_set`.`id`, `access_rule`.`id`, unixepoch(), row_number() OVER ()
	FROM `access_upgrade` JOIN `node` ON `node`.`id` = `source_id`
		JOIN `access_rule` ON `access_rule`.`rule` = `access_upgrade`.`rule`
		JOIN `access_set` ON `access_set`.`parts` = 'r' || `access_rule`.`id`
	WHERE `source_type` = 'node';
--> statement-breakpoint
INSERT INTO `media_access` (`mid`, `set_id`)
	SELECT `media`.`id`, `access_set`.`id`
	FROM `access_upgrade` JOIN `media` ON `media`.`id` = `source_id`
		JOIN `access_rule` ON `access_rule`.`rule` = `access_upgrade`.`rule`
		JOIN `access_set` ON `access_set`.`parts` = 'r' || `access_rule`.`id`
	WHERE `source_type` = 'media';
--> statement-breakpoint
INSERT INTO `access_anchor` (`nid`, `is_whole`)
	SELECT `nid`, 0 FROM `node_access` WHERE EXISTS (SELECT 1 FROM `reference`
		WHERE `target_type` = 'node' AND `target_id` = `nid` AND `source_type` = 'node' AND `field` = 'field_member_of');
--> statement-breakpoint
DROP TABLE `access_upgrade`;--> statement-breakpoint
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
