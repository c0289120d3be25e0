CREATE TABLE `generation` (
	`id` integer PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `generation` (`id`, `value`) VALUES (1, 1);
--> statement-breakpoint
CREATE TRIGGER `generation_user_update` AFTER UPDATE OF `uuid`, `name`, `password_hash`, `status`, `roles` ON `user`
BEGIN UPDATE `generation` SET `value` = `value` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `generation_user_delete` AFTER DELETE ON `user`
BEGIN UPDATE `generation` SET `value` = `value` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `generation_setting_insert` AFTER INSERT ON `setting`
BEGIN UPDATE `generation` SET `value` = `value` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `generation_setting_update` AFTER UPDATE ON `setting`
BEGIN UPDATE `generation` SET `value` = `value` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `generation_setting_delete` AFTER DELETE ON `setting`
BEGIN UPDATE `generation` SET `value` = `value` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `generation_term_update` AFTER UPDATE ON `taxonomy_term`
BEGIN UPDATE `generation` SET `value` = `value` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `generation_term_delete` AFTER DELETE ON `taxonomy_term`
BEGIN UPDATE `generation` SET `value` = `value` + 1; END;
