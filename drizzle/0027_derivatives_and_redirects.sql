CREATE TABLE `withdrawn_file` (
	`media_id` integer PRIMARY KEY NOT NULL,
	`file_id` integer NOT NULL,
	`uuid` text NOT NULL,
	`owner_id` integer NOT NULL,
	`langcode` text NOT NULL,
	`uri` text NOT NULL,
	`created` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `file` ADD `made_by` text;--> statement-breakpoint
ALTER TABLE `redirect` ADD `replaced_path` text;--> statement-breakpoint
UPDATE `redirect` SET `replaced_path` = (SELECT `path` FROM `path_alias` WHERE `alias` = '/' || `redirect`.`source_path`);
