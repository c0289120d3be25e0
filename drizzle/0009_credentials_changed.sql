ALTER TABLE `user` ADD `credentials_changed` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
UPDATE `user` SET `credentials_changed` = `changed` * 1000 WHERE `changed` > `created`;
--> statement-breakpoint
CREATE TRIGGER `credentials_changed` AFTER UPDATE OF `password_hash`, `status`, `roles` ON `user`
WHEN old.`password_hash` IS NOT new.`password_hash` OR old.`status` <> new.`status` OR old.`roles` <> new.`roles`
BEGIN UPDATE `user` SET `credentials_changed` = MAX(
	old.`credentials_changed` + 1,
	CAST((julianday('now') - 2440587.5) * 86400000 AS integer)
) WHERE `id` = new.`id`; END;
