CREATE INDEX `node_access_changed` ON `node_access` (`changed`);--> statement-breakpoint
CREATE INDEX `node_access_set` ON `node_access` (`set_id`);