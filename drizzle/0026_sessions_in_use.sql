ALTER TABLE `session` ADD `used` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
UPDATE `session` SET `used` = unixepoch();
