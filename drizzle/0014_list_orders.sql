DROP INDEX `node_record_title`;--> statement-breakpoint
DROP INDEX `node_record_created`;--> statement-breakpoint
DROP INDEX `node_record_changed`;--> statement-breakpoint
CREATE INDEX `node_record_bundle` ON `node_record` (`bundle`);--> statement-breakpoint
CREATE INDEX `node_record_title` ON `node_record` (`title_key`,`nid`,`status`,`is_deleted`,`bundle`,`owner_id`);--> statement-breakpoint
CREATE INDEX `node_record_created` ON `node_record` (`created`,`nid`,`status`,`is_deleted`,`bundle`,`owner_id`);--> statement-breakpoint
CREATE INDEX `node_record_changed` ON `node_record` (`changed`,`nid`,`status`,`is_deleted`,`bundle`,`owner_id`);--> statement-breakpoint
CREATE INDEX `media_changed` ON `media` (`changed`,`id`,`status`,`bundle`,`owner_id`,`has_lost_node`);--> statement-breakpoint
CREATE INDEX `media_created` ON `media` (substr("document", instr("document", '"created":[{"value":"') + 21, 25),`id`);--> statement-breakpoint
CREATE INDEX `media_name` ON `media` ("label" COLLATE NOCASE,`id`);--> statement-breakpoint
CREATE INDEX `taxonomy_term_changed` ON `taxonomy_term` (`changed`,`id`,`status`,`bundle`);--> statement-breakpoint
CREATE INDEX `file_created` ON `file` (`created`,`id`);--> statement-breakpoint
CREATE INDEX `file_changed` ON `file` (`changed`,`id`);--> statement-breakpoint
CREATE INDEX `file_name` ON `file` ("filename" COLLATE NOCASE,`id`);