CREATE INDEX `node_owner` ON `node` (`owner_id`);--> statement-breakpoint
CREATE INDEX `node_unpublished` ON `node` (`id`,`owner_id`) WHERE "node"."status" = 0;