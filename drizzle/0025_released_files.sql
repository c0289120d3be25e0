ALTER TABLE `file` ADD `released` integer;
--> statement-breakpoint
CREATE TRIGGER `file_released` AFTER DELETE ON `reference` WHEN old.`target_type` = 'file'
BEGIN UPDATE `file` SET `released` = unixepoch() WHERE `id` = old.`target_id`; END;
--> statement-breakpoint
UPDATE `file` SET `released` = unixepoch() WHERE NOT EXISTS (
	SELECT 1 FROM `reference` WHERE `target_type` = 'file' AND `target_id` = `file`.`id`
);
