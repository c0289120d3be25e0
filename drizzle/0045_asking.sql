CREATE TABLE `access_link_use` (
	`id` integer PRIMARY KEY NOT NULL,
	`link_id` integer NOT NULL,
	`at` integer NOT NULL,
	`address` text
);
--> statement-breakpoint
CREATE INDEX `access_link_use_link` ON `access_link_use` (`link_id`);--> statement-breakpoint
CREATE TABLE `access_link` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`node_id` integer NOT NULL,
	`token_hash` text NOT NULL,
	`label` text NOT NULL,
	`request_id` integer,
	`last_day` text NOT NULL,
	`created` integer NOT NULL,
	`created_by` integer NOT NULL,
	`revoked` integer,
	`revoked_by` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `access_link_token_hash_unique` ON `access_link` (`token_hash`);--> statement-breakpoint
CREATE INDEX `access_link_node` ON `access_link` (`node_id`);--> statement-breakpoint
CREATE TABLE `access_notice` (
	`node_id` integer NOT NULL,
	`rule_id` integer NOT NULL,
	`sent` integer NOT NULL,
	PRIMARY KEY(`node_id`, `rule_id`)
);
--> statement-breakpoint
CREATE TABLE `access_request` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`node_id` integer NOT NULL,
	`name` text NOT NULL,
	`mail` text NOT NULL,
	`purpose` text NOT NULL,
	`state` text NOT NULL,
	`token_hash` text,
	`is_confirmed` integer DEFAULT false NOT NULL,
	`created` integer NOT NULL,
	`decided` integer,
	`decided_by` integer,
	`note` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `access_request_token_hash_unique` ON `access_request` (`token_hash`);--> statement-breakpoint
CREATE INDEX `access_request_state` ON `access_request` (`state`);--> statement-breakpoint
CREATE INDEX `access_request_node` ON `access_request` (`node_id`);--> statement-breakpoint
CREATE TRIGGER `generation_access_link_update` AFTER UPDATE ON `access_link`
BEGIN UPDATE `generation` SET `value` = `value` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `generation_access_link_delete` AFTER DELETE ON `access_link`
BEGIN UPDATE `generation` SET `value` = `value` + 1; END;
