CREATE TABLE `media_place` (
	`media_id` integer NOT NULL,
	`node_id` integer NOT NULL,
	`weight` integer NOT NULL,
	PRIMARY KEY(`media_id`, `node_id`)
);
--> statement-breakpoint
CREATE INDEX `media_place_node` ON `media_place` (`node_id`);