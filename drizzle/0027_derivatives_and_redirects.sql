ALTER TABLE `file` ADD `made_by` text;--> statement-breakpoint
ALTER TABLE `redirect` ADD `replaced_path` text;--> statement-breakpoint
UPDATE `redirect` SET `replaced_path` = (SELECT `path` FROM `path_alias` WHERE `alias` = '/' || `redirect`.`source_path`);
