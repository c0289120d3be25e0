CREATE TABLE `collection_role` (
	`nid` integer NOT NULL,
	`user_id` integer NOT NULL,
	`role` text NOT NULL,
	PRIMARY KEY(`nid`, `user_id`, `role`)
);
--> statement-breakpoint
CREATE TRIGGER `collection_role_of_deleted_node` AFTER DELETE ON `node`
WHEN EXISTS (SELECT 1 FROM `collection_role` WHERE `nid` = OLD.`id`)
BEGIN DELETE FROM `collection_role` WHERE `nid` = OLD.`id`; END;
--> statement-breakpoint
CREATE TRIGGER `collection_role_of_deleted_account` AFTER UPDATE OF `deleted_at` ON `user`
WHEN NEW.`deleted_at` IS NOT NULL
BEGIN DELETE FROM `collection_role` WHERE `user_id` = NEW.`id`; END;
--> statement-breakpoint
CREATE TRIGGER `generation_collection_role_insert` AFTER INSERT ON `collection_role`
BEGIN UPDATE `generation` SET `value` = `value` + 1, `access` = `access` + 1; END;
--> statement-breakpoint
CREATE TRIGGER `generation_collection_role_delete` AFTER DELETE ON `collection_role`
BEGIN UPDATE `generation` SET `value` = `value` + 1, `access` = `access` + 1; END;
