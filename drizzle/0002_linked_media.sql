ALTER TABLE `media` ADD `linked` text;--> statement-breakpoint
CREATE TRIGGER `linked_media_file_update` AFTER UPDATE OF `uri`, `filemime`, `owner_id` ON `file`
BEGIN UPDATE `media` SET `linked` = NULL WHERE `id` IN (SELECT `source_id` FROM `reference` WHERE `target_type` = 'file' AND `target_id` = NEW.`id` AND `source_type` = 'media'); END;
