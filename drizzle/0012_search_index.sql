CREATE TABLE `extracted_text` (
	`media_id` integer NOT NULL,
	`node_id` integer NOT NULL,
	`is_hocr` integer NOT NULL,
	`text` blob NOT NULL,
	PRIMARY KEY(`node_id`, `media_id`)
);
--> statement-breakpoint
CREATE INDEX `extracted_text_media` ON `extracted_text` (`media_id`);--> statement-breakpoint
CREATE TABLE `facet_value` (
	`id` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `facet_value_text_unique` ON `facet_value` (`text`);--> statement-breakpoint
CREATE TABLE `node_record` (
	`nid` integer PRIMARY KEY NOT NULL,
	`sequence` integer NOT NULL,
	`is_deleted` integer DEFAULT false NOT NULL,
	`status` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`bundle` text NOT NULL,
	`created` integer NOT NULL,
	`changed` integer NOT NULL,
	`harvest_stamp` integer,
	`title_key` text NOT NULL,
	`date_from` integer,
	`date_to` integer,
	`has_text` integer NOT NULL,
	`facets` blob NOT NULL,
	`collections` text NOT NULL,
	`text_hash` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `node_record_sequence` ON `node_record` (`sequence`);--> statement-breakpoint
CREATE INDEX `node_record_harvest` ON `node_record` (`harvest_stamp`,`nid`) WHERE "node_record"."harvest_stamp" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `node_record_title` ON `node_record` (`title_key`,`nid`);--> statement-breakpoint
CREATE INDEX `node_record_date` ON `node_record` (`date_from`,`nid`);--> statement-breakpoint
CREATE INDEX `node_record_created` ON `node_record` (`created`,`nid`);--> statement-breakpoint
CREATE INDEX `node_record_changed` ON `node_record` (`changed`,`nid`);--> statement-breakpoint
CREATE TABLE `search_index` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` text,
	`building` text,
	`position` integer DEFAULT 0 NOT NULL,
	`last_id` integer DEFAULT 0 NOT NULL,
	`done` integer DEFAULT 0 NOT NULL,
	`total` integer DEFAULT 0 NOT NULL,
	`lease` text,
	`lease_until` real
);
--> statement-breakpoint
CREATE TABLE `search_pending` (
	`nid` integer PRIMARY KEY NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`reads_files` integer NOT NULL
);
--> statement-breakpoint
CREATE VIRTUAL TABLE `search_text` USING fts5(
	title, subject, creator, identifier, text, fulltext,
	content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
--> statement-breakpoint
INSERT INTO `search_index` (`id`) VALUES (1);
